import {
	type Call,
	type Caller,
	parseInput,
	type Skill,
	type SkillCatalog,
	type SkillContext,
} from "../contract/contract.js";
import { ServiceError } from "../kernel/kernel.js";
import type { Admission, Cashier } from "./cashier.js";

/** A call that may work: its input is sound, what it asks for exists, and its price is reserved. */
export interface OpenedCall {
	readonly skill: Skill;
	readonly input: unknown;
	readonly payer: Caller | undefined;
	readonly admission: CallAdmission;
}

/** Leave to work within the call; what outlives it is launched (launch-call). */
type CallAdmission = Exclude<Admission, { kind: "launched" }>;

export interface OpenCallDeps {
	readonly skills: SkillCatalog;
	readonly cashier: Cashier;
}

/** What every call goes through before any work starts, in the order in which it is judged (docs/adr/0010). */
export async function openCall({ skills, cashier }: OpenCallDeps, call: Call): Promise<OpenedCall> {
	const skill: Skill = skills[call.operationId];
	const input = parseInput(skill.input, call.rawInput); // 400 before anything else
	const payer = await cashier.payerOf(call); // 401
	await skill.prepare?.(input, payer); // 404 before anybody pays
	const admission = await cashier.admit({ skill, input, payer, call }); // 402, 429
	if (admission.kind === "launched") throw launchedBefore();
	return { skill, input, payer, admission };
}

function launchedBefore(): ServiceError {
	return new ServiceError("INTERNAL", "What was paid for outlives its call, and is no answer.");
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
