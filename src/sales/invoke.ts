import type { Call, CallResult, Invoke, Outcome } from "../contract/contract.js";
import type { Clock } from "../kernel/kernel.js";
import { createLaunchCall, type Launches } from "./launch-call.js";
import { contextOf, type OpenCallDeps, type OpenedCall, openCall } from "./open-call.js";
import { paidPartOf, refundFailed, settleCall } from "./settle-call.js";
import { type KeepResultDeps, keepResult, tellKeptUntil } from "./stored-result.js";
import type { RecordUsage } from "./usage.js";

export interface InvokeDeps extends OpenCallDeps, KeepResultDeps {
	readonly recordUsage: RecordUsage;
	readonly clock: Clock;
	/** Launches what outlives its call; without it nothing does. */
	readonly jobs?: Launches | undefined;
}

/** Runs one call for one caller: nothing is delivered without a capture, nothing is captured without delivery. */
export function createInvoke(deps: InvokeDeps): Invoke {
	const { recordUsage, clock } = deps;
	const launch = createLaunchCall(deps);
	return async (call) => {
		if (deps.skills[call.operationId].job) return launch(call);
		const opened = await openCall(deps, call); // 400, 401, 404, 402, 429
		const { skill, input, payer, admission } = opened;

		const startedMs = clock.monotonicMs();
		const outcome = await runSkill(opened, call).catch(async (error: unknown) => {
			throw admission.kind === "held" ? await refundFailed(admission, error, call) : error;
		});
		const settledMs = clock.monotonicMs();
		const isAnswer = outcome.kind === "answer";
		const answered = outcome.kind === "answer" ? outcome.answered : undefined;
		const settled = settleCall(opened, { isAnswer, answered });
		const { cost, ...paid } = await settled.catch((error: unknown) => {
			letGo(outcome);
			throw error;
		});

		// As with what is kept: paid for and at hand, the answer leaves whatever becomes of the rest.
		if (outcome.kind === "answer") await outcome.onPaid?.().catch(() => undefined);
		let { result } = outcome;
		if (outcome.kind === "answer" && outcome.keep) {
			result = tellKeptUntil(result, await keepResult(deps, opened, outcome.keep));
		}

		const output = paidPartOf(opened, result);
		const owner = payer?.owner ?? "anonymous";
		recordUsage({
			...{ call, skill, input, owner },
			keepsNoText: payer?.keepsNoText,
			output,
			receiptId: cost.receipt_id,
		});
		return {
			output,
			isAnswer,
			cost,
			caller: { ...payer, owner, rail: cost.rail },
			timings: { run: settledMs - startedMs, pay: clock.monotonicMs() - settledMs },
			...paid,
		} satisfies CallResult;
	};
}

/** The work, until the caller leaves or the time is over, whichever comes first. */
async function runSkill(opened: OpenedCall, call: Call): Promise<Outcome<unknown>> {
	const { skill, input } = opened;
	const { signal } = call;
	signal.throwIfAborted();
	const left = new Promise<never>((_, reject) => {
		signal.addEventListener("abort", () => reject(signal.reason), { once: true });
	});
	// A skill that throws before it returns a promise must not leave `left` without a listener.
	const work = Promise.resolve().then(() => skill.run(input, contextOf(opened, call)));
	try {
		const outcome = await Promise.race([work, left]);
		// Left in the same instant as the result came: before the capture, so nothing is charged.
		signal.throwIfAborted();
		return outcome;
	} catch (error) {
		void work.then(letGo, () => undefined);
		throw error;
	}
}

function letGo(outcome: Outcome<unknown>): void {
	if (outcome.kind === "answer") outcome.onUnpaid?.();
}
