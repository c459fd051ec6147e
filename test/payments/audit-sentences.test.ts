import t from "tap";
import { createInvariantGuard } from "../../payments/audit/invariants.js";
import { checkRefund } from "../../payments/audit/invariants-history.js";
import { createOwnersOf, isShareAccount, owedOf, ownerOf } from "../../payments/owner-shares.js";
import { isPayment } from "../../payments/payment-method.js";
import { LIMITS } from "../../src/contract/limits.js";
import { posting, receiptRow, START_MS } from "../store/open-test-store.js";
import { type Books, openBooks } from "./open-books.js";

const HOLD = {
	...{ from: "cust:tok_a", held: "held:tok_a", amountMicros: 300_000n, owner: "tok_a" },
	...{ rail: "spt", operationId: "graphs.search", billingType: "per_call", createdAt: 0 },
	expiresAt: Number.MAX_SAFE_INTEGER,
};

async function failuresAfter(spoil: (books: Books) => Promise<unknown>) {
	const books = await openBooks();
	await books.issue("tok_a", 1_000_000n);
	await spoil(books);
	const guard = createInvariantGuard(books);
	return (await guard.check({ full: true })).failures;
}

t.test("each breach is one sentence with its amounts", async (t) => {
	const put = (row: object) => (books: Books) =>
		books.store.transaction((tx) => tx.put("holds", { ...HOLD, id: "hold_x", ...row }));
	const post =
		(entries: Record<string, bigint>, changes: object = {}) =>
		(books: Books) =>
			books.store.transaction((tx) => tx.post(posting("p", entries, changes)));
	const refund = { id: "rfd_1", ref: "tok_a", owner: "tok_a", reason: "r", createdAt: 0 };
	const cases: [string, (books: Books) => Promise<unknown>, readonly string[]][] = [
		["a hold without money", put({}), ["I4: held:tok_a holds 0.00 USD, its open holds 0.30 USD."]],
		[
			"money without a hold",
			post({ "cust:tok_a": -5n, "held:tok_a": 5n }),
			["I4: held:tok_a holds 0.000005 USD, its open holds 0.00 USD."],
		],
		[
			"money that no refund explains",
			post({ "cust:tok_a": -5n, refunds: 5n }),
			["I9: refunds holds 0.000005 USD, the refunds to be paid are 0.00 USD."],
		],
		[
			"a refund that waits without money",
			({ store }) =>
				store.transaction((tx) =>
					tx.put("refunds", { ...refund, amountMicros: 7n, state: "pending" }),
				),
			[
				"I9: refunds holds 0.00 USD, the refunds to be paid are 0.000007 USD.",
				"I9: the refund rfd_1 was never posted.",
			],
		],
		[
			"a share by hand",
			post({ "cust:tok_a": -5n, "owed:ann": 5n }),
			[
				"I11: owners' shares do not add up: 0.000005 USD are owed beyond them, 0.00 USD were set aside for payouts.",
				"I11: txn_p changes what owners are owed, and is no capture or refund.",
			],
		],
		[
			"a capture without a receipt",
			post({ "cust:tok_a": -5n, "rev:per_call": 5n }, { kind: "capture" }),
			["I6: the capture txn_p does not have exactly one receipt."],
		],
		[
			"a receipt of nothing",
			({ store }) => store.transaction((tx) => tx.put("receipts", receiptRow("rcpt_x"))),
			["I6: the receipt rcpt_x stands for no capture of its amount."],
		],
	];
	for (const [title, spoil, sentences] of cases)
		t.same(await failuresAfter(spoil), sentences, title);
});

t.test("a hold is late after two sweeps, and one without a key needs none", async (t) => {
	const books = await openBooks();
	await books.issue("tok_a", 1_000_000n);
	const terms = { ...HOLD, billingType: "per_call", idempotencyId: undefined } as const;
	const hold = await books.store.transaction((tx) => books.ledger.authorize(tx, terms));
	const keyed = { ...terms, idempotencyId: "k" };
	await books.store.transaction((tx) =>
		books.ledger.authorize(tx, { ...keyed, paymentId: "pay_1" }),
	);
	const guard = createInvariantGuard(books);
	books.clock.set(hold.expiresAt + 2 * LIMITS.sweepIntervalMs);
	t.same(await guard.check({ history: false }), {
		...{ status: "ok", failures: [], journal: undefined },
		checkedAt: new Date(books.clock.now()).toISOString(),
	});
	books.clock.set(hold.expiresAt + 2 * LIMITS.sweepIntervalMs + 1);
	const { failures } = await guard.check();
	t.match(failures, [/^I5: hold_/, /^I5: hold_/]);
	t.equal(failures.filter((one) => one.includes(hold.id)).length, 1);
	t.ok(failures.includes(`I5: ${hold.id} is still open, long after its expiry.`));
	t.equal(guard.latest().status, "breached");
	t.equal((await guard.check()).failures.length, 2, "the same breach is reported once");
});

t.test("a guard that has not looked yet sells, and says since when", async (t) => {
	const books = await openBooks();
	const guard = createInvariantGuard(books);
	t.equal(guard.isSelling(), true);
	t.same(guard.latest(), {
		...{ status: "ok", checkedAt: "2026-03-01T12:00:00.000Z", failures: [] },
		journal: undefined,
	});
	await books.issue("tok_a", 1n);
	const report = await guard.check({ full: true });
	t.equal(report.journal?.transactions, 1);
	t.equal(guard.latest(), report);
});

t.test("a key in flight belongs to its own open hold", async (t) => {
	for (const [changes, isSound] of [
		[{}, true],
		[{ holdId: "hold_other" }, false],
		[{ state: "done" }, false],
	] as const) {
		const books = await openBooks();
		const { store, ledger, issue } = books;
		await issue("tok_a", 1_000_000n);
		const terms = { ...HOLD, billingType: "per_call", idempotencyId: "k" } as const;
		const hold = await store.transaction(async (tx) => {
			const held = await ledger.authorize(tx, terms);
			const row = { id: "k", fingerprint: "f", state: "in_flight", holdId: held.id } as const;
			const times = { receiptId: undefined, createdAt: START_MS, expiresAt: START_MS + 1 };
			await tx.put("idempotency", { ...row, ...times, ...changes });
			return held;
		});
		const { failures } = await createInvariantGuard(books).check();
		const sentence = `I10: ${hold.id} is open, its idempotency row is not in flight under it.`;
		t.same(failures, isSound ? [] : [sentence]);
	}
});

t.test("a refund of all that was charged is sound, and of more is not", async (t) => {
	const check = (refundedMicros: bigint, chargedMicros?: bigint) =>
		checkRefund({ receiptId: "rcpt_1", refundedMicros, chargedMicros });
	t.same(check(5n, 5n), []);
	t.same(check(6n, 5n), ["I9: rcpt_1 charged 0.000005 USD and was refunded 0.000006 USD."]);
	t.same(check(1n), ["I9: the receipt rcpt_1 is refunded but unknown."]);
});

t.test(
	"accounts of shares are distinguished from money, and owners from the operator",
	async (t) => {
		t.same(["shares", "owed:ann", "rev:per_call", "cust:owed:x", ""].map(isShareAccount), [
			true,
			true,
			false,
			false,
			false,
		]);
		t.same(
			[ownerOf("owed:ann"), ownerOf("cust:ann"), ownerOf("shares")],
			["ann", undefined, undefined],
		);
		const owners = [
			{ owner: "ann", basisPoints: 5_000 },
			{ owner: "operator", basisPoints: 5_000 },
		];
		t.same([...owedOf(10n, owners)], [["ann", 5n]]);
		t.same([...owedOf(10n, undefined)], []);
		const find = (id: string) => ({ prices: {}, owners: id === "g" ? owners : [] });
		const ownersOf = createOwnersOf({ find });
		t.same([ownersOf(["g"]), ownersOf(["g", "g"])], [owners, owners]);
		for (const graphIds of [[], ["h"], ["g", "h"]]) t.equal(ownersOf(graphIds), undefined);
		t.equal(createOwnersOf(undefined)(["g"]), undefined);
		t.equal(createOwnersOf({ find: () => undefined })(["g"]), undefined);
	},
);

t.test("a payment is of one call, a credential opens a balance", async (t) => {
	const schemes = ["x402", "mpp", "spt", "api_key", "oidc", "connection", "oauth"];
	t.same(
		schemes.filter((scheme) => isPayment({ scheme } as never)),
		["x402", "mpp"],
	);
});
