import {
	beginAttempt,
	idempotencyIdOf,
	judgeAttempt,
	type Quote,
} from "../../payments/payments.js";
import type { Store } from "../../store/store.js";
import type { Clock } from "../kernel/kernel.js";
import { type JobOrder, toJobRow, UNPAID_OWNER } from "./job-rows.js";

/** What a job without a price is written down with. */
export interface UnpaidTerms {
	readonly quote: Quote;
	readonly fingerprint: string;
	readonly idempotencyKey: string | undefined;
}

/** A job that costs nothing: opened for this call, or by an earlier one with the same retry key. */
export interface UnpaidJob {
	readonly jobId: string;
	readonly isNew: boolean;
}

interface UnpaidOrder extends UnpaidTerms {
	readonly id: string;
	readonly order: JobOrder;
	/** Takes the job's place in the queue, or throws. */
	readonly reserve: () => void;
}

/** Judges the retry key and writes the row in one transaction. Throws IDEMPOTENCY_MISMATCH. */
export function openUnpaidJob(
	{ store, clock }: { readonly store: Pick<Store, "transaction">; readonly clock: Clock },
	{ id, order, reserve, quote, fingerprint, idempotencyKey }: UnpaidOrder,
): Promise<UnpaidJob> {
	const attemptId =
		idempotencyKey && attemptIdOf(order, { key: idempotencyKey, fingerprint, quote });
	const access = order.caller?.access;
	return store.transaction(async (tx) => {
		const now = clock.now();
		const earlier =
			attemptId && (await judgeAttempt(tx, { id: attemptId, fingerprint, access, now }));
		if (earlier && earlier.kind === "job") return { jobId: earlier.jobId, isNew: false };
		reserve();
		if (attemptId) await beginAttempt(tx, { id: attemptId, fingerprint, jobId: id, access, now });
		const free = { quote, fingerprint, graphIds: [], isProven: false, now };
		await tx.put("jobs", toJobRow(id, order, free));
		return { jobId: id, isNew: true };
	});
}

/** Strangers do not meet under a key that both thought of, unless they ask the same. */
function attemptIdOf(
	{ caller }: JobOrder,
	{ key, fingerprint, quote }: { key: string; fingerprint: string; quote: Quote },
): string {
	const { operationId } = quote;
	if (caller) return idempotencyIdOf(caller.owner, operationId, key);
	return idempotencyIdOf(UNPAID_OWNER, operationId, `${fingerprint}\n${key}`);
}
