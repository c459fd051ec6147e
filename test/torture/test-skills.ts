import { z } from "zod";
import type { PaidOperationId } from "../../src/contract/operations.js";
import type { SkillCatalog } from "../../src/contract/skill.js";
import { answer, type CaptureMoment, noAnswer, type Skill } from "../../src/contract/skill.js";
import type { Clock } from "../../src/kernel/clock.js";
import type { Dice } from "./dice.js";

/** The failure the skills throw on purpose; every other error is a fault. */
export class SkillFailure extends Error {}

const inputSchema = z.strictObject({ query: z.string() });
type Input = z.infer<typeof inputSchema>;

/** What the shoppers buy. */
export const TORTURED_OPERATIONS = [
	"graphs.search",
	"search.domain",
	"search.report",
	"search.expert",
] as const satisfies readonly PaidOperationId[];

const CAPTURE_OF: Partial<Record<PaidOperationId, CaptureMoment>> = {
	"search.expert": "beforeFirstEvent",
};

/** Skills of every temper: quick, slow, without an answer, broken. */
export function createTestSkills(clock: Clock, dice: Dice): SkillCatalog {
	const work = async ({ query }: Input) => {
		const luck = dice.next();
		const durationMs = durationOf(dice);
		if (durationMs > 0) await new Promise<void>((resolve) => clock.after(durationMs, resolve));
		if (luck < 0.08) throw new SkillFailure("The skill broke.");
		return luck < 0.18 ? noAnswer({ query }) : answer({ query });
	};
	const skillOf = (id: PaidOperationId): Skill => ({
		operationId: id,
		title: id,
		description: id,
		tags: [],
		examples: [],
		exampleInput: { query: "q" },
		input: inputSchema as z.ZodType<unknown>,
		output: z.unknown(),
		capture: CAPTURE_OF[id] ?? "onResult",
		queryOf: (input) => (input as Input).query,
		graphsOf: () => ["graph"],
		run: (input) => work(input as Input),
	});
	return Object.fromEntries(
		TORTURED_OPERATIONS.map((id) => [id, skillOf(id)]),
	) as unknown as SkillCatalog;
}

/** Mostly quick; some keep their caller waiting, a few for longer than a hold lasts. */
function durationOf(dice: Dice): number {
	const luck = dice.next();
	if (luck < 0.5) return 0;
	if (luck < 0.95) return dice.between(1, 60);
	return luck < 0.995 ? dice.between(60, 4_000) : 130_000;
}
