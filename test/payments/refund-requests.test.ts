import t from "tap";
import { idempotencyIdOf } from "../../payments/idempotency.js";
import { createRefundRequests, readRefundReason } from "../../payments/refunds/refund-requests.js";
import { isUndelivered, noteRepeated, noteUndelivered } from "../../payments/undelivered.js";
import type { Caller } from "../../src/contract/call.js";
import { LIMITS } from "../../src/contract/limits.js";
import { START_MS } from "../store/open-test-store.js";
import { type Books, openBooks, WALLET } from "./open-books.js";

const DAY_MS = 86_400_000;
const PRICE = 500_000n;
const PAYER: Caller = { owner: "tok_a", rail: "spt" };

async function openService() {
	const books = await openBooks();
	await books.issue("tok_a", 100_000_000n);
	const requests = createRefundRequests(books);
	const ask = (receiptId: string, asker: Caller = PAYER, idempotencyKey?: string) =>
		requests.ask(asker, { receiptId, reason: "why", idempotencyKey });
	const sell = () => books.sell({ owner: "tok_a", amountMicros: PRICE });
	return { ...books, requests, ask, sell };
}

const lose = ({ store, clock }: Books, receiptId: string) => {
	noteUndelivered({ store, clock }, async () => ({ receiptId, owner: "tok_a" }));
	return store.transaction(async () => undefined);
};

t.test("a request waits with its reason until it is decided, once", async (t) => {
	const { requests, ask, sell, clock, balance } = await openService();
	const { id: receiptId } = await sell();
	const { id, request, ...rest } = await ask(receiptId);
	t.match(id, /^rfd_/);
	t.strictSame(request, {
		...{ id, receiptId, owner: "tok_a", hasReason: true, state: "open", createdAt: START_MS },
		expiresAt: START_MS + LIMITS.refundRequestDays * DAY_MS,
	});
	t.same(rest, {});
	t.same(await requests.listOpen(), [{ ...request, reason: "why" }]);
	clock.set(START_MS + 5);
	t.same(await ask(receiptId), { id, request, refund: undefined }, "asked again, the same");
	t.same(await requests.get(PAYER, id), { id, request, refund: undefined });
	const granted = await requests.decide(id, { isGranted: true });
	const decided = { ...request, state: "granted", decidedAt: START_MS + 5 };
	t.same(granted.request, decided);
	t.match(granted.refund, {
		...{ id, ref: receiptId, state: "paid", amountMicros: PRICE },
		reason: "The payer asked for it, and the operator agreed.",
	});
	t.equal(await balance("cust:tok_a"), 100_000_000n);
	t.same(await requests.get(PAYER, id), granted);
	t.same(await ask(receiptId), { id, request: decided, refund: granted.refund });
	t.same(await requests.listOpen(), []);
	await t.rejects(requests.decide(id, { isGranted: false }), {
		code: "INVALID_ARGUMENT",
		message: `${id} is granted; only open requests are decided.`,
	});
});

t.test("a declined request moves nothing, and is asked for no more", async (t) => {
	const { requests, ask, sell, clock, store } = await openService();
	const { id: receiptId } = await sell();
	const { id, request } = await ask(receiptId);
	clock.set(START_MS + 9);
	const declined = { ...request, state: "declined", decidedAt: START_MS + 9 };
	t.same(await requests.decide(id, { isGranted: false }), { id, request: declined });
	t.same(await store.read((reader) => reader.get("refund_requests", id)), declined);
	t.match(await ask(receiptId), { id, request: { state: "declined" } });
	t.same(await store.read((reader) => reader.list("refunds")), []);
	const name = `rfd_${"x".repeat(60)}`;
	await t.rejects(requests.decide(name, { isGranted: true }), {
		code: "NOT_FOUND",
		message: `No request for a refund is called "${name.slice(0, 40)}".`,
	});
	const orphan = { ...request, id: "rfd_o", receiptId: "rcpt_gone" } as never;
	await store.transaction((tx) => tx.put("refund_requests", orphan));
	await t.rejects(requests.decide("rfd_o", { isGranted: true }), {
		message: 'No receipt is called "rcpt_gone".',
	});
});

t.test("who may not ask learns nothing, and too late is too late", async (t) => {
	const { requests, ask, sell, clock, refunds } = await openService();
	const receipt = await sell();
	const name = `rcpt_${"x".repeat(60)}`;
	const unknown = (id: string) => ({
		code: "NOT_FOUND",
		message: `No receipt "${id.slice(0, 40)}" is yours; show the token or key that paid for the call, or send the "idempotency_key" with which a wallet paid for it. A wallet that paid without one writes to the operator.`,
	});
	await t.rejects(ask(name), unknown(name));
	const stranger: Caller = { owner: "tok_b", rail: "spt" };
	await t.rejects(ask(receipt.id, stranger), unknown(receipt.id));
	const edge = START_MS + LIMITS.refundAskDays * DAY_MS;
	clock.set(edge + 1);
	await t.rejects(ask(receipt.id), {
		code: "INVALID_ARGUMENT",
		message: `${receipt.id} is older than 30 days; write to the operator.`,
	});
	clock.set(edge);
	const { id } = await ask(receipt.id);
	const unread = { code: "NOT_FOUND", message: `No refund "${id}" is yours to read.` };
	await t.rejects(requests.get(stranger, id), unread);
	await t.rejects(requests.get(PAYER, name), {
		message: `No refund "${name.slice(0, 40)}" is yours to read.`,
	});
	const refunded = await sell();
	const whole = await refunds.refundReceipt({ receiptId: refunded.id, reason: "r" });
	await t.rejects(ask(refunded.id), { message: `${refunded.id} has been refunded in full.` });
	t.same(await requests.get(PAYER, whole.id), { id: whole.id, request: undefined, refund: whole });
	await t.rejects(requests.get(stranger, whole.id), { code: "NOT_FOUND" });
});

t.test("an answer that reached no one is refunded without a decision", async (t) => {
	const service = await openService();
	const { ask, sell, balance, requests, store } = service;
	const { id: receiptId } = await sell();
	await lose(service, receiptId);
	t.same(await store.read((reader) => reader.list("undelivered")), [
		{
			...{ id: receiptId, owner: "tok_a" },
			expiresAt: START_MS + LIMITS.refundAskDays * DAY_MS,
		},
	]);
	const { id, request, refund } = await ask(receiptId);
	t.match(request, { state: "granted", hasReason: false, decidedAt: START_MS });
	t.match(refund, { id, state: "paid", reason: "The answer was not handed over." });
	t.equal(await balance("cust:tok_a"), 100_000_000n);
	t.same(await requests.listOpen(), []);
	t.equal(await store.documents.get(id), undefined, "no one has to read why");
});

t.test("an answer that was asked for again is never taken for undelivered", async (t) => {
	const service = await openService();
	const { ask, sell, store, clock } = service;
	const { id: receiptId } = await sell();
	const loss = { receiptId, owner: "tok_a" };
	await store.transaction((tx) => noteRepeated(tx, { ...loss, now: START_MS }));
	await lose(service, receiptId);
	t.equal(await store.transaction((tx) => isUndelivered(tx, receiptId)), false);
	t.equal(await store.transaction((tx) => isUndelivered(tx, "rcpt_other")), false);
	t.match(await ask(receiptId), { request: { state: "open" } });
	noteUndelivered({ store, clock }, async () => undefined);
	noteUndelivered({ store, clock }, async () => {
		throw new Error("The disk is gone.");
	});
	await store.transaction(async () => undefined);
	t.equal((await store.read((reader) => reader.list("undelivered"))).length, 1);
});

t.test("a payer waits for so many decisions, and not for what is decided", async (t) => {
	const { ask, sell, requests } = await openService();
	const first = await ask((await sell()).id);
	for (let at = 1; at < LIMITS.refundRequestsOpen; at++) await ask((await sell()).id);
	const { id } = await sell();
	await t.rejects(ask(id), {
		code: "RATE_LIMITED",
		message: "20 of your requests wait for the operator's decision already.",
	});
	await requests.decide(first.id, { isGranted: false });
	t.match(await ask(id), { request: { state: "open" } });
});

t.test("a wallet asks by the retry key of its call, whatever transport sent it", async (t) => {
	const { ask, sell, store } = await openService();
	const sold = await sell();
	for (const prefix of ["", "mcp:", "a2a:", undefined]) {
		const id = `rcpt_${prefix ?? "none"}`;
		const key = idempotencyIdOf(WALLET, sold.operationId, `${prefix}key`);
		const own = prefix === undefined ? {} : { idempotencyId: key };
		await store.transaction((tx) => tx.put("receipts", { ...sold, id, owner: WALLET, ...own }));
		const anyone: Caller = { owner: "unknown", rail: "none" };
		await t.rejects(ask(id, anyone), { code: "NOT_FOUND" }, "without the key");
		await t.rejects(ask(id, anyone, "other"), { code: "NOT_FOUND" });
		if (prefix === undefined) await t.rejects(ask(id, anyone, "key"), { code: "NOT_FOUND" });
		else t.match(await ask(id, anyone, "key"), { request: { owner: WALLET, state: "open" } });
	}
});

t.test("what a key paid is its own and its account's managers' to ask for", async (t) => {
	const { ask, sell, store, requests } = await openService();
	const sold = await sell();
	await store.transaction((tx) => tx.put("receipts", { ...sold, keyId: "key_1" }));
	const by = (keyId: string | undefined, isManager = false): Caller => ({
		...{ owner: "tok_a", rail: "plan" },
		access: { accountId: "tok_a", keyId, isManager, keepsNoText: false },
	});
	for (const other of [by("key_2"), by(undefined)])
		await t.rejects(ask(sold.id, other), { code: "NOT_FOUND" });
	const { id } = await ask(sold.id, by("key_1"));
	t.match(await requests.get(by("key_3", true), id), { id });
	await t.rejects(requests.get(by("key_2"), id), { code: "NOT_FOUND" });
	const keyless = await sell();
	t.match(await ask(keyless.id, by(undefined)), { request: { state: "open" } });
});

t.test("who keeps no text has no reason kept", async (t) => {
	const { ask, sell, requests, store } = await openService();
	const quiet = await ask((await sell()).id, { ...PAYER, keepsNoText: true });
	t.match(quiet, { request: { hasReason: false } });
	t.equal(await store.documents.get(quiet.id), undefined);
	t.match(await requests.listOpen(), [{ reason: "" }]);
	const filed = await ask((await sell()).id);
	const row = { id: filed.id, hasReason: true };
	t.equal(await readRefundReason(store, row), "why");
	t.equal(await readRefundReason(store, { ...row, hasReason: false }), "");
	await store.documents.delete(filed.id);
	t.equal(await readRefundReason(store, row), "");
});

t.test("a lost answer is refunded once, unless it was asked for or had again", async (t) => {
	const service = await openService();
	const { requests, sell, ask, store, refunds, balance } = service;
	const [lost, asked, repeated, part, whole] = await Promise.all(
		Array.from({ length: 5 }, () => sell()),
	);
	if (!lost || !asked || !repeated || !part || !whole) throw new Error("Five were sold.");
	await ask(asked.id);
	const loss = { receiptId: repeated.id, owner: "tok_a", now: START_MS };
	await store.transaction((tx) => noteRepeated(tx, loss));
	await refunds.refundReceipt({ receiptId: part.id, reason: "r", amountMicros: 100_000n });
	await refunds.refundReceipt({ receiptId: whole.id, reason: "r" });
	for (const { id } of [lost, lost, asked, repeated, part, whole]) {
		requests.noteUnwritten(id);
		await requests.refundLost(id);
	}
	await requests.refundLost("rcpt_nobody");
	await requests.refundWritten();
	const rows = await store.read((reader) => reader.list("refunds"));
	const given = rows.filter(({ reason }) => reason === "The answer was not handed over.");
	t.same(given.map(({ ref }) => ref).sort(), [lost.id, part.id].sort());
	t.equal(await balance("rev:per_call"), 2n * PRICE);
	const [request] = await store.read((reader) =>
		reader.findBy("refund_requests", "receiptId", lost.id),
	);
	t.match(request, { state: "granted", hasReason: false, owner: "tok_a" });
});
