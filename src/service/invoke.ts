import type { ReleaseReason } from "../../payments/ledger.js";
import type { Payer } from "../../payments/payment-method.js";
import { costOf, noCost } from "../../payments/receipt.js";
import type { Call, CallResult, Invoke } from "../core/call.js";
import type { Clock } from "../core/clock.js";
import { ServiceError } from "../core/errors.js";
import type { Outcome, Skill } from "../core/skill.js";
import type { CostWire } from "../core/wire.js";
import type { Admission, Cashier } from "./cashier.js";
import { parseInput } from "./parse-input.js";
import type { SkillCatalog } from "./service.js";
import type { RecordUsage } from "./usage.js";

export interface InvokeDeps {
	readonly skills: SkillCatalog;
	readonly cashier: Cashier;
	readonly recordUsage: RecordUsage;
	readonly clock: Clock;
}

/** Runs one call for one caller: nothing is delivered without a capture, nothing is captured without delivery. */
export function createInvoke({ skills, cashier, recordUsage, clock }: InvokeDeps): Invoke {
	return async (call) => {
		const skill: Skill = skills[call.skillId];
		const input = parseInput(skill.input, call.rawInput); // 400 before anything else
		const payer = call.credential && (await cashier.identify(call.credential)); // 401
		await skill.prepare?.(input); // 404 before anybody pays
		const { idempotencyKey, resourceUrl } = call;
		const admission = await cashier.admit({ skill, input, payer, idempotencyKey, resourceUrl }); // 402, 429

		const startedMs = clock.monotonicMs();
		const outcome = await runSkill(skill, input, call).catch(async (error: unknown) => {
			if (admission.kind === "held") await cashier.release(admission.hold, reasonOf(error, call));
			throw error;
		});
		const settledMs = clock.monotonicMs();
		const cost = await settle(cashier, admission, outcome, payer);

		const owner = payer?.owner ?? "anonymous";
		recordUsage({ call, skill, input, owner, output: outcome.result, receiptId: cost.receipt_id });
		return {
			output: outcome.result,
			cost,
			caller: { owner, rail: cost.rail },
			timings: { run: settledMs - startedMs, pay: clock.monotonicMs() - settledMs },
		} satisfies CallResult;
	};
}

/** Judges the outcome: an answer is captured, no answer is given back, a replay was paid before. */
async function settle(
	cashier: Cashier,
	admission: Admission,
	outcome: Outcome<unknown>,
	payer: Payer | undefined,
): Promise<CostWire> {
	if (admission.kind === "free") {
		const { billingType } = admission.quote;
		return noCost({ billingType, rail: payer?.rail ?? "free", balanceMicros: undefined });
	}
	if (admission.kind === "replayed") return costOf(admission.receipt, { replayed: true });
	if (outcome.kind === "answer") return costOf(await cashier.capture(admission));
	await cashier.release(admission.hold, "no_answer");
	const { hold, payer: holder } = admission;
	const balanceMicros = await cashier.balance(holder);
	return noCost({ billingType: hold.billingType, rail: hold.rail, balanceMicros });
}

/** The work, until the caller leaves or the time is over, whichever comes first. */
async function runSkill(skill: Skill, input: unknown, call: Call): Promise<Outcome<unknown>> {
	const { signal, requestId } = call;
	signal.throwIfAborted();
	const left = new Promise<never>((_, reject) => {
		signal.addEventListener("abort", () => reject(signal.reason), { once: true });
	});
	// A skill that throws before it returns a promise must not leave `left` without a listener.
	const work = Promise.resolve().then(() => skill.run(input, { signal, requestId }));
	const outcome = await Promise.race([work, left]);
	// Left in the same instant as the result came: before the capture, so nothing is charged.
	signal.throwIfAborted();
	return outcome;
}

function reasonOf(error: unknown, call: Call): ReleaseReason {
	if (!call.signal.aborted) return "failed";
	return error instanceof ServiceError ? "timeout" : "client_gone";
}
