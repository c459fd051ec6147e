import { keepsText } from "../src/core/caller-rights.js";
import { type Clock, toIsoTime } from "../src/core/clock.js";
import { LIMITS } from "../src/core/limits.js";
import type { SkillContext } from "../src/core/skill.js";

/** Until when a result can be read again; null for whoever is nobody in particular or keeps no text. */
export function keptUntil(clock: Clock, { caller }: Pick<SkillContext, "caller">): string | null {
	return caller && keepsText(caller) ? toIsoTime(clock.now() + LIMITS.artefactTtlMs) : null;
}
