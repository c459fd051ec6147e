import type { RequestListener } from "node:http";
import type { Facilitator } from "../../payments/onchain/onchain.js";
import type { JobWork } from "../contract/contract.js";
import type { DurationName } from "./metrics.js";
import { codeOf, type Labels, type SpanStart, within } from "./recorder.js";
import type { WatchServices } from "./watch-calls.js";

/** Who settles payments, timed: it is asked over a network, and a caller waits for it. */
export function watchFacilitator(deps: WatchServices, facilitator: Facilitator): Facilitator {
	const timed = <T extends { readonly kind: string }>(step: string, work: () => Promise<T>) =>
		timeStep(deps, {
			metric: "tollgraph_facilitator_duration_seconds",
			start: { name: `facilitator ${step}`, labels: {} },
			labels: { step },
			work,
			outcomeOf: ({ kind }) => kind,
			failureOf: () => "error",
		});
	return {
		...facilitator,
		verify: (...asked) => timed("verify", () => facilitator.verify(...asked)),
		settle: (...asked) => timed("settle", () => facilitator.settle(...asked)),
	};
}

/** Work that outlives its call, timed: each pass is a trace of its own. */
export function watchWork(deps: WatchServices, work: JobWork): JobWork {
	const { kind } = work;
	return {
		...work,
		run: (...pass) =>
			timeStep(deps, {
				metric: "tollgraph_job_pass_duration_seconds",
				start: { name: `job pass ${kind}`, labels: {}, root: { operationId: kind } },
				labels: { kind },
				work: () => work.run(...pass),
				outcomeOf: () => "done",
				failureOf: codeOf,
			}),
	};
}

interface TimedStep<T> {
	readonly metric: DurationName;
	readonly start: SpanStart;
	readonly labels: Labels;
	readonly work: () => Promise<T>;
	readonly outcomeOf: (result: T) => string;
	readonly failureOf: (failure: unknown) => string;
}

function timeStep<T>({ recorder, clock }: WatchServices, step: TimedStep<T>): Promise<T> {
	const startedMs = clock.monotonicMs();
	return within(recorder, step.start, async (span) => {
		const end = (outcome: string) => {
			const seconds = (clock.monotonicMs() - startedMs) / 1000;
			recorder.time(step.metric, seconds, { ...step.labels, outcome });
			span.note({ outcome });
		};
		try {
			const result = await step.work();
			end(step.outcomeOf(result));
			return result;
		} catch (error) {
			end(step.failureOf(error));
			throw error;
		}
	});
}

const METHODS: readonly string[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** Every request by method and status, those that no operation sees as well; an address is text of a caller's, and is left out. */
export function watchHandler(
	{ recorder, clock }: WatchServices,
	handler: RequestListener,
): RequestListener {
	return (req, res) => {
		const startedMs = clock.monotonicMs();
		const { method = "" } = req;
		res.once("finish", () => {
			const seconds = (clock.monotonicMs() - startedMs) / 1000;
			recorder.time("tollgraph_http_request_duration_seconds", seconds, {
				method: METHODS.includes(method) ? method : "other",
				status: String(res.statusCode),
			});
		});
		handler(req, res);
	};
}
