import { createHash } from "node:crypto";
import t from "tap";
import {
	beginAttempt,
	fingerprintOf,
	hasOpenJob,
	idempotencyIdOf,
	judgeAttempt,
} from "../../payments/idempotency.js";
import type { AccountAccess } from "../../src/contract/call.js";
import { LIMITS } from "../../src/contract/limits.js";
import type { HoldRow, IdempotencyRow } from "../../store/rows/call-rows.js";
import { openOn, receiptRow, START_MS } from "../store/open-test-store.js";

const DONE: IdempotencyRow = {
	...{ id: "key_1", fingerprint: "f", state: "done", holdId: "hold_1", receiptId: "rcpt_1" },
	...{ createdAt: START_MS - 1_000, expiresAt: START_MS },
};
const hold = (keyId?: string) =>
	({ id: "hold_1", owner: "acc_1", ...(keyId !== undefined && { keyId }) }) as HoldRow;
const by = (changes: Partial<AccountAccess>): AccountAccess => ({
	...{ accountId: "acc_1", isManager: false, keepsNoText: false },
	...changes,
});

/** What a key means in a store that holds these rows. */
async function openKeys(rows: {
	attempt?: Partial<IdempotencyRow>;
	hold?: HoldRow;
	receiptKey?: string;
}) {
	const store = await openOn();
	await store.transaction(async (tx) => {
		if (rows.attempt) await tx.put("idempotency", { ...DONE, ...rows.attempt });
		if (rows.hold) await tx.put("holds", rows.hold);
		if (rows.receiptKey) await tx.put("receipts", receiptRow("rcpt_1", { keyId: rows.receiptKey }));
	});
	const judge = (use: { now?: number; fingerprint?: string; access?: AccountAccess } = {}) =>
		store.read((reader) =>
			judgeAttempt(reader, { id: "key_1", fingerprint: "f", now: START_MS - 1, ...use }),
		);
	return { store, judge };
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("base64url");

t.test("a request is named by its operation and its input, whatever order that has", async (t) => {
	const print = fingerprintOf("graphs.search", { query: "q", limit: 3 });
	t.equal(print, sha256('graphs.search\n{"limit":3,"query":"q"}'));
	t.equal(fingerprintOf("graphs.search", { limit: 3, query: "q" }), print);
	t.not(fingerprintOf("search.all", { query: "q", limit: 3 }), print);
});

t.test("a retry key is one of its caller and its operation", async (t) => {
	t.equal(idempotencyIdOf("acc_1", "graphs.search", "k"), sha256("acc_1\ngraphs.search\nk"));
});

t.test("a key that was never used, or whose time is over, begins anew", async (t) => {
	const unused = await openKeys({});
	t.same(await unused.judge(), { kind: "first" });
	const { judge } = await openKeys({ attempt: {} });
	t.same(await judge({ now: START_MS - 1 }), { kind: "replay", receiptId: "rcpt_1" });
	t.same(await judge({ now: START_MS }), { kind: "first" });
	t.same(await judge({ now: START_MS + 1, fingerprint: "other" }), { kind: "first" });
});

t.test("a job that still holds its price is found by its key, however late", async (t) => {
	const attempt = { jobId: "job_1", receiptId: undefined, state: "in_flight" } as const;
	const open = await openKeys({ attempt, hold: hold() });
	const ended = await openKeys({ attempt });
	const found = { kind: "job", jobId: "job_1" };
	t.same(await open.judge(), found);
	t.same(await open.judge({ now: START_MS }), found);
	t.same(await ended.judge(), found, "in its time it names the job, also once that has ended");
	t.same(await ended.judge({ now: START_MS }), { kind: "first" });
	await t.rejects(open.judge({ now: START_MS, fingerprint: "other" }), {
		code: "IDEMPOTENCY_MISMATCH",
	});
});

t.test("only a job's hold keeps a key open beyond its time", async (t) => {
	const { store, judge } = await openKeys({ attempt: { state: "in_flight" }, hold: hold() });
	const isOpen = (row: Partial<IdempotencyRow>) =>
		store.read((reader) => hasOpenJob(reader, { ...DONE, ...row }));
	t.equal(await isOpen({}), false, "a call");
	t.equal(await isOpen({ jobId: "job_1" }), true);
	t.equal(await isOpen({ jobId: "job_1", holdId: "hold_gone" }), false);
	t.same(await judge({ now: START_MS }), { kind: "first" });
});

t.test("a key of another request is refused, and the error says to use a new one", async (t) => {
	const { judge } = await openKeys({ attempt: {} });
	await t.rejects(judge({ fingerprint: "other" }), {
		code: "IDEMPOTENCY_MISMATCH",
		message: "This idempotency key was used for another request; use a new key for a new request.",
	});
});

t.test("a call in progress is waited for, and one that a crash ended is not", async (t) => {
	for (const attempt of [
		{ state: "in_flight", receiptId: undefined },
		{ state: "in_flight", receiptId: "rcpt_1" },
		{ state: "done", receiptId: undefined },
	] as const) {
		const running = await openKeys({ attempt, hold: hold() });
		await t.rejects(running.judge(), {
			code: "IDEMPOTENCY_IN_FLIGHT",
			message:
				"A request with this idempotency key is still being answered; send it again in a moment.",
			retryAfterSeconds: LIMITS.retryAfterSeconds,
		});
		const crashed = await openKeys({ attempt });
		t.same(await crashed.judge(), { kind: "first" });
	}
});

const KEY_A = by({ keyId: "key_a" });
const KEY_B = by({ keyId: "key_b" });
const MANAGER = by({ keyId: "key_m", isManager: true });
const REPLAY = { kind: "replay", receiptId: "rcpt_1" };
const OTHERS = {
	code: "IDEMPOTENCY_MISMATCH",
	message:
		"This idempotency key was used with another credential of the account; use a new idempotency key.",
};

t.test("a key answers those who may see what its grant did, and no others", async (t) => {
	const { judge } = await openKeys({ attempt: { grantId: "key_a" }, receiptKey: "key_b" });
	for (const access of [KEY_A, MANAGER, undefined])
		t.same(await judge(access && { access }), REPLAY);
	await t.rejects(judge({ access: KEY_B }), OTHERS);
	await t.rejects(judge({ access: KEY_B, fingerprint: "other" }), OTHERS, "before all else");
});

t.test("where no grant was noted, the key that paid stands for it", async (t) => {
	const paid = await openKeys({ attempt: {}, receiptKey: "key_a", hold: hold("key_b") });
	t.same(await paid.judge({ access: KEY_A }), REPLAY);
	await t.rejects(paid.judge({ access: KEY_B }), OTHERS);
	const attempt = { state: "in_flight", receiptId: undefined } as const;
	const held = await openKeys({ attempt, receiptKey: "key_b", hold: hold("key_a") });
	await t.rejects(held.judge({ access: KEY_A }), { code: "IDEMPOTENCY_IN_FLIGHT" });
	await t.rejects(held.judge({ access: KEY_B }), OTHERS);
	const unknown = await openKeys({ attempt: {}, hold: hold("key_b") });
	t.same(await unknown.judge({ access: KEY_A }), REPLAY, "with no key at all it is the caller's");
});

t.test("an attempt is noted with its hold, its job and its grant, for a day", async (t) => {
	const store = await openOn();
	const begun = (input: Partial<Parameters<typeof beginAttempt>[1]>) =>
		store.transaction(async (tx) => {
			await beginAttempt(tx, { id: "key_1", fingerprint: "f", now: START_MS, ...input });
			return tx.get("idempotency", "key_1");
		});
	const row = {
		...{ id: "key_1", fingerprint: "f", state: "in_flight", holdId: "hold_1" },
		...{ receiptId: undefined, grantId: undefined, createdAt: START_MS },
		expiresAt: START_MS + LIMITS.idempotencyTtlMs,
	};
	t.strictSame(await begun({ holdId: "hold_1" }), row);
	t.strictSame(await begun({ holdId: "hold_1", jobId: "job_1", access: KEY_A }), {
		...{ ...row, jobId: "job_1", grantId: "key_a" },
	});
	t.strictSame(await begun({}), { ...row, state: "done", holdId: "" }, "nothing is held for it");
});
