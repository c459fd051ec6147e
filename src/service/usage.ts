import type { QueryLog } from "../../store/store.js";
import type { Call } from "../core/call.js";
import type { Clock } from "../core/clock.js";
import type { Skill } from "../core/skill.js";

export interface Used {
	readonly call: Call;
	readonly skill: Skill;
	readonly input: unknown;
	readonly owner: string;
	readonly output: unknown;
	readonly receiptId: string | null;
}

/** Records what was asked, never what was answered. Spec: What the service does, 6. */
export type RecordUsage = (used: Used) => void;

export function createUsageRecorder({
	queryLog,
	clock,
}: {
	queryLog: QueryLog;
	clock: Clock;
}): RecordUsage {
	return ({ call, skill, input, owner, output, receiptId }) => {
		queryLog.append({
			at: clock.now(),
			requestId: call.requestId,
			owner,
			operationId: skill.operationId,
			transport: call.transport,
			query: skill.queryOf(input),
			decision: decisionOf(output),
			receiptId: receiptId ?? undefined,
		});
	};
}

function decisionOf(output: unknown): string | undefined {
	const meta = (output as { meta?: { decision?: unknown } } | undefined)?.meta;
	return typeof meta?.decision === "string" ? meta.decision : undefined;
}
