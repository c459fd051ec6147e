import {
	type AnsweredPart,
	type Charged,
	type Credit,
	costOf,
	type HeldAdmission,
	noCost,
	type Released,
} from "../../payments/payments.js";
import {
	type ArtifactRepository,
	type Call,
	type Caller,
	type CallResult,
	type CostWire,
	type CreditWire,
	type Invoke,
	type KeptResult,
	type Outcome,
	parseInput,
	type ReleaseReason,
	type Skill,
	type SkillContext,
} from "../contract/contract.js";
import { toServiceError } from "../http/http.js";
import {
	afterPolling,
	formatUsd,
	type Logger,
	type Micros,
	ServiceError,
	toIsoTime,
	withinCall,
} from "../kernel/kernel.js";
import { unitsOf } from "./call-price.js";
import { type Admission, type OpenCallDeps, refuseTwoPayers } from "./cashier.js";
import { createLaunchCall, type LaunchServices } from "./launch-call.js";
import type { Unanswered } from "./usage.js";

interface KeepServices {
	/** Keeps what skills want kept of their answers; without one nothing is. */
	readonly artifacts?: Pick<ArtifactRepository, "keep" | "find"> | undefined;
	readonly logger?: Pick<Logger, "error"> | undefined;
}

/** Runs one call for one caller: nothing is delivered without a capture, nothing is captured without delivery. */
export function createInvoke(deps: LaunchServices & KeepServices): Invoke {
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
		const { cost, ...paid } = await settled.then(
			(done) => (isLostUnread(opened, call, outcome) ? done : withoutLoss(done)),
			(error: unknown) => {
				letGo(outcome);
				throw error;
			},
		);

		// As with what is kept: paid for and at hand, the answer leaves whatever becomes of the rest.
		if (outcome.kind === "answer") await outcome.onPaid?.().catch(() => undefined);
		let { result } = outcome;
		if (outcome.kind === "answer" && outcome.keep) {
			result = tellKeptUntil(result, await keepResult(deps, opened, outcome.keep));
		}

		const output = admission.kind === "replayed" ? paidPartOf(admission, skill, result) : result;
		const owner = payer?.owner ?? "anonymous";
		recordUsage({
			...{ call, skill, input, owner },
			keepsNoText: payer?.keepsNoText,
			output,
			receiptId: cost.receipt_id,
			unanswered: unansweredOf(opened, { isAnswer, answered }),
		});
		await afterPolling();
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
	const scope = { id: call.requestId, operationId: call.operationId };
	const work = withinCall(scope, () =>
		Promise.resolve().then(() => skill.run(input, contextOf(opened, call))),
	);
	try {
		const outcome = await Promise.race([work, left]);
		// Left in the same instant as the result came: before the capture, so nothing is charged.
		await afterPolling();
		signal.throwIfAborted();
		return outcome;
	} catch (error) {
		void work.then(letGo, () => undefined);
		throw error;
	}
}

/** Whether an answer that no one is sent is gone: nothing of it is kept, and nothing was done that stays. */
function isLostUnread({ skill }: OpenedCall, call: Call, outcome: Outcome<unknown>): boolean {
	if (outcome.kind !== "answer" || skill.capture !== "onResult" || skill.hasEffects) return false;
	// What is paid for over A2A is a task, which its owner reads again for a day.
	return call.transport !== "a2a" && !outcome.keep && !outcome.onPaid;
}

/** Of a call that leaves more than its answer: a connection that broke decides nothing about its price. */
export function withoutLoss<S extends Pick<CallResult, "onAbandoned">>(settled: S): S {
	const { onAbandoned } = settled;
	return onAbandoned ? { ...settled, onAbandoned: () => onAbandoned({ isLost: false }) } : settled;
}

function letGo(outcome: Outcome<unknown>): void {
	if (outcome.kind === "answer") outcome.onUnpaid?.();
}

/** A call that may work: its input is sound, what it asks for exists, and its price is reserved. */
export interface OpenedCall {
	readonly skill: Skill;
	readonly input: unknown;
	readonly payer: Caller | undefined;
	readonly admission: CallAdmission;
}

/** Leave to work within the call; what outlives it is launched (launch-call). */
type CallAdmission = Exclude<Admission, { kind: "launched" }>;

/** What every call goes through before any work starts, in the order in which it is judged (docs/adr/0010). */
export async function openCall({ skills, cashier }: OpenCallDeps, call: Call): Promise<OpenedCall> {
	const skill: Skill = skills[call.operationId];
	const input = parseInput(skill.input, call.rawInput); // 400 before anything else
	refuseTwoPayers(skill, call);
	const payer = await cashier.payerOf(call); // 401
	await skill.prepare?.(input, payer); // 404 before anybody pays
	const admission = await cashier.admit({ skill, input, payer, call }); // 402, 429
	if (admission.kind === "launched")
		throw new ServiceError("INTERNAL", "What was paid for outlives its call, and is no answer.");
	return { skill, input, payer, admission };
}

/**
 * The price of a call that brings nothing but its address and no one who pays: that of the operation's example (docs/adr/0063).
 * Throws PaymentRequired; returns where the call can be judged by itself, where it is free, and where the example is not of it.
 */
export async function demandPrice({ skills, cashier }: OpenCallDeps, call: Call): Promise<void> {
	const skill: Skill = skills[call.operationId];
	if (skill.isOffered?.() === false || skill.input.safeParse(call.rawInput).success) return;
	const example = { ...skill.exampleInput, ...(call.rawInput as object) };
	const { success, data: input } = skill.input.safeParse(example);
	if (!success) return;
	try {
		await skill.prepare?.(input);
	} catch {
		return;
	}
	await cashier.admit({ skill, input, payer: undefined, call });
}

/** What the skill may see of a call that may work. */
export function contextOf(
	{ admission, payer }: OpenedCall,
	{ signal, requestId }: Call,
): SkillContext {
	const callId = callIdOf(admission) ?? requestId;
	const isReplay = admission.kind === "replayed";
	return { signal, requestId, caller: payer, callId, isReplay };
}

function callIdOf(admission: CallAdmission): string | undefined {
	if (admission.kind === "held") return admission.id;
	return admission.kind === "replayed" ? admission.receipt.holdId : undefined;
}

/** Cost and receipts of a call, however it ended. */
export type Settled = { readonly cost: CostWire } & Pick<
	CallResult,
	"settlement" | "paymentHeaders" | "onDelivered" | "onAbandoned"
>;

/** What became of the work, as far as money is concerned. */
export interface Delivered {
	readonly isAnswer: boolean;
	/** Places of the units that had an answer; all of them where absent. */
	readonly answered?: readonly number[] | undefined;
}

/** An answer is captured, a missing one is released, a replay was paid before. */
export async function settleCall(
	{ admission, payer, skill, input }: OpenedCall,
	{ isAnswer, answered }: Delivered,
): Promise<Settled> {
	if (admission.kind === "free") {
		const { billingType } = admission.quote;
		const rail = payer?.rail ?? "free";
		return { cost: noCost({ billingType, rail, balanceMicros: undefined }) };
	}
	if (admission.kind === "replayed") return toSettled(admission, admission, { replayed: true });
	if (isAnswer) {
		const { amountMicros } = admission.quote;
		const part = answeredPart(amountMicros, skill, { input, answered });
		return toSettled(await admission.capture(part), admission);
	}
	const released = await admission.release("no_answer");
	const { quote, payer: holder } = admission;
	const cost = noCost({
		billingType: quote.billingType,
		rail: holder.rail,
		balanceMicros: released.balanceMicros,
	});
	return { cost: withCredit(cost, released.credit), ...receiptOf(released) };
}

/** What a replay may deliver: units that had no answer when the call was paid for have none now. */
function paidPartOf(
	{ receipt: { paidUnits: paid } }: Extract<Admission, { kind: "replayed" }>,
	skill: Skill,
	output: unknown,
): unknown {
	return paid && skill.units?.keepOnly ? skill.units.keepOnly(output, paid) : output;
}

/** Gives the price back after a failure; money that had settled already becomes a credit, and the error says so. */
export async function refundFailed(
	admission: HeldAdmission,
	error: unknown,
	call: Call,
): Promise<unknown> {
	const released = await admission.release(reasonOf(error, call));
	return released.credit ? toCreditReply(error, released) : error;
}

function toSettled(
	charged: Charged,
	{ delivered, abandoned }: Pick<HeldAdmission, "delivered" | "abandoned">,
	options: { replayed?: boolean } = {},
): Settled {
	return {
		...receiptOf(charged),
		cost: costOf(charged.receipt, options),
		...(delivered && { onDelivered: delivered }),
		...(abandoned && { onAbandoned: abandoned }),
	};
}

function receiptOf({ settlement, headers }: Pick<Released, "settlement" | "headers">) {
	return { ...(settlement && { settlement }), ...(headers && { paymentHeaders: headers }) };
}

function reasonOf(error: unknown, call: Call): ReleaseReason {
	if (!call.signal.aborted) return "failed";
	return error instanceof ServiceError ? "timeout" : "client_gone";
}

/** What of a call had no answer, at its list price; what was paid for before is settled already. */
export function unansweredOf(
	{ admission, skill, input }: OpenedCall,
	{ isAnswer, answered }: Delivered,
): Unanswered | undefined {
	if (admission.kind === "replayed") return undefined;
	const { amountMicros } = admission.quote;
	const units = unitsOf(skill, input);
	const all = Array.from({ length: units }, (_, place) => place);
	const places = isAnswer ? all.filter((place) => answered && !answered.includes(place)) : all;
	if (places.length === 0) return undefined;
	return { priceMicros: (amountMicros / BigInt(units)) * BigInt(places.length), units, places };
}

/** What the answered units of a call come to; undefined where that is the whole price. */
function answeredPart(
	amountMicros: Micros,
	skill: Pick<Skill, "units">,
	{
		input,
		answered,
	}: { readonly input: unknown; readonly answered: readonly number[] | undefined },
): AnsweredPart | undefined {
	if (answered === undefined) return undefined;
	const units = unitsOf(skill, input);
	if (answered.length >= units) return undefined;
	return {
		amountMicros: (amountMicros / BigInt(units)) * BigInt(answered.length),
		units: answered,
	};
}

/** Decision D8: money that settled before the work failed is a token of the payer's now. */
function toCreditWire({ token, id, amountMicros }: Credit): CreditWire {
	return {
		token,
		id,
		balance_usd: formatUsd(amountMicros),
		instructions:
			"The payment had settled before the work ended without an answer. This Shared Payment Token holds all of it; keep it, it is shown once.",
	};
}

/** The cost of a call without an answer, with what its payer got back. */
function withCredit(cost: CostWire, credit: Credit | undefined): CostWire {
	return credit ? { ...cost, credit: toCreditWire(credit) } : cost;
}

/** The failure, saying what became of the money. */
function toCreditReply(error: unknown, { credit, headers }: Released): ServiceError {
	const failure = toServiceError(error);
	if (!credit) return failure;
	return new ServiceError(
		failure.code,
		`${failure.message} The ${formatUsd(credit.amountMicros)} USD that had settled are credited to the Shared Payment Token in "credit".`,
		{
			cause: error,
			retryable: failure.retryable,
			reply: { body: { credit: toCreditWire(credit) }, ...(headers && { headers }) },
		},
	);
}

/**
 * Keeps what an answer wants kept, on the first run of its call alone: sent again it finds what is kept, and what its owner
 * deleted stays deleted. Resolves to until when it can be read again; undefined where it cannot, be it that keeping failed,
 * which takes nothing from an answer that is paid for and at hand.
 */
export async function keepResult(
	{ artifacts, logger }: KeepServices,
	{
		payer,
		admission,
	}: { readonly payer: Caller | undefined; readonly admission: Pick<Admission, "kind"> },
	result: KeptResult,
): Promise<number | undefined> {
	if (!artifacts || !payer) return undefined;
	const { kind, id } = result;
	try {
		if (admission.kind !== "replayed") return await artifacts.keep(payer, result);
		return (await artifacts.find(payer, kind, id))?.expiresAt;
	} catch (error) {
		logger?.error("a result could not be kept", { kind, error: String(error) });
		return undefined;
	}
}

/** An answer that says until when it is kept, saying what came of it. */
export function tellKeptUntil(result: unknown, expiresAt: number | undefined): unknown {
	const { data } = result as { readonly data?: { readonly kept_until?: unknown } };
	if (typeof data?.kept_until !== "string") return result;
	const kept_until = expiresAt === undefined ? null : toIsoTime(expiresAt);
	return { ...(result as object), data: { ...data, kept_until } };
}
