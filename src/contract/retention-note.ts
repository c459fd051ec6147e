import { type Clock, toIsoTime } from "../kernel/kernel.js";
import { keepsText } from "./caller-rights.js";
import { LIMITS } from "./limits.js";
import type { SkillContext } from "./skill.js";

/** Until when a result can be read again; null for whoever is nobody in particular or keeps no text. */
export function keptUntil(clock: Clock, { caller }: Pick<SkillContext, "caller">): string | null {
	return caller && keepsText(caller) ? toIsoTime(clock.now() + LIMITS.artifactTtlMs) : null;
}
