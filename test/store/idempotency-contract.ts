import fc from "fast-check";
import type { Test } from "tap";
import {
	beginAttempt,
	fingerprintOf,
	idempotencyIdOf,
	judgeAttempt,
} from "../../payments/idempotency.js";
import { finishAttempt } from "../../payments/ledger.js";
import { LIMITS } from "../../src/contract/limits.js";
import { ServiceError } from "../../src/kernel/errors.js";
import type { HoldRow } from "../../store/rows/call-rows.js";
import type { Store } from "../../store/store-port.js";
import { START_MS } from "./open-test-store.js";
import type { OpenStore } from "./store-under-test.js";

/** One attempt to buy, and what becomes of it when it may go on. */
interface Purchase {
	readonly owner: number;
	readonly key: number;
	readonly payload: number;
	readonly end: "answer" | "no answer" | "still running";
	readonly isReopenedAfter: boolean;
	/** Hours that pass before it. */
	readonly hours: number;
}

const two = fc.nat({ max: 1 });
const purchase: fc.Arbitrary<Purchase> = fc.record({
	owner: two,
	key: two,
	payload: fc.nat({ max: 2 }),
	end: fc.constantFrom("answer", "no answer", "still running"),
	isReopenedAfter: fc.boolean(),
	hours: fc.constantFrom(0, 0, 0, 0, 1, 30),
});

/** What was first asked under a key, and how that went. */
interface Memory {
	readonly payload: number;
	readonly end: Purchase["end"];
	readonly endsAt: number;
	readonly receiptId: string;
}

export function idempotencyContract(t: Test, open: OpenStore, share = 1): void {
	t.test(
		"conformance 4: a retry key answers for its first request alone: the same again, or a mismatch",
		async () => {
			const histories = fc.array(purchase, { maxLength: 16 });
			const property = fc.asyncProperty(histories, (history) => play(open, history));
			await fc.assert(property, { numRuns: Math.ceil(80 * share) });
		},
	);
}

async function play(open: OpenStore, history: readonly Purchase[]): Promise<void> {
	const { store: first, clock, reopen } = await open();
	let store = first;
	let now = START_MS;
	const memories = new Map<string, Memory>();
	for (const [index, one] of history.entries()) {
		now += one.hours * 3_600_000;
		clock.set(now);
		const id = idempotencyIdOf(`tok_${one.owner}`, "graphs.search", `key ${one.key}`);
		const expected = expect(memories.get(id), one, now);
		const found = await attempt(store, one, { id, now, index });
		if (found !== expected) throw new Error(`purchase ${index} was "${found}", not "${expected}"`);
		if (found === "first") {
			const endsAt = now + LIMITS.idempotencyTtlMs;
			memories.set(id, { ...one, endsAt, receiptId: `rcpt_${index}` });
		}
		if (one.isReopenedAfter) store = await reopen();
	}
}

function expect(memory: Memory | undefined, { payload }: Purchase, now: number): string {
	if (!memory || memory.endsAt <= now) return "first";
	if (memory.payload !== payload) return "IDEMPOTENCY_MISMATCH";
	if (memory.end === "answer") return `replay of ${memory.receiptId}`;
	return memory.end === "still running" ? "IDEMPOTENCY_IN_FLIGHT" : "first";
}

/** As the pipeline does it: judged and begun in one transaction, finished with the capture or left with the release. */
async function attempt(
	store: Store,
	{ owner, payload, end }: Purchase,
	{ id, now, index }: { readonly id: string; readonly now: number; readonly index: number },
): Promise<string> {
	const fingerprint = fingerprintOf("graphs.search", { query: `query ${payload}` });
	const hold = holdRow(`hold_${index}`, `tok_${owner}`, now);
	try {
		const judged = await store.transaction(async (tx) => {
			const found = await judgeAttempt(tx, { id, fingerprint, now });
			if (found.kind === "replay") return `replay of ${found.receiptId}`;
			await tx.put("holds", hold);
			await beginAttempt(tx, { id, fingerprint, holdId: hold.id, now });
			return "first";
		});
		if (judged !== "first" || end === "still running") return judged;
		await store.transaction(async (tx) => {
			await tx.delete("holds", hold.id);
			if (end === "answer") await finishAttempt(tx, id, `rcpt_${index}`);
		});
		return judged;
	} catch (error) {
		if (error instanceof ServiceError) return error.code;
		throw error;
	}
}

function holdRow(id: string, owner: string, createdAt: number): HoldRow {
	return {
		id,
		from: `cust:${owner}`,
		held: `held:${owner}`,
		amountMicros: 1n,
		owner,
		rail: "spt",
		operationId: "graphs.search",
		billingType: "per_call",
		createdAt,
		expiresAt: createdAt + LIMITS.holdTtlMs,
	};
}
