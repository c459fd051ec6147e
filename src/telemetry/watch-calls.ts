import type { HeldAdmission } from "../../payments/payments.js";
import type {
	Call,
	Invoke,
	PaidOperationId,
	Skill,
	SkillCatalog,
	SkillEvent,
} from "../contract/contract.js";
import { toServiceError } from "../http/http.js";
import { type Clock, ServiceError } from "../kernel/kernel.js";
import { type Cashier, endingOf, type InvokeStream } from "../sales/sales.js";
import type { OpenSpan, Recorder } from "./recorder.js";
import { within } from "./recorder.js";

export interface WatchServices {
	readonly recorder: Recorder;
	readonly clock: Pick<Clock, "now" | "monotonicMs">;
}

type Stage = "identify" | "admission" | "work" | "capture" | "release";
type Outcome = "answered" | "no_answer" | "left" | ReturnType<typeof endingOf>;

/** Calls, and the stages they go through: what stands around the pipeline, which knows nothing of it. */
export function createCallWatch(deps: WatchServices) {
	const timed = createStages(deps);
	const watched = createWatchedCall(deps);
	return {
		invoke:
			(invoke: Invoke): Invoke =>
			(call) =>
				watched(
					call,
					() => invoke(call),
					({ isAnswer }) => (isAnswer ? "answered" : "no_answer"),
				),

		/** As far as the first evidence is paid for, and may leave. */
		invokeStream:
			(invokeStream: InvokeStream): InvokeStream =>
			(call, work) =>
				watched(
					call,
					() => invokeStream(call, work),
					(result) => (result.kind === "recalled" || result.hasEvidence ? "answered" : "no_answer"),
				),

		/** A question for the price is a call where it is answered with one; else the call follows. */
		demand: (demand: (call: Call) => Promise<void>) => (call: Call) =>
			demand(call).catch((error: unknown) => {
				const { operationId: operation, transport } = call;
				const outcome = countRefusal(deps.recorder, operation, error);
				deps.recorder.count("tollgraph_calls_total", { operation, transport, outcome });
				throw error;
			}),

		cashier: <C extends Pick<Cashier, "payerOf" | "admit">>(cashier: C): C => ({
			...cashier,
			payerOf: (call: Parameters<Cashier["payerOf"]>[0]) =>
				timed("identify", () => cashier.payerOf(call)),
			admit: (request: Parameters<Cashier["admit"]>[0]) =>
				timed("admission", async (span) => {
					const admission = await cashier.admit(request);
					span.note({ admission: admission.kind });
					return admission.kind === "held" ? watchHeld(timed, admission) : admission;
				}),
		}),

		skills(skills: SkillCatalog): SkillCatalog {
			const watchedSkills = Object.entries<Skill>(skills).map(
				([id, skill]) => [id, watchSkill(deps, skill, timed)] as const,
			);
			return Object.fromEntries(watchedSkills) as Record<PaidOperationId, Skill> as SkillCatalog;
		},
	};
}

/** Counts a call however it ends, around a trace that may have begun with its caller. */
function createWatchedCall({ recorder, clock }: WatchServices) {
	return async <T>(
		call: Call,
		work: () => Promise<T>,
		outcomeOf: (result: T) => Outcome,
	): Promise<T> => {
		const { operationId: operation, transport, traceParent } = call;
		const startedMs = clock.monotonicMs();
		const root = { traceParent, operationId: operation };
		const span = recorder.begin({
			name: `call ${operation}`,
			labels: { operation, transport },
			root,
		});
		const end = (outcome: Outcome, failure?: unknown) => {
			const labels = { operation, transport, outcome };
			recorder.count("tollgraph_calls_total", labels);
			const seconds = (clock.monotonicMs() - startedMs) / 1000;
			recorder.time("tollgraph_call_duration_seconds", seconds, labels);
			span.note({ outcome });
			span.end(failure);
		};
		try {
			const result = await span.run(work);
			end(outcomeOf(result));
			return result;
		} catch (error) {
			// A caller who left was refused nothing, and nothing of ours has failed.
			if (call.signal.aborted && !(error instanceof ServiceError)) end("left");
			else end(countRefusal(recorder, operation, error), error);
			throw error;
		}
	};
}

function countRefusal(recorder: Recorder, operation: string, error: unknown): Outcome {
	const { code } = toServiceError(error);
	recorder.count("tollgraph_refusals_total", { operation, code });
	return endingOf(code);
}

type Timed = ReturnType<typeof createStages>;

/** Runs one stage of the call that is under way. */
function createStages({ recorder, clock }: WatchServices) {
	return async <T>(stage: Stage, work: (span: OpenSpan) => Promise<T>): Promise<T> => {
		const startedMs = clock.monotonicMs();
		try {
			return await within(recorder, { name: stage, labels: {} }, work);
		} finally {
			recorder.time("tollgraph_stage_duration_seconds", (clock.monotonicMs() - startedMs) / 1000, {
				operation: recorder.operation() ?? "none",
				stage,
			});
		}
	};
}

function watchHeld(timed: Timed, admission: HeldAdmission): HeldAdmission {
	return {
		...admission,
		capture: (part) => timed("capture", () => admission.capture(part)),
		release: (reason) => timed("release", () => admission.release(reason)),
	};
}

function watchSkill(deps: WatchServices, skill: Skill, timed: Timed): Skill {
	const { stream } = skill;
	const run: Skill["run"] = (input, context) => timed("work", () => skill.run(input, context));
	const own = {
		run: { value: run, enumerable: true },
		...(stream && {
			stream: {
				value: (...asked: Parameters<typeof stream>) => watchEvents(deps, stream(...asked)),
				enumerable: true,
			},
		}),
	};
	// Descriptors, because what a skill says of itself may change while the server runs.
	return Object.defineProperties(
		{},
		{ ...Object.getOwnPropertyDescriptors(skill), ...own },
	) as Skill;
}

/** Work piece by piece: it goes on after its call was answered, and stays a part of it. */
function watchEvents(
	{ recorder, clock }: WatchServices,
	events: AsyncIterable<SkillEvent>,
): AsyncIterable<SkillEvent> {
	return {
		[Symbol.asyncIterator]() {
			const source = events[Symbol.asyncIterator]();
			const startedMs = clock.monotonicMs();
			const operation = recorder.operation() ?? "none";
			const span = recorder.begin({ name: "work", labels: {} });
			let isOver = false;
			const end = (failure?: unknown) => {
				if (isOver) return;
				isOver = true;
				const seconds = (clock.monotonicMs() - startedMs) / 1000;
				recorder.time("tollgraph_stage_duration_seconds", seconds, { operation, stage: "work" });
				span.end(failure);
			};
			return {
				async next() {
					try {
						const step = await span.run(() => source.next());
						if (step.done) end();
						return step;
					} catch (error) {
						end(error);
						throw error;
					}
				},
				async return() {
					end();
					await source.return?.();
					return { done: true as const, value: undefined };
				},
			};
		},
	};
}
