import type { JobRow, QueryLog } from "../../store/store.js";
import type { Call, JobJson, Skill } from "../contract/contract.js";
import { type Clock, formatUsd, type Micros, type Pepper, stableHash } from "../kernel/kernel.js";

export interface Used {
	readonly call: Call;
	readonly skill: Skill;
	readonly input: unknown;
	readonly owner: string;
	/** True for accounts that agreed on zero retention: a hash takes the place of the query. */
	readonly keepsNoText?: boolean | undefined;
	readonly output: unknown;
	readonly receiptId: string | null;
	/** What of the call had no answer; undefined where all of it had one. */
	readonly unanswered?: Unanswered | undefined;
}

export interface Unanswered {
	/** Its list price, which no one paid. */
	readonly priceMicros: Micros;
	/** How many units the call asked for, and the places of those without an answer. */
	readonly units: number;
	readonly places: readonly number[];
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
	pepper?: Pepper;
}): RecordUsage {
	return (used) => {
		const { call, skill, input, owner, keepsNoText = false, output, receiptId } = used;
		const { unanswered } = used;
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
			...(unanswered && {
				unanswered: {
					priceUsd: formatUsd(unanswered.priceMicros),
					graphIds: skill.graphsOf(input),
					...(isByLine(query, unanswered) && { places: unanswered.places }),
				},
			}),
		});
	};
}

/** Whether a call asked several questions, each a line of its text, and not one of several readers. */
function isByLine(query: string | undefined, { units }: Unanswered): boolean {
	return units > 1 && query?.split("\n").length === units;
}

/** Records that a job ended without an answer; its launch was recorded when no one knew that. */
export function createJobGapRecorder({
	queryLog,
	inputOf,
	clock,
}: {
	readonly queryLog: QueryLog;
	/** What a job was asked, as long as it is kept. */
	readonly inputOf: (jobId: string) => Promise<JobJson | undefined>;
	readonly clock: Clock;
}) {
	return async (row: JobRow): Promise<void> => {
		const { id, owner, operationId, priceMicros, chargedMicros = 0n, graphIds, state } = row;
		if (state !== "completed" || priceMicros === 0n || chargedMicros > 0n) return;
		const query = (await inputOf(id))?.["query"];
		if (typeof query !== "string") return;
		const unanswered = { priceUsd: formatUsd(priceMicros), graphIds };
		const unpaid = { decision: undefined, receiptId: undefined, unanswered };
		const job = { requestId: id, owner, operationId, transport: "job" };
		queryLog.append({ at: clock.now(), ...job, query, ...unpaid });
	};
}

function hashOf(query: string, pepper: Pepper): string {
	return stableHash(`query\u0000${query}`, pepper);
}

function decisionOf(output: unknown): string | undefined {
	const meta = (output as { meta?: { decision?: unknown } } | undefined)?.meta;
	return typeof meta?.decision === "string" ? meta.decision : undefined;
}
