import t from "tap";
import { costOf, finishAttempt, type HoldTerms, noCost, toReceipt } from "../../payments/ledger.js";
import { LIMITS } from "../../src/contract/limits.js";
import type { HoldRow, IdempotencyRow } from "../../store/rows/call-rows.js";
import type { LedgerTransaction, Store } from "../../store/store-port.js";
import { openBooks } from "./open-books.js";

const PRICE = 400_000n;
const TERMS: HoldTerms = {
	...{ from: "cust:tok_a", owner: "tok_a", rail: "spt", amountMicros: PRICE },
	...{ operationId: "graphs.search", billingType: "per_call", idempotencyId: undefined },
};

async function postingsOf(store: Store): Promise<LedgerTransaction[]> {
	const found: LedgerTransaction[] = [];
	for await (const { postings } of store.history()) found.push(...postings);
	return found;
}

async function openFunded(changes: Partial<HoldTerms> = {}) {
	const books = await openBooks();
	await books.issue("tok_a", 1_000_000n);
	const { store, ledger } = books;
	const hold = await store.transaction((tx) => ledger.authorize(tx, { ...TERMS, ...changes }));
	const capture = (amountMicros: bigint) =>
		store.transaction((tx) => ledger.capture(tx, hold, amountMicros));
	const release = () => store.transaction((tx) => ledger.release(tx, hold, "no_answer"));
	return { ...books, hold, capture, release };
}

t.test(
	"a call leaves three postings in the books, of its kinds and named by its ids",
	async (t) => {
		const { store, clock, hold, capture } = await openFunded();
		t.match(hold, { held: "held:tok_a", createdAt: clock.now() });
		t.equal(hold.expiresAt, clock.now() + LIMITS.holdTtlMs);
		t.same(await store.read((reader) => reader.get("holds", hold.id)), hold);
		const id = await capture(PRICE);
		t.equal(await store.read((reader) => reader.get("holds", hold.id)), undefined);
		const [credit, authorized, captured] = await postingsOf(store);
		t.match(credit, {
			...{ kind: "credit", ref: "tok_a", key: "issue:tok_a", at: clock.now() },
			entries: [
				{ account: "cash:manual", amountMicros: -1_000_000n },
				{ account: "cust:tok_a", amountMicros: 1_000_000n },
			],
		});
		t.match(authorized, { kind: "authorise", ref: hold.id });
		t.match(captured, { id, kind: "capture", ref: hold.id.replace("hold", "rcpt") });
		t.same(captured?.entries, [
			{ account: "held:tok_a", amountMicros: -PRICE },
			{ account: "rev:per_call", amountMicros: PRICE },
		]);
	},
);

t.test("what is not taken of a hold goes back, and no limit counts it", async (t) => {
	for (const ids of [
		{ spendingId: "day" },
		{ spendingIds: ["key", "budget"] },
		{ spendingId: "day", spendingIds: ["key", "budget"] },
	]) {
		const { store, balance, capture } = await openFunded(ids);
		const row = { spentMicros: PRICE + 5n, expiresAt: 0 };
		await store.transaction(async (tx) => {
			for (const id of ["day", "key", "budget"]) await tx.put("spending", { id, ...row });
		});
		await capture(PRICE - 100n);
		t.equal(await balance("cust:tok_a"), 600_100n);
		t.equal(await balance("rev:per_call"), PRICE - 100n);
		t.equal(await balance("held:tok_a"), 0n);
		const counted = [ids.spendingId, ...(ids.spendingIds ?? [])];
		for (const id of ["day", "key", "budget"]) {
			const found = await store.read((reader) => reader.get("spending", id));
			t.equal(found?.spentMicros, PRICE + 5n - (counted.includes(id) ? 100n : 0n), id);
		}
	}
});

t.test(
	"a call that is not billed counts in no quota and no limit, and never below zero",
	async (t) => {
		const quotaKeys = ["month", "day", "empty", "gone"];
		const { store, balance, release } = await openFunded({ quotaKeys, spendingId: "little" });
		await store.transaction(async (tx) => {
			for (const [id, used] of [
				["month", 7],
				["day", 1],
				["empty", 0],
			] as const)
				await tx.put("quotas", { id, used, expiresAt: 0 });
			await tx.put("spending", { id: "little", spentMicros: 1n, expiresAt: 0 });
		});
		await release();
		await release();
		const used = await store.read((reader) =>
			Promise.all(quotaKeys.map(async (key) => (await reader.get("quotas", key))?.used)),
		);
		t.same(used, [6, 0, 0, undefined], "once, however often it is released");
		const little = await store.read((reader) => reader.get("spending", "little"));
		t.equal(little?.spentMicros, 0n);
		t.equal(await balance("cust:tok_a"), 1_000_000n);
		t.match((await postingsOf(store)).at(-1), { kind: "release", memo: "no_answer" });
	},
);

t.test("money of a hold goes back to where its row says, as after a revocation", async (t) => {
	for (const isCaptured of [false, true]) {
		const { store, hold, balance, capture, release } = await openFunded();
		await store.transaction((tx) => tx.put("holds", { ...hold, from: "cust:tok_parent" }));
		await (isCaptured ? capture(PRICE - 1n) : release());
		t.equal(await balance("cust:tok_parent"), isCaptured ? 1n : PRICE);
		t.equal(await balance("cust:tok_a"), 600_000n);
	}
});

t.test(
	"a retry key is free again after a release, unless it is another call's or a job's",
	async (t) => {
		const attempt = {
			id: "key",
			fingerprint: "f",
			state: "in_flight",
			receiptId: undefined,
		} as const;
		const cases = [
			[{}, undefined],
			[{ holdId: "hold_other" }, "in_flight"],
			[{ jobId: "job_1" }, "done"],
		] as const;
		for (const [changes, state] of cases) {
			const { store, hold, release } = await openFunded({ idempotencyId: "key" });
			const row = { ...attempt, holdId: hold.id, createdAt: 0, expiresAt: 1, ...changes };
			await store.transaction((tx) => tx.put("idempotency", row as IdempotencyRow));
			await release();
			const found = await store.read((reader) => reader.get("idempotency", "key"));
			t.equal(found?.state, state);
		}
		const { store, release } = await openFunded({ idempotencyId: "missing" });
		await release();
		t.same(await store.read((reader) => reader.list("idempotency")), []);
	},
);

t.test("the retry key of a captured call answers with its receipt", async (t) => {
	const { store } = await openBooks();
	const row = { id: "key", fingerprint: "f", holdId: "hold_1", createdAt: 0, expiresAt: 1 };
	await store.transaction(async (tx) => {
		await tx.put("idempotency", { ...row, state: "in_flight", receiptId: undefined });
		for (const id of ["key", "unknown", undefined]) await finishAttempt(tx, id, "rcpt_1");
	});
	const rows = await store.read((reader) => reader.list("idempotency"));
	t.match(rows, [{ id: "key", state: "done", receiptId: "rcpt_1" }]);
	t.equal(rows.length, 1);
});

t.test("balance moves from one token to another, once for a key", async (t) => {
	const { store, ledger, issue, balance } = await openBooks();
	await issue("tok_a", 10n);
	const terms = { from: "tok_a", to: "tok_b", amountMicros: 4n, key: "once", memo: "why" };
	const id = await store.transaction((tx) => ledger.transfer(tx, terms));
	await t.rejects(store.transaction((tx) => ledger.transfer(tx, terms)));
	t.same([await balance("cust:tok_a"), await balance("cust:tok_b")], [6n, 4n]);
	t.match((await postingsOf(store)).at(-1), {
		...{ id, kind: "transfer", ref: "tok_b", key: "once", memo: "why" },
	});
});

t.test("owners share in what a customer pays as it was agreed, and in no free call", async (t) => {
	const asked: (readonly string[])[] = [];
	let owners = [
		{ owner: "ada", basisPoints: 6_000 },
		{ owner: "operator", basisPoints: 4_000 },
	];
	const ownersOf = (graphIds: readonly string[]) => {
		asked.push(graphIds);
		return graphIds.length > 0 ? owners : undefined;
	};
	const { store, ledger, issue, balance } = await openBooks({ ownersOf });
	await issue("tok_a", 2_000_000n);
	const authorize = (changes: Partial<HoldTerms>) =>
		store.transaction((tx) => ledger.authorize(tx, { ...TERMS, ...changes }));
	const shared = await authorize({ graphIds: ["g"] });
	t.same(shared.owners, owners);
	const agreed = owners;
	owners = [{ owner: "bob", basisPoints: 10_000 }];
	await store.transaction((tx) => ledger.capture(tx, shared, 100_000n));
	t.same([await balance("owed:ada"), await balance("shares")], [60_000n, -60_000n]);
	t.equal(await balance("owed:bob"), 0n);
	t.match(toReceipt(shared, CAPTURED, FACTS), { owners: agreed });
	for (const changes of [{}, { from: "promo:free_tier", graphIds: ["g"] }]) {
		const alone = await authorize(changes);
		t.notOk(Object.hasOwn(alone, "owners"));
		await store.transaction((tx) => ledger.capture(tx, alone, PRICE));
	}
	t.same(asked, [["g"], []]);
	t.equal(await balance("shares"), -60_000n);
});

const HOLD: HoldRow = {
	...{ id: "hold_1", held: "held:tok_a", createdAt: 1, expiresAt: 2 },
	...{ ...TERMS, rail: "spt" },
};
const CAPTURED = { transactionId: "txn_1", paidMicros: 5n, balanceAfterMicros: 7_000_000n };
const FACTS = { fingerprint: "f", at: 3 };

t.test("a receipt says what its hold and its capture say, and nothing that is not", async (t) => {
	const receipt = toReceipt(HOLD, CAPTURED, FACTS);
	t.strictSame(receipt, {
		...{ id: "rcpt_1", holdId: "hold_1", transactionId: "txn_1", owner: "tok_a", rail: "spt" },
		...{ operationId: "graphs.search", billingType: "per_call", amountMicros: 5n },
		...{ balanceAfterMicros: 7_000_000n, fingerprint: "f", at: 3 },
	});
	const more = { keyId: "key_1", idempotencyId: "k", owners: [] };
	const full = toReceipt({ ...HOLD, ...more } as HoldRow, CAPTURED, {
		...{ ...FACTS, graphIds: ["g"], paidUnits: 2 as never },
	});
	t.strictSame(full, { ...receipt, ...more, graphIds: ["g"], paidUnits: 2 as never });
	t.strictSame(toReceipt(HOLD, CAPTURED, { ...FACTS, graphIds: [] }), receipt);
});

t.test("the cost of a call is what its receipt says; without one it is nothing", async (t) => {
	const receipt = toReceipt(HOLD, { ...CAPTURED, paidMicros: 500_000n }, FACTS);
	const cost = {
		...{ amount_usd: "0.50", billing_type: "per_call", rail: "spt", balance_after_usd: "7.00" },
		...{ receipt_id: "rcpt_1", charged: true },
	};
	t.strictSame(costOf(receipt), cost);
	t.strictSame(costOf(receipt, { replayed: false }), cost);
	t.strictSame(costOf(receipt, { replayed: true }), { ...cost, replayed: true });
	t.match(costOf(toReceipt(HOLD, { ...CAPTURED, paidMicros: 0n }, FACTS)), { charged: false });
	const none = { ...cost, amount_usd: "0.00", receipt_id: null, charged: false };
	const payer = { billingType: "per_call", rail: "spt" };
	t.strictSame(noCost({ ...payer, balanceMicros: 7_000_000n }), none);
	t.strictSame(noCost({ ...payer, balanceMicros: undefined }), {
		...none,
		balance_after_usd: null,
	});
});
