import type { ReportFormat } from "./artifacts.js";

/** Work that outlives its call: cut into passes, checkpointed between them, paid for when it ends. */

/** What a job takes, keeps between passes and hands over: plain JSON, because it is persisted and read back. */
export type JobJson = Readonly<Record<string, unknown>>;

export const JOB_STATES = [
	"queued",
	"running",
	"cancelling",
	"completed",
	"failed",
	"cancelled",
] as const;
export type JobState = (typeof JOB_STATES)[number];

/** What is reported to a caller: `expired` once the report of a completed job is gone (D2). */
export const JOB_STATUSES = [...JOB_STATES, "expired"] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

/** Whether a job still owns its hold. */
export function isOpenJob(state: string): boolean {
	return state === "queued" || state === "running" || state === "cancelling";
}

/** Events the work itself may emit; the rest (created, progress, usage and the last one) is the runner's. */
export const WORK_EVENTS = [
	"research.plan",
	"research.search",
	"research.evidence",
	"research.output.delta",
	"research.output.done",
] as const;
export type WorkEventName = (typeof WORK_EVENTS)[number];

/** Exactly one of them ends the events of a job. */
export const LAST_EVENTS = ["research.completed", "research.failed", "research.cancelled"] as const;

export type JobEventName =
	| "research.created"
	| "research.progress"
	| "research.usage"
	| WorkEventName
	| (typeof LAST_EVENTS)[number];

export interface WorkEvent {
	readonly event: WorkEventName;
	/** Small and final: it is kept as long as the report, and sent again to anyone who resumes. */
	readonly data: JobJson;
}

/** How far the work has come, in all its passes together; numbers that go back are not reported. */
export interface WorkProgress {
	readonly considered: number;
	readonly read: number;
	/** Share of the current pass that is done, 0 to 1. */
	readonly share?: number;
}

/** What a pass may see: never a price, never who asked. */
export interface PassContext {
	readonly jobId: string;
	/** Aborted when the job is cancelled, the pass takes too long or the process stops; the pass should end soon, its result is not used. */
	readonly signal: AbortSignal;
	/** When the job was asked for, in epoch milliseconds: the same in every pass and after a restart, for `as_of`. */
	readonly askedAt: number;
	/** Milliseconds that this pass may take at most. */
	readonly timeoutMs: number;
	/** Beyond JOB_LIMITS.events, and for events larger than JOB_LIMITS.eventChars, nothing is reported. */
	emit(event: WorkEvent): void;
	progress(progress: WorkProgress): void;
}

/** How the work ended. */
export interface WorkEnd {
	/** The whole report; JSON. Kept for its owner while its time lasts. */
	readonly report: JobJson;
	/** False when there is nothing worth paying for: then the price is released (D3). */
	readonly isAnswer: boolean;
	/** Why it went no further, e.g. "done", "saturated", "time". */
	readonly stopReason: string;
}

/**
 * One kind of work as pure passes over a state: a pass that was interrupted runs again from the state before it, so what
 * it does must be harmless to do twice. It throws when it cannot go on; then the job failed and its price is released.
 */
export interface JobWork {
	readonly kind: string;
	/** Names of the passes in the order in which they run, the same whenever asked for the same input; at least one. */
	passesOf(input: JobJson): readonly string[];
	/** The state before the first pass. */
	start(input: JobJson): JobJson;
	/** The state after one pass; at most JOB_LIMITS.stateChars as JSON. */
	run(pass: string, state: JobJson, context: PassContext): Promise<JobJson>;
	/**
	 * What the state after the last pass comes to. A job that was cancelled asks with the state after the latest complete
	 * pass, and whatever report that makes is its owner's.
	 */
	finish(state: JobJson): WorkEnd;
	/** The rows of a report's evidence table. */
	sourcesOf(report: JobJson): readonly JobJson[];
	/** The report as a document: CommonMark, JSON text, or one self-contained HTML page without script. */
	exportOf(report: JobJson, format: ReportFormat): string;
}

/** Documents of a job beside its report, which lies under the job's own id: what was asked, and what is kept between passes. */
export const inputDocument = (jobId: string): string => `${jobId}-input`;
export const workDocument = (jobId: string): string => `${jobId}-work`;
export const jobDocuments = (jobId: string): readonly string[] => [
	inputDocument(jobId),
	workDocument(jobId),
];
