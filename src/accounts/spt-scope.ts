import { findSkillId, PAID_OPERATION_IDS, SKILL_IDS } from "../contract/contract.js";
import { type Clock, type Micros, parseUsd, ServiceError } from "../kernel/kernel.js";
import type { GraphCatalog } from "../knowledge/knowledge.js";

/** What a token is for and what it may spend, as callers and operators write it. */
export interface SptScope {
	readonly label?: string | undefined;
	readonly max_per_call_usd?: string | undefined;
	readonly max_per_day_usd?: string | undefined;
	readonly skills?: readonly string[] | undefined;
	readonly graphs?: readonly string[] | undefined;
	/** Days from now until the token expires; it never does by default. */
	readonly expires_in_days?: number | undefined;
}

const DAY_MS = 24 * 3_600_000;

/** The terms of a token, left out where nothing was said. Throws for a skill or graph that does not exist. */
export function toSptScope(
	{ catalog, now }: { readonly catalog: GraphCatalog; readonly now: ReturnType<Clock["now"]> },
	scope: SptScope,
) {
	const { label, max_per_call_usd, max_per_day_usd, skills, graphs, expires_in_days } = scope;
	// A token for something that does not exist could never be spent.
	for (const id of skills ?? []) assertSkill(id);
	for (const id of graphs ?? []) catalog.assertKnown(id);
	return {
		...(label !== undefined && { label }),
		...(max_per_call_usd !== undefined && { maxPerCallMicros: parseLimit(max_per_call_usd) }),
		...(max_per_day_usd !== undefined && { maxPerDayMicros: parseLimit(max_per_day_usd) }),
		...(skills && { skills }),
		...(graphs && { graphs }),
		...(expires_in_days !== undefined && { expiresAt: now + expires_in_days * DAY_MS }),
	};
}

/** Throws INVALID_ARGUMENT unless the amount is above zero. */
export function parseLimit(text: string): Micros {
	const limit = parseUsd(text);
	if (limit > 0n) return limit;
	throw new ServiceError("INVALID_ARGUMENT", "A limit must be above zero.");
}

function assertSkill(id: string): void {
	if (findSkillId(id) || PAID_OPERATION_IDS.some((known) => known === id)) return;
	throw new ServiceError(
		"INVALID_ARGUMENT",
		`No skill is called "${id.slice(0, 80)}"; there are ${SKILL_IDS.join(", ")}, and the operations ${PAID_OPERATION_IDS.join(", ")}.`,
	);
}
