import type { Test } from "tap";
import type { CommittedTransaction, Store, StoreTransaction } from "../../store/store-port.js";
import { LEDGER_KEY_WINDOW_MS } from "../../store/store-port.js";
import { times } from "../support/times.js";
import { balanceOf, credit, posting, receiptRow, START_MS, tokenRow } from "./open-test-store.js";
import { type OpenStore, refused } from "./store-under-test.js";

const OTHERS = [
	["cust:a", 6n],
	["cust:b", 5n],
	["cust:a", 5n],
] as const;

export function ledgerContract(t: Test, open: OpenStore): void {
	t.test(
		"conformance 1: entries that do not sum to zero are refused and leave nothing",
		async (t) => {
			const { store } = await open();
			const attempt = store.transaction(async (tx) => {
				await tx.put("tokens", tokenRow("tok_a"));
				await tx.post(posting("k", { "cash:manual": -2n, "cust:a": 1n }));
			});
			await t.rejects(attempt, refused("unbalanced"));
			await t.rejects(
				store.transaction((tx) => tx.post(posting("k", { "cust:a": 0n }))),
				refused("unbalanced"),
			);
			t.equal(await store.read((reader) => reader.get("tokens", "tok_a")), undefined);
			t.same([...(await store.read((reader) => reader.balances()))], []);
		},
	);

	t.test("a refusal that is caught still fails its transaction", async (t) => {
		const { store } = await open();
		const attempt = store.transaction(async (tx) => {
			await tx.post(posting("k", { "cust:a": -1n, x: 1n })).catch(() => undefined);
			await tx.put("tokens", tokenRow("tok_a"));
		});
		await t.rejects(attempt, refused("negative"));
		t.equal(await store.read((reader) => reader.get("tokens", "tok_a")), undefined);
	});

	t.test("conformance 2: 256 parallel callers spend what there is and not more", async (t) => {
		const { store } = await open();
		await credit(store, "cust:a", 100n);
		const spend = (tx: StoreTransaction, index: number) =>
			tx.post(posting(`spend ${index}`, { "cust:a": -3n, "held:a": 3n }));
		const outcomes = await Promise.allSettled(
			times(256, (index) => store.transaction((tx) => spend(tx, index))),
		);
		const refused = outcomes.filter(({ status }) => status === "rejected");
		t.equal(refused.length, 256 - 33);
		t.ok(
			refused.every((outcome) => (outcome as PromiseRejectedResult).reason.reason === "negative"),
		);
		t.equal(await balanceOf(store, "cust:a"), 1n);
		t.equal(await balanceOf(store, "held:a"), 99n);
	});

	t.test(
		"conformance 3: one key a thousand times in parallel is one transaction, one receipt",
		async (t) => {
			const { store, reopen } = await open();
			const outcomes = await Promise.allSettled(
				times(1_000, (index) =>
					store.transaction(async (tx) => {
						await tx.put("receipts", receiptRow(`rcpt_${index}`));
						await tx.post(posting("the key", { "cash:manual": -5n, "cust:a": 5n }));
					}),
				),
			);
			t.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
			const again = await reopen();
			await t.rejects(credit(again, "cust:a", 5n, "the key"), refused("duplicate_key"));
			t.equal(await balanceOf(again, "cust:a"), 5n);
			const left: CommittedTransaction[] = [];
			for await (const committed of again.history()) left.push(committed);
			t.same(
				left.map(({ postings, receipts }) => [postings.length, receipts.length]),
				[[1, 1]],
			);
		},
	);

	t.test("conformance 4: a key that comes again with other entries changes nothing", async (t) => {
		const { store, reopen } = await open();
		await credit(store, "cust:a", 5n, "the key");
		const assertRefused = async (again: Store) => {
			for (const [account, amountMicros] of OTHERS) {
				const attempt = again.transaction(async (tx) => {
					await tx.put("tokens", tokenRow("tok_a"));
					const entries = { "cash:manual": -amountMicros, [account]: amountMicros };
					await tx.post(posting("the key", entries, { id: "txn_other", memo: "other" }));
				});
				await t.rejects(attempt, refused("duplicate_key"));
			}
			t.equal(await balanceOf(again, "cust:a"), 5n);
			t.equal(await balanceOf(again, "cust:b"), 0n);
			t.equal(await again.read((reader) => reader.get("tokens", "tok_a")), undefined);
		};
		await assertRefused(store);
		await assertRefused(await reopen());
	});

	t.test("a key is known for 48 hours, also when the clock runs backwards", async (t) => {
		const { store, clock } = await open();
		await credit(store, "cust:a", 1n, "k");
		clock.set(START_MS - LEDGER_KEY_WINDOW_MS);
		await credit(store, "cust:a", 1n, "earlier");
		clock.set(START_MS + LEDGER_KEY_WINDOW_MS - 1);
		await t.rejects(credit(store, "cust:a", 1n, "k"), refused("duplicate_key"));
		clock.set(START_MS + LEDGER_KEY_WINDOW_MS + 2 * 3_600_000);
		await credit(store, "cust:a", 1n, "the first of its hour");
		await credit(store, "cust:a", 1n, "k");
		t.equal(await balanceOf(store, "cust:a"), 4n);
	});

	t.test(
		"conformance 10: a clock that leaps ahead and comes back makes no recent key acceptable",
		async (t) => {
			const { store, clock, reopen } = await open();
			const hours = times(6, (hour) => START_MS + hour * 3_600_000);
			for (const [hour, ms] of hours.entries()) {
				clock.set(ms);
				await credit(store, "cust:a", 1n, `k${hour}`);
			}
			clock.set(START_MS + 10 * LEDGER_KEY_WINDOW_MS);
			// A look with nothing committed, then commits during the leap.
			await t.rejects(credit(store, "cust:a", 1n, "k5"), refused("duplicate_key"));
			for (const index of times(9, (i) => i)) await credit(store, "cust:a", 1n, `leap ${index}`);
			clock.set(START_MS + 6 * 3_600_000);
			const keys = ["k2", "k5", "leap 0"];
			for (const key of keys) {
				await t.rejects(credit(store, "cust:a", 1n, key), refused("duplicate_key"));
			}
			const again = await reopen();
			for (const key of keys) {
				await t.rejects(credit(again, "cust:a", 1n, key), refused("duplicate_key"));
			}
		},
	);

	t.test(
		"conformance 10: a clock that runs backwards neither reorders nor loses anything",
		async (t) => {
			const { store, clock, reopen } = await open();
			for (const [index, ms] of [0, 90_000_000, -90_000_000, 10].entries()) {
				clock.set(START_MS + ms);
				await credit(store, "cust:a", 1n, `k${index}`);
			}
			const again = await reopen();
			t.same(await historyOf(again), ["k0", "k1", "k2", "k3"]);
			for (const key of ["k0", "k1", "k2", "k3"]) {
				await t.rejects(credit(again, "cust:a", 1n, key), refused("duplicate_key"));
			}
		},
	);

	t.test("what a deferred transaction did comes before every later durable one", async (t) => {
		const { store, reopen } = await open();
		const deferred = { durability: "deferred" } as const;
		for (const index of times(20, (i) => i)) {
			const entries = { "cash:manual": -1n, "cust:a": 1n };
			await store.transaction((tx) => tx.post(posting(`d${index}`, entries)), deferred);
			t.equal(await balanceOf(store, "cust:a"), BigInt(2 * index + 1));
			await credit(store, "cust:a", 1n, `k${index}`);
		}
		const expected = times(20, (index) => [`d${index}`, `k${index}`]).flat();
		t.same(await historyOf(await reopen()), expected);
	});

	t.test("the history adds up to the balances", async (t) => {
		const { store } = await open();
		await Promise.all(times(50, (index) => credit(store, `cust:${index % 7}`, 3n, `k${index}`)));
		const sums = new Map<string, bigint>();
		for await (const { postings } of store.history()) {
			for (const { account, amountMicros } of postings.flatMap(({ entries }) => entries)) {
				sums.set(account, (sums.get(account) ?? 0n) + amountMicros);
			}
		}
		t.same([...sums].sort(), [...(await store.read((reader) => reader.balances()))].sort());
		const { transactions } = await store.verify();
		t.equal(transactions, 50);
	});

	t.test("the history distinguishes transactions, each with its receipts", async (t) => {
		const { store, reopen } = await open();
		const receipt = receiptRow("rcpt_a");
		await store.transaction(async (tx) => {
			await tx.post(posting("k1", { "cash:manual": -2n, "cust:a": 2n }));
			await tx.post(posting("k2", { "cust:a": -1n, "rev:per_call": 1n }));
			await tx.put("receipts", receipt);
		});
		await store.transaction((tx) => tx.put("tokens", tokenRow("tok_a")));
		await credit(store, "cust:a", 1n, "k3");
		const again = await reopen();
		const committed: CommittedTransaction[] = [];
		for await (const item of again.history()) committed.push(item);
		t.same(
			committed.map(({ postings, receipts }) => [postings.map(({ key }) => key), receipts]),
			[
				[["k1", "k2"], [receipt]],
				[["k3"], []],
			],
		);
		const shown: CommittedTransaction[] = [];
		const onTransaction = (item: CommittedTransaction) => shown.push(item);
		await again.verify({ onTransaction });
		t.same(shown.splice(0), committed);
		await credit(again, "cust:a", 1n, "k4");
		await again.verify({ sinceLast: true, onTransaction });
		t.same(
			shown.map(({ postings }) => postings.map(({ key }) => key)),
			[["k4"]],
		);
	});
}

async function historyOf(store: Store): Promise<string[]> {
	const keys: string[] = [];
	for await (const { postings } of store.history())
		keys.push(...postings.flatMap(({ key }) => key ?? []));
	return keys;
}
