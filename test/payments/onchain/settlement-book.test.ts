import { createHash } from "node:crypto";
import t from "tap";
import type { PaymentClaim } from "../../../payments/onchain/payment-claim.js";
import {
	type Along,
	bookSettlement,
	captureAtOnce,
	captureHeld,
	captureJob,
	changePayment,
	creditHeld,
	creditSettled,
	openHold,
	type SettlementPlace,
	toBooked,
	writeReceipt,
} from "../../../payments/onchain/settlement-book.js";
import type { JobHold } from "../../../payments/payment-method.js";
import { createSptIssuer } from "../../../payments/spt/spt-issuer.js";
import { LIMITS } from "../../../src/contract/limits.js";
import { siblingId, systemRandom } from "../../../src/kernel/ids.js";
import type { PaymentRow } from "../../../store/rows/payment-rows.js";
import { START_MS } from "../../store/open-test-store.js";
import { openBooks, WALLET } from "../open-books.js";

const NETWORK = "eip155:84532";
const PRICE = 500_000n;
const HASH = `0x${"aB".repeat(32)}`;
const SMALL = HASH.toLowerCase();
const PAYER = "0x1111111111111111111111111111111111111111";
const OWNERS = [
	{ owner: "alice", basisPoints: 3_000 },
	{ owner: "operator", basisPoints: 7_000 },
];
const SHARES = [
	{ account: "owed:alice", amountMicros: 150_000n },
	{ account: "shares", amountMicros: -150_000n },
];
const CUST = `cust:${WALLET}`;
const HELD = `held:${WALLET}`;
const SETTLEMENT = {
	network: NETWORK,
	transactionHash: SMALL,
	payer: PAYER,
	paymentId: "pay_1",
};

function paymentRow(changes: Partial<PaymentRow> = {}): PaymentRow {
	return {
		...{ id: "pay_1", state: "settling", rail: "x402", network: NETWORK, asset: "0xaa" },
		...{ payer: PAYER, nonce: "0x1", payTo: "0xbb", validAfter: 1, validBefore: 2 },
		...{ signature: "0x5", amountMicros: PRICE, owner: WALLET, fingerprint: "f" },
		...{ authorizationHash: "h", operationId: "graphs.search", billingType: "per_call" },
		...{ graphIds: ["a"], createdAt: 1, updatedAt: 1, expiresAt: 2 },
		...changes,
	};
}

function claimOf(parts: { key?: string; job?: object } = {}): PaymentClaim {
	const { key, job } = parts;
	const quote = { operationId: "graphs.search", amountMicros: PRICE, billingType: "research_chat" };
	return {
		...{ id: "pay_1", idempotencyId: key },
		request: { quote, graphIds: ["a"], fingerprint: "f", job },
	} as never;
}

/** Members that are undefined are as good as none. */
const plain = (row: object | undefined) =>
	row && Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined));

/** Books with one settled payment of a wallet, and what happens along with it. */
async function openSettled(place: SettlementPlace = { transactionHash: HASH, logIndex: 3 }) {
	const books = await openBooks({ ownersOf: () => OWNERS });
	const { store, ledger, clock, ids } = books;
	const keys = { random: systemRandom, pepper: new Uint8Array(32), environment: "test" as const };
	const { issueFrom: issueCredit } = createSptIssuer({ store, ledger, clock, ids, ...keys });
	const context = { ledger, clock, ids, issueCredit };
	const book = (changes: Partial<PaymentRow> = {}, at = place) =>
		store.transaction((tx) =>
			bookSettlement(tx, paymentRow(changes), { place: at, ids, now: clock.now() }),
		);
	const { row } = await book();
	await store.transaction((tx) => tx.put("payments", row));
	const along = <T>(work: Along<T>, changes: Partial<PaymentRow> = {}) =>
		store.transaction((tx) => work(tx, toBooked({ ...row, ...changes })));
	const get = (table: "holds" | "receipts" | "idempotency" | "tokens" | "payments", id: string) =>
		store.read(async (reader) => plain(await reader.get(table, id)));
	/** What was posted since, without the settlement itself. */
	const postings = async () => {
		const found = [];
		for await (const committed of store.history()) found.push(...committed.postings);
		return found.slice(1).map((posting) => plain(posting));
	};
	clock.set(START_MS + 7_000);
	return { ...books, context, book, row, along, get, postings };
}

t.test(
	"money that came is booked once to its payer, under the place of its transfer",
	async (t) => {
		const { store, row } = await openSettled();
		const found = [];
		for await (const { postings } of store.history()) found.push(...postings);
		t.match(row.settlementId, /^txn_/);
		t.strictSame(found.map(plain), [
			{
				id: row.settlementId,
				key: `settle:${NETWORK}:${SMALL}:3`,
				kind: "settle",
				at: START_MS,
				entries: [
					{ account: `cash:x402:${NETWORK}`, amountMicros: -PRICE },
					{ account: CUST, amountMicros: PRICE },
				],
				ref: "pay_1",
			},
		]);
		t.strictSame(row, {
			...paymentRow(),
			transactionHash: SMALL,
			settlementId: row.settlementId,
			expiresAt: START_MS + LIMITS.paymentTtlMs,
		});
		t.same(await store.read((reader) => reader.list("settlements")), [], "its key says enough");
	},
);

t.test("a payment that is bound for longer stays so when its money comes", async (t) => {
	const { book } = await openSettled();
	const expiresAt = START_MS + 2 * LIMITS.paymentTtlMs;
	const { row } = await book({ expiresAt }, { transactionHash: HASH, logIndex: 4 });
	t.equal(row.expiresAt, expiresAt);
});

t.test("a transaction that no chain showed is accepted once and for ever", async (t) => {
	const { store, book, clock, balance } = await openSettled({ transactionHash: HASH });
	const sha256 = createHash("sha256").update(`${NETWORK}|${SMALL}`).digest();
	const id = sha256.subarray(0, 16).toString("base64url");
	t.same(await store.read((reader) => reader.list("settlements")), [{ id }]);
	clock.set(START_MS + 400 * 86_400_000);
	for (const transactionHash of [HASH, SMALL, `0x${"AB".repeat(32)}`]) {
		await t.rejects(book({ id: "pay_2" }, { transactionHash }), {
			name: "LedgerRefusal",
			reason: "duplicate_key",
			message: `${transactionHash} has settled a payment before.`,
		});
	}
	t.equal(await balance(CUST), PRICE);
	await book({ network: "eip155:1" }, { transactionHash: HASH });
	t.equal(await balance("cash:x402:eip155:1"), -PRICE, "another network has its own transactions");
});

t.test("a payment is changed in the named states only, and never made by a change", async (t) => {
	const { store, get, clock } = await openSettled();
	const now = clock.now();
	const change = (from: PaymentRow["state"][], id = "pay_1") =>
		store.transaction((tx) => changePayment(tx, { id, from, now }, { reason: "why" }));
	const before = await get("payments", "pay_1");
	t.equal(await change(["reserved", "refused"]), undefined);
	t.equal(await change(["settling"], "pay_other"), undefined);
	t.equal(await get("payments", "pay_other"), undefined);
	t.same(await get("payments", "pay_1"), before);
	const changed = await change(["reserved", "settling"]);
	t.same(plain(changed), { ...before, reason: "why", updatedAt: now });
	t.same(await get("payments", "pay_1"), plain(changed));
});

t.test(
	"what settled is shown with its transaction, and with none where none is known",
	async (t) => {
		const booked = toBooked(paymentRow({ transactionHash: SMALL, settlementId: "txn_1" }));
		t.strictSame(booked.settlementId, "txn_1");
		t.strictSame(booked.settlement, {
			...{ network: NETWORK, transaction: SMALL, payer: PAYER, payment_id: "pay_1" },
		});
		const unsettled = toBooked(paymentRow());
		t.equal(unsettled.settlementId, "");
		t.equal(unsettled.settlement.transaction, "");
	},
);

t.test("a receipt says all of its payment, and its retry key answers with it", async (t) => {
	const { store, row, get } = await openSettled();
	const request = { fingerprint: "what was asked", graphIds: ["a", "b"] };
	const facts = { holdId: "hold_1", transactionId: "txn_7", now: 5_000 };
	const write = (
		id: string,
		idempotencyId: string | undefined,
		more: { jobId?: string; amountMicros?: bigint; owners?: typeof OWNERS } = {},
	) => {
		const { jobId, ...rest } = more;
		const booked = toBooked({ ...row, jobId });
		return store.transaction((tx) =>
			writeReceipt(tx, { request, idempotencyId }, { booked, id, ...facts, ...rest }),
		);
	};
	const expected = {
		...{ id: "rcpt_1", holdId: "hold_1", transactionId: "txn_7", owner: WALLET, rail: "x402" },
		...{ operationId: "graphs.search", billingType: "per_call", amountMicros: PRICE },
		...{ balanceAfterMicros: 0n, fingerprint: "what was asked", at: 5_000, graphIds: ["a", "b"] },
		settlement: SETTLEMENT,
	};
	t.strictSame(await write("rcpt_1", undefined), expected, "no retry key, no owners");
	t.strictSame(await get("receipts", "rcpt_1"), expected);
	t.same(await store.read((reader) => reader.list("idempotency")), []);

	const part = await write("rcpt_2", "key_1", { amountMicros: 7n, owners: OWNERS });
	t.strictSame(part, {
		...{ ...expected, id: "rcpt_2", amountMicros: 7n },
		...{ idempotencyId: "key_1", owners: OWNERS },
	});
	const attempt = {
		...{ id: "key_1", fingerprint: "what was asked", state: "done", holdId: "hold_1" },
		...{ receiptId: "rcpt_2", createdAt: 5_000, expiresAt: 5_000 + LIMITS.idempotencyTtlMs },
	};
	const stored = await store.read((reader) => reader.get("idempotency", "key_1"));
	t.strictSame(stored, attempt);
	await write("rcpt_3", "key_2", { jobId: "job_1" });
	const ofJob = { ...attempt, id: "key_2", receiptId: "rcpt_3", jobId: "job_1" };
	t.strictSame(await get("idempotency", "key_2"), ofJob);
});

t.test(
	"settled money is held for one call, and its key is bound by the receipt alone",
	async (t) => {
		const { context, along, get, postings, store, clock } = await openSettled();
		const claim = claimOf({ key: "key_1" });
		const { value, change } = await along(openHold(context, claim, { isProven: true }));
		t.strictSame(change, { holdId: value.id });
		const { id } = value;
		t.match(id, /^hold_/);
		t.strictSame(await get("holds", id), {
			...{ id, from: CUST, held: HELD, owner: WALLET, rail: "x402", amountMicros: PRICE },
			...{ operationId: "graphs.search", billingType: "research_chat", graphIds: ["a"] },
			...{ paymentId: "pay_1", owners: OWNERS, createdAt: clock.now() },
			expiresAt: clock.now() + LIMITS.holdTtlMs,
			processId: store.processes.ownId(),
		});
		t.match(await postings(), [{ kind: "authorise", ref: id }]);
		t.same(await store.read((reader) => reader.list("idempotency")), []);
	},
);

for (const isProven of [true, false]) {
	t.test(`a job is opened with what it may spend, ${isProven ? "" : "not "}proven`, async (t) => {
		const { context, along, get, store, clock } = await openSettled();
		const opened: JobHold[] = [];
		const open = async (_tx: unknown, held: JobHold) => void opened.push(held);
		for (const key of ["key_1", undefined]) {
			const claim = claimOf({ ...(key && { key }), job: { id: "job_1", open } });
			const { value, change } = await along(openHold(context, claim, { isProven }));
			t.strictSame(change, { holdId: value.id, jobId: "job_1" });
			const hold = await get("holds", value.id);
			t.match(hold, { jobId: "job_1", paymentId: "pay_1", amountMicros: PRICE });
			t.equal(hold?.["idempotencyId"], key);
			const { quote } = claim.request;
			const given = { hold: value, quote, fingerprint: "f", graphIds: ["a"], isProven };
			t.strictSame(opened.pop(), given);
			const attempts = await store.read((reader) => reader.list("idempotency"));
			t.equal(attempts.length, 1, "only a job that has a key can be found by it");
			if (key) {
				t.strictSame(plain(attempts[0]), {
					...{ id: key, fingerprint: "f", state: "in_flight", holdId: value.id, jobId: "job_1" },
					...{ createdAt: clock.now(), expiresAt: clock.now() + LIMITS.idempotencyTtlMs },
				});
				await store.transaction((tx) => ledgerReleases(tx, context, value));
			}
		}
	});
}

/** The first job did not run, so that its money is there for the second. */
async function ledgerReleases(
	tx: Parameters<Along<unknown>>[0],
	{ ledger }: Awaited<ReturnType<typeof openSettled>>["context"],
	hold: Parameters<typeof ledger.release>[1],
) {
	await ledger.release(tx, hold, "failed");
}

t.test("an answer takes its price straight from the money that came", async (t) => {
	const { context, along, get, postings, clock } = await openSettled();
	const { value, change } = await along(captureAtOnce(context, claimOf({ key: "key_1" })));
	t.match(value.id, /^rcpt_/);
	t.strictSame(change, { state: "captured", receiptId: value.id });
	t.match(value.transactionId, /^txn_/);
	t.strictSame(await postings(), [
		{
			...{ id: value.transactionId, kind: "capture", at: clock.now(), ref: value.id },
			entries: [
				{ account: CUST, amountMicros: -PRICE },
				{ account: "rev:per_call", amountMicros: PRICE },
				...SHARES,
			],
		},
	]);
	t.match(await get("receipts", value.id), {
		...{ holdId: "pay_1", at: clock.now(), fingerprint: "f", graphIds: ["a"] },
		...{ owners: OWNERS, idempotencyId: "key_1", amountMicros: PRICE, settlement: SETTLEMENT },
	});
	t.match(await get("idempotency", "key_1"), { state: "done", receiptId: value.id });
});

/** A payment whose money is held, as a call or a job has it. */
async function openHeld(jobId?: string) {
	const opened = await openSettled();
	const job = jobId === undefined ? undefined : { id: jobId, open: async () => undefined };
	const claim = claimOf({ key: "key_1", ...(job && { job }) });
	const { value: hold } = await opened.along(openHold(opened.context, claim, { isProven: true }));
	opened.clock.set(opened.clock.now() + 1_000);
	return { ...opened, claim, hold };
}

t.test(
	"an answer to a held call takes what is held, and has the receipt of its hold",
	async (t) => {
		const { context, along, get, balance, claim, hold, clock } = await openHeld();
		const { value, change } = await along(captureHeld(context, claim, hold));
		t.equal(value.id, siblingId(hold.id, "rcpt"));
		t.strictSame(change, { state: "captured", receiptId: value.id });
		t.match(await get("receipts", value.id), {
			...{ holdId: hold.id, transactionId: /^txn_/, at: clock.now(), owners: OWNERS },
			...{ amountMicros: PRICE, idempotencyId: "key_1", settlement: SETTLEMENT },
		});
		t.equal(await get("holds", hold.id), undefined);
		t.same([await balance(HELD), await balance(CUST)], [0n, 0n]);
		t.equal(await balance("owed:alice"), 150_000n);
	},
);

t.test("a job that used all of its price leaves no token", async (t) => {
	const { context, along, get, store, hold } = await openHeld("job_1");
	const paid = { request: { fingerprint: "f", graphIds: ["a"] }, idempotencyId: "key_1" };
	const { value, change } = await along(captureJob(context, paid, { hold, amountMicros: PRICE }));
	t.strictSame(change, { state: "captured", receiptId: siblingId(hold.id, "rcpt") });
	t.strictSame(value.credit, undefined);
	t.match(await get("receipts", value.receipt.id), { amountMicros: PRICE, owners: OWNERS });
	t.same(await store.read((reader) => reader.list("tokens")), []);
});

t.test("what a job did not use is a token of the wallet that paid for it", async (t) => {
	const { context, along, get, hold, balance, clock } = await openHeld("job_1");
	const paid = { request: { fingerprint: "f", graphIds: ["a"] }, idempotencyId: "key_1" };
	const part = captureJob(context, paid, { hold, amountMicros: 200_000n });
	const { value, change } = await along(part, { jobId: "job_1" });
	const { receipt, credit } = value;
	t.strictSame(change, { state: "captured", receiptId: receipt.id, tokenId: credit?.id });
	t.match(receipt, {
		...{ id: siblingId(hold.id, "rcpt"), holdId: hold.id, transactionId: /^txn_/ },
		...{ amountMicros: 200_000n, at: clock.now(), owners: OWNERS, fingerprint: "f" },
	});
	t.strictSame(credit?.amountMicros, 300_000n);
	t.match(credit?.token, /^\w{20,}$/);
	const token = await get("tokens", credit?.id ?? "");
	t.match(token, { owner: WALLET, origin: "credit", label: "credit for pay_1" });
	t.equal(await balance(`cust:${credit?.id}`), 300_000n);
	t.equal(await balance("rev:per_call"), 0n, "what the hold was quoted as is what was sold");
	t.equal(await balance("rev:research_chat"), 200_000n);
	t.equal(await balance("owed:alice"), 60_000n);
	t.match(await get("idempotency", "key_1"), { state: "done", jobId: "job_1" });
});

t.test("a held call without an answer becomes a token, and its row says why", async (t) => {
	const { context, along, get, hold, balance, postings } = await openHeld();
	const { value, change } = await along(creditHeld(context, { hold, reason: "no_answer" }));
	t.strictSame(change, { state: "credited", tokenId: value.id, reason: "no_answer" });
	t.strictSame(value.amountMicros, PRICE);
	t.equal(await get("holds", hold.id), undefined);
	t.match((await postings()).slice(1), [
		{ kind: "release", ref: hold.id, memo: "no_answer" },
		{
			...{ kind: "transfer", ref: value.id, memo: "credit for pay_1" },
			entries: [{ account: CUST }, { account: `cust:${value.id}`, amountMicros: PRICE }],
		},
	]);
	t.equal(await balance(`cust:${value.id}`), PRICE);
});

t.test("settled money that bought nothing becomes a token of its wallet", async (t) => {
	const { context, along, get, balance } = await openSettled();
	const { value, change } = await along(creditSettled(context.issueCredit));
	t.strictSame(change, { state: "credited", tokenId: value.id });
	t.strictSame(Object.keys(value).sort(), ["amountMicros", "id", "token"]);
	t.match(await get("tokens", value.id), {
		...{ owner: WALLET, origin: "credit", label: "credit for pay_1", status: "active" },
	});
	t.equal(await balance(`cust:${value.id}`), PRICE);
	t.equal(await balance(CUST), 0n);
});
