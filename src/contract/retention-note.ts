import { type Clock, toIsoTime } from "../kernel/kernel.js";
import { keepsText } from "./caller-rights.js";
import { LIMITS } from "./limits.js";
import type { SkillContext } from "./skill.js";

/** Until when a result can be read again; null for anyone who is no one in particular or has zero retention. */
export function keptUntil(clock: Clock, { caller }: Pick<SkillContext, "caller">): string | null {
	return caller && keepsText(caller) ? toIsoTime(clock.now() + LIMITS.artifactTtlMs) : null;
}
