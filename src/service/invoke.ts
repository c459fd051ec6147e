import type { Charged, HeldAdmission, Released } from "../../payments/admission.js";
import type { ReleaseReason } from "../../payments/ledger.js";
import type { Payer } from "../../payments/payment-method.js";
import { costOf, noCost } from "../../payments/receipt.js";
import type { Call, CallResult, Invoke } from "../core/call.js";
import type { Clock } from "../core/clock.js";
import { ServiceError } from "../core/errors.js";
import type { Outcome, Skill } from "../core/skill.js";
import type { CostWire } from "../core/wire.js";
import type { Admission, Cashier } from "./cashier.js";
import { toCreditReply, withCredit } from "./credit-reply.js";
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
		const payer = await cashier.payerOf(call); // 401
		await skill.prepare?.(input); // 404 before anybody pays
		const admission = await cashier.admit({ skill, input, payer, call }); // 402, 429

		const startedMs = clock.monotonicMs();
		const outcome = await runSkill(skill, input, call).catch(async (error: unknown) => {
			throw admission.kind === "held" ? await giveBack(admission, error, call) : error;
		});
		const settledMs = clock.monotonicMs();
		const { cost, ...paid } = await settle(admission, outcome, payer);

		const owner = payer?.owner ?? "anonymous";
		recordUsage({ call, skill, input, owner, output: outcome.result, receiptId: cost.receipt_id });
		return {
			output: outcome.result,
			cost,
			caller: { owner, rail: cost.rail },
			timings: { run: settledMs - startedMs, pay: clock.monotonicMs() - settledMs },
			...paid,
		} satisfies CallResult;
	};
}

type Settled = { readonly cost: CostWire } & Pick<
	CallResult,
	"settlement" | "paymentHeaders" | "onDelivered"
>;

/** Judges the outcome: an answer is captured, no answer is given back, a replay was paid before. */
async function settle(
	admission: Admission,
	outcome: Outcome<unknown>,
	payer: Payer | undefined,
): Promise<Settled> {
	if (admission.kind === "free") {
		const { billingType } = admission.quote;
		const rail = payer?.rail ?? "free";
		return { cost: noCost({ billingType, rail, balanceMicros: undefined }) };
	}
	if (admission.kind === "replayed") return toSettled(admission, admission, { replayed: true });
	if (outcome.kind === "answer") return toSettled(await admission.capture(), admission);
	const released = await admission.release("no_answer");
	const { quote, payer: holder } = admission;
	const cost = noCost({
		billingType: quote.billingType,
		rail: holder.rail,
		balanceMicros: released.balanceMicros,
	});
	return { cost: withCredit(cost, released.credit), ...receiptOf(released) };
}

function toSettled(
	charged: Charged,
	{ delivered }: { delivered?(): void },
	options: { replayed?: boolean } = {},
): Settled {
	return {
		cost: costOf(charged.receipt, options),
		...receiptOf(charged),
		...(delivered && { onDelivered: delivered }),
	};
}

function receiptOf({ settlement, headers }: Pick<Released, "settlement" | "headers">) {
	return { ...(settlement && { settlement }), ...(headers && { paymentHeaders: headers }) };
}

/** Gives the price back; money that had settled already becomes a credit, and the error says so. */
async function giveBack(admission: HeldAdmission, error: unknown, call: Call): Promise<unknown> {
	const released = await admission.release(reasonOf(error, call));
	return released.credit ? toCreditReply(error, released) : error;
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
