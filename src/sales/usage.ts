import { createHmac } from "node:crypto";
import type { QueryLog } from "../../store/store.js";
import type { Call, Skill } from "../contract/contract.js";
import type { Clock } from "../kernel/kernel.js";

export interface Used {
	readonly call: Call;
	readonly skill: Skill;
	readonly input: unknown;
	readonly owner: string;
	/** True for accounts that agreed on zero retention: a hash takes the place of the query. */
	readonly keepsNoText?: boolean | undefined;
	readonly output: unknown;
	readonly receiptId: string | null;
}

/** Records what was asked, never what was answered. Spec: What the service does, 6. */
export type RecordUsage = (used: Used) => void;

export function createUsageRecorder({
	queryLog,
	clock,
	pepper,
}: {
	queryLog: QueryLog;
	clock: Clock;
	/** Key of those hashes, so that short queries cannot be guessed from theirs; without it nothing is kept. */
	pepper?: Uint8Array;
}): RecordUsage {
	return ({ call, skill, input, owner, keepsNoText = false, output, receiptId }) => {
		const decision = decisionOf(output);
		const query = skill.queryOf(input);
		queryLog.append({
			at: clock.now(),
			requestId: call.requestId,
			owner,
			operationId: skill.operationId,
			transport: call.transport,
			query: keepsNoText ? undefined : query,
			...(keepsNoText && pepper && query !== undefined && { queryHash: hashOf(query, pepper) }),
			decision,
			receiptId: receiptId ?? undefined,
		});
	};
}

function hashOf(query: string, pepper: Uint8Array): string {
	return createHmac("sha256", pepper).update(`query\u0000${query}`).digest("base64url");
}

function decisionOf(output: unknown): string | undefined {
	const meta = (output as { meta?: { decision?: unknown } } | undefined)?.meta;
	return typeof meta?.decision === "string" ? meta.decision : undefined;
}
