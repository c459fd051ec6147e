import { ServiceError } from "../kernel/kernel.js";
import type { CounterName, DurationName, GaugeName } from "./metrics.js";

/** Where measurements go; the adapter is open-telemetry.ts, which is loaded where something is measured. */

/** By name. Values come from lists of ours: never what a caller wrote, nor who a caller is. */
export type Labels = Readonly<Record<string, string>>;

export interface Sample {
	readonly metric: GaugeName;
	readonly value: number;
	readonly labels?: Labels;
}

export interface SpanStart {
	readonly name: string;
	readonly labels: Labels;
	/** Begins a trace of its own, or goes on with that of this `traceparent`; a part of what is under way where absent. */
	readonly root?: { readonly traceParent?: string | undefined; readonly operationId: string };
}

/** A part of a trace that has begun. */
export interface OpenSpan {
	/** Whatever is begun within the work belongs to it. */
	run<T>(work: () => T): T;
	note(labels: Labels): void;
	/** Safe to call again; `failure` is what the work rejected with. */
	end(failure?: unknown): void;
}

export interface Recorder {
	count(metric: CounterName, labels: Labels, by?: number): void;
	time(metric: DurationName, seconds: number, labels: Labels): void;
	begin(span: SpanStart): OpenSpan;
	/** Operation of the call that is under way; undefined outside of calls. */
	operation(): string | undefined;
	/** Asks for values whenever they are exported. */
	observe(read: () => readonly Sample[] | Promise<readonly Sample[]>): void;
}

/** Runs work as a part of the trace under way; what it rejects with passes through. */
export async function within<T>(
	recorder: Recorder,
	start: SpanStart,
	work: (span: OpenSpan) => Promise<T>,
): Promise<T> {
	const span = recorder.begin(start);
	try {
		const result = await span.run(() => work(span));
		span.end();
		return result;
	} catch (error) {
		span.end(error);
		throw error;
	}
}

/** The code of a failure, which may be shown; its message may quote a caller. */
export function codeOf(failure: unknown): string {
	return failure instanceof ServiceError ? failure.code : "INTERNAL";
}
