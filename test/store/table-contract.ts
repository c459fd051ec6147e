import type { Test } from "tap";
import { ServiceError } from "../../src/kernel/errors.js";
import { createIds, systemRandom } from "../../src/kernel/ids.js";
import type { StoreTransaction } from "../../store/store-port.js";
import { times } from "../support/times.js";
import {
	balanceOf,
	contentsOf,
	credit,
	posting,
	receiptRow,
	START_MS,
	tokenRow,
} from "./open-test-store.js";
import type { OpenStore } from "./store-under-test.js";

export function tableContract(t: Test, open: OpenStore): void {
	t.test("a transaction that throws leaves nothing", async (t) => {
		const { store, reopen } = await open();
		await store.transaction((tx) => tx.put("tokens", tokenRow("tok_a")));
		const before = await contentsOf(store);
		const attempt = store.transaction(async (tx) => {
			await tx.put("tokens", tokenRow("tok_b"));
			await tx.delete("tokens", "tok_a");
			await tx.post(posting("k", { "cash:manual": -1n, "cust:a": 1n }));
			await tx.put("receipts", receiptRow("rcpt_1"));
			throw new Error("on purpose");
		});
		await t.rejects(attempt, { message: "on purpose" });
		t.equal(await contentsOf(store), before);
		t.equal(await store.read((reader) => reader.get("receipts", "rcpt_1")), undefined);
		await credit(store, "cust:a", 1n, "k");
		const again = await reopen();
		t.equal(await balanceOf(again, "cust:a"), 1n);
	});

	t.test("a transaction sees its own writes, others only what has committed", async (t) => {
		const { store } = await open();
		await store.transaction((tx) => tx.put("tokens", tokenRow("tok_b")));
		await store
			.transaction(async (tx) => {
				await tx.put("tokens", tokenRow("tok_a"));
				await tx.put("tokens", tokenRow("tok_b", { hash: "other" }));
				t.equal((await tx.get("tokens", "tok_a"))?.maxPerCallMicros, 500_000n);
				t.same(
					(await tx.list("tokens")).map(({ id }) => id),
					["tok_a", "tok_b"],
				);
				t.same(await tx.findBy("tokens", "hash", "hash of tok_b"), []);
				t.equal((await tx.findBy("tokens", "hash", "other"))[0]?.id, "tok_b");
				await tx.delete("tokens", "tok_b");
				t.equal(await tx.get("tokens", "tok_b"), undefined);
				await tx.put("receipts", receiptRow("rcpt_1"));
				t.equal((await tx.get("receipts", "rcpt_1"))?.amountMicros, 500_000n);
				await tx.post(posting("k", { "cash:manual": -1n, "cust:a": 1n }));
				t.equal(await tx.balance("cust:a"), 1n);
				t.equal((await tx.balances()).get("cash:manual"), -1n);
				await t.rejects(tx.post(posting("k2", { "cash:manual": 2n, "cust:a": -2n })));
				throw new Error("roll back");
			})
			.catch(() => undefined);
		t.same(await store.read((reader) => reader.findBy("tokens", "hash", "other")), []);
		t.equal(
			(await store.read((reader) => reader.findBy("tokens", "hash", "hash of tok_b"))).length,
			1,
		);
	});

	t.test("transactions run one at a time", async (t) => {
		const { store } = await open();
		await store.transaction((tx) => tx.put("quotas", { id: "q", used: 0, expiresAt: 1 }));
		const count = async (tx: StoreTransaction) => {
			const row = await tx.get("quotas", "q");
			await tx.put("quotas", { id: "q", used: (row?.used ?? 0) + 1, expiresAt: 1 });
		};
		await Promise.all(times(200, () => store.transaction(count)));
		t.equal((await store.read((reader) => reader.get("quotas", "q")))?.used, 200);
	});

	t.test("a read sees one moment, however long it takes", async (t) => {
		const { store } = await open();
		const move = (index: number) => credit(store, "cust:a", 1n, `k${index}`);
		const moves = times(50, move);
		const sum = await store.read(async (reader) => {
			let total = 0n;
			for (let round = 0; round < 20; round++) {
				total += (await reader.balance("cust:a")) + (await reader.balance("cash:manual"));
			}
			return total;
		});
		await Promise.all(moves);
		t.equal(sum, 0n);
	});

	t.test("a transaction that has ended writes nothing more", async (t) => {
		const { store } = await open();
		let leaked: StoreTransaction | undefined;
		await store.transaction(async (tx) => {
			leaked = tx;
		});
		await t.rejects(async () => leaked?.put("tokens", tokenRow("tok_a")), { code: "INTERNAL" });
	});

	t.test(
		"receipts are found by id, recent or old, and rows of them cannot be listed",
		async (t) => {
			const { store, clock, reopen } = await open();
			const ids = createIds({ clock, random: systemRandom });
			const given: string[] = [];
			for (let day = 0; day < 20; day++) {
				clock.set(START_MS + day * 86_400_000);
				const id = ids.next("rcpt");
				given.push(id);
				await store.transaction((tx) => tx.put("receipts", receiptRow(id, { at: day })));
			}
			const again = await reopen();
			for (const [day, id] of given.entries()) {
				const row = await again.read((reader) => reader.get("receipts", id));
				t.equal(row?.at, day);
				t.equal(row?.balanceAfterMicros, 1_000_000n);
			}
			t.equal(await again.read((reader) => reader.get("receipts", ids.next("rcpt"))), undefined);
			await t.rejects(
				again.read((reader) => reader.list("receipts")),
				ServiceError,
			);
		},
	);
}
