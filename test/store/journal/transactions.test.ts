import t from "tap";
import type { FileSystem } from "../../../store/journal/file-system.js";
import type { Row } from "../../../store/store.js";
import { createGate } from "../../support/gate.js";
import { times } from "../../support/times.js";
import { createFakeDisk, diskError } from "../fake-disk.js";
import {
	balanceOf,
	credit,
	FOLDER,
	openOn,
	posting,
	receiptRow,
	steppedClock,
	tokenRow,
} from "../open-test-store.js";
import { refused } from "../store-under-test.js";
import { ended, turns, watch } from "./timed-clock.js";

const DEFERRED = { durability: "deferred" } as const;
const SEGMENT = `${FOLDER}/segments/00000001.journal`;
const idsOf = (rows: readonly Row[]) => rows.map(({ id }) => id);

/** A store whose journal is written once a gate is opened. */
async function openHeld() {
	const disk = createFakeDisk();
	const gate = createGate();
	let isHeld = false;
	const fileSystem: FileSystem = {
		...disk,
		async open(path, how) {
			const file = await disk.open(path, how);
			return {
				...file,
				async writeDurably(bytes, position) {
					if (isHeld && path === SEGMENT) await gate.pass();
					return file.writeDurably(bytes, position);
				},
			};
		},
	};
	const store = await openOn(fileSystem);
	await credit(store, "cust:a", 5n, "before");
	return {
		store,
		hold: () => {
			isHeld = true;
		},
		release: () => {
			isHeld = false;
			gate.open();
		},
	};
}

t.test("why the ledger refuses is said with the figures", async (t) => {
	const store = await openOn();
	await credit(store, "cust:a", 5n, "k");
	const attempt = (entries: Readonly<Record<string, bigint>>, key = "new") =>
		store.transaction((tx) => tx.post(posting(key, entries)));
	const name = "LedgerRefusal";
	await t.rejects(attempt({ "cust:a": -2n, "rev:x": 1n }), {
		...{ name, reason: "unbalanced" },
		message: 'The entries of "txn_new" are 2 and sum to -1; at least two must sum to zero.',
	});
	await t.rejects(attempt({ "cust:a": 0n }), {
		...{ name, reason: "unbalanced" },
		message: 'The entries of "txn_new" are 1 and sum to 0; at least two must sum to zero.',
	});
	await t.rejects(attempt({}), refused("unbalanced"));
	await t.rejects(attempt({ "cust:a": -1n, "rev:x": 1n }, "k"), {
		...{ name, reason: "duplicate_key" },
		message: 'The ledger has "k" already.',
	});
	for (const account of ["cust:a", "held:a"]) {
		await t.rejects(attempt({ [account]: -6n, "rev:x": 6n }), {
			...{ name, reason: "negative" },
			message: `"txn_new" would take ${account} below zero.`,
		});
	}
	await attempt({ "cust:a": -5n, "rev:x": 5n }, "to nothing");
	await attempt({ "rev:x": -9n, "x cust:a": -1n, shares: 10n }, "others may owe");
	t.equal(await balanceOf(store, "cust:a"), 0n);
	t.equal(await balanceOf(store, "rev:x"), -4n);
	t.equal(await balanceOf(store, "cust:unknown"), 0n);
});

t.test("several entries of one account count together", async (t) => {
	const store = await openOn();
	const entries = [
		{ account: "cust:a", amountMicros: -5n },
		{ account: "cash", amountMicros: -1n },
		{ account: "cust:a", amountMicros: 6n },
	];
	await store.transaction((tx) => tx.post({ ...posting("k", {}), entries }));
	t.equal(await balanceOf(store, "cust:a"), 1n);
});

t.test("a refusal that was caught still fails the whole transaction, with the first", async (t) => {
	const store = await openOn();
	const attempt = store.transaction(async (tx) => {
		await tx.put("tokens", tokenRow("tok_a"));
		await tx.post(posting("first", { "cust:a": -1n, x: 1n })).catch(() => undefined);
		await tx.post(posting("second", { "cust:b": -1n, x: 1n })).catch(() => undefined);
	});
	await t.rejects(attempt, { message: '"txn_first" would take cust:a below zero.' });
	t.same(await store.read((reader) => reader.list("tokens")), []);
});

t.test("within a transaction keys and balances are those after each posting", async (t) => {
	const store = await openOn();
	await credit(store, "cust:a", 5n, "before");
	await store.transaction(async (tx) => {
		await tx.post(posting("one", { "cust:a": -3n, rev: 3n }));
		t.equal(await tx.balance("cust:a"), 2n);
		await tx.post(posting("two", { "cust:a": -2n, rev: 2n }, { key: undefined }));
		await tx.post(posting("two", { "cust:a": 0n, rev: 0n }, { key: undefined }));
		t.same([...(await tx.balances())].sort(), [
			["cash:manual", -5n],
			["cust:a", 0n],
			["rev", 5n],
		]);
		t.equal(await balanceOf({ ...store, read: async (work) => work(tx) }, "rev"), 5n);
	});
	await t.rejects(
		store.transaction(async (tx) => {
			await tx.post(posting("three", { a: 1n, b: -1n }));
			await tx.post(posting("three", { a: 1n, b: -1n }));
		}),
		refused("duplicate_key"),
	);
	t.equal((await store.verify()).transactions, 4);
});

t.test("rows are listed by id and found as the transaction left them", async (t) => {
	const store = await openOn();
	const owned = { owner: "acc_1" };
	await store.transaction(async (tx) => {
		for (const id of ["tok_c", "tok_a", "tok_d"]) await tx.put("tokens", tokenRow(id, owned));
	});
	await store.transaction(async (tx) => {
		t.same(idsOf(await tx.findBy("tokens", "owner", "acc_1")), ["tok_c", "tok_a", "tok_d"]);
		await tx.put("tokens", tokenRow("tok_b", owned));
		await tx.put("tokens", tokenRow("tok_a", { owner: "acc_2" }));
		await tx.delete("tokens", "tok_d");
		await tx.delete("tokens", "tok_x");
		t.same(idsOf(await tx.list("tokens")), ["tok_a", "tok_b", "tok_c"]);
		t.same(idsOf(await tx.findBy("tokens", "owner", "acc_1")), ["tok_c", "tok_b"]);
		t.same(idsOf(await tx.findBy("tokens", "owner", "acc_2")), ["tok_a"]);
		t.equal(await tx.get("tokens", "tok_d"), undefined);
		t.equal((await tx.get("tokens", "tok_a"))?.owner, "acc_2");
		t.equal((await tx.get("tokens", "tok_c"))?.owner, "acc_1");
	});
	await store.read(async (reader) => {
		t.same(idsOf(await reader.list("tokens")), ["tok_a", "tok_b", "tok_c"]);
		t.same(idsOf(await reader.findBy("tokens", "owner", "acc_1")), ["tok_c", "tok_b"]);
	});
});

t.test("rows that stay on the disk are written once and read one by one", async (t) => {
	const store = await openOn();
	const code = "INTERNAL";
	const listing = 'Rows of "receipts" can only be read one by one, by id.';
	await t.rejects(
		store.transaction((tx) => tx.delete("receipts", "rcpt_1")),
		{ code, message: 'A row of "receipts" is written once and stays.' },
	);
	await t.rejects(
		store.transaction((tx) => tx.list("receipts")),
		{ code, message: listing },
	);
	await t.rejects(
		store.read((reader) => reader.list("receipts")),
		{ code, message: listing },
	);
	await store.transaction((tx) => tx.put("receipts", receiptRow("rcpt_1")));
	t.match(await store.transaction((tx) => tx.get("receipts", "rcpt_1")), { id: "rcpt_1" });
});

t.test("a transaction that has ended, well or not, takes nothing more", async (t) => {
	const store = await openOn();
	const over = { code: "INTERNAL", message: "A transaction was used after it had ended." };
	for (const fails of [false, true]) {
		const leaked = await store
			.transaction(async (tx) => {
				if (fails) throw Object.assign(new Error("on purpose"), { tx });
				return tx;
			})
			.catch((error: { tx: never }) => error.tx);
		await t.rejects(leaked.put("tokens", tokenRow("tok_a")), over);
		await t.rejects(leaked.delete("tokens", "tok_a"), over);
		await t.rejects(leaked.post(posting("k", { a: 1n, b: -1n })), over);
	}
	t.equal(store.health().sequence, 0);
});

t.test("an answer that rests on what others wrote waits until that is durable", async (t) => {
	const { store, hold, release } = await openHeld();
	hold();
	const paid = watch(credit(store, "cust:a", 1n, "paid"));
	await turns();
	const looked = watch(store.transaction((tx) => tx.balance("cust:a")));
	const refused = watch(credit(store, "cust:a", 1n, "paid"));
	const deferred = watch(store.transaction((tx) => tx.balance("cust:a"), DEFERRED));
	await turns();
	t.equal(deferred(), "resolved", "who needs no durable answer gets one at once");
	t.same([paid(), looked(), refused()], ["pending", "pending", "pending"]);
	release();
	await ended([paid, looked, refused]);
	t.same([paid(), looked()], ["resolved", "resolved"]);
	t.match(refused(), { reason: "duplicate_key" });
});

t.test("deferred changes wait once sixteen frames do", async (t) => {
	const { store, hold, release } = await openHeld();
	hold();
	const label = "x".repeat(1024 * 1024);
	const puts = times(20, (index) =>
		watch(
			store.transaction((tx) => tx.put("tokens", tokenRow(`tok_${index}`, { label })), DEFERRED),
		),
	);
	void credit(store, "cust:a", 1n, "sends them off");
	await turns(40);
	const waiting = puts.filter((state) => state() === "pending").length;
	t.ok(waiting > 0 && waiting < 6, `${waiting} of 20 wait`);
	release();
	await ended(puts);
	t.ok(puts.every((state) => state() === "resolved"));
});

t.test("a stopped store refuses with the reason, before and after the work", async (t) => {
	const disk = createFakeDisk();
	const store = await openOn(disk, { clock: steppedClock() });
	let worked = 0;
	const work = async () => {
		worked += 1;
	};
	disk.judge = () => ({ error: diskError("EIO") });
	await t.rejects(credit(store, "cust:a", 1n), { message: /\(EIO: simulated\)/ });
	const refusal = { code: "UNAVAILABLE", retryable: true, message: /\(EIO: simulated\)/ };
	await t.rejects(store.transaction(work), refusal);
	await t.rejects(store.transaction(work, DEFERRED), refusal);
	t.equal(worked, 0);
	t.equal(store.health().reason, "EIO: simulated");
	await store.close();
	await t.rejects(store.transaction(work), refusal, "the first reason stays");
});

t.test("a read that throws rejects, and the next one has its turn", async (t) => {
	const store = await openOn();
	await t.rejects(
		store.read(async () => {
			throw new Error("on purpose");
		}),
		{ message: "on purpose" },
	);
	await t.rejects(
		store.read(() => {
			throw new Error("at once");
		}),
		{ message: "at once" },
	);
	t.equal(await store.read(async () => "fine"), "fine");
});
