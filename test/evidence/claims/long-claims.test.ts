import t from "tap";
import { readTextClaims } from "../../../skills/verify/text-claims.js";
import { claimExtraction } from "../../../skills/verify/verify-text.operations.js";
import { VERIFY_TEXT_LIMITS } from "../../../skills/verify/verify-wire.js";
import { runAtOnce } from "../../../src/knowledge/model/work-in-turns.js";
import { boundSkill } from "../../support/bound-skill.js";

const { signal } = new AbortController();

/** How often everything else had its turn while some work was done. */
async function turnsOf(work: () => Promise<unknown>): Promise<number> {
	let turns = 0;
	let isOver = false;
	const count = () => {
		turns += 1;
		if (!isOver) setImmediate(count);
	};
	setImmediate(count);
	await work();
	isOver = true;
	return turns;
}

t.test("a long text is taken apart in turns", async (t) => {
	const text = "The relay window holds 64 frames. "
		.repeat(600)
		.slice(0, VERIFY_TEXT_LIMITS.textChars);
	const skill = boundSkill(claimExtraction, {});
	const context = { signal, requestId: "req_1", callId: "req_1", caller: undefined };
	const turns = await turnsOf(() => skill.run({ text }, context));
	t.ok(turns >= VERIFY_TEXT_LIMITS.claimsListedMax / 25, `${turns} turns`);
});

t.test("the numbers of references are left out, however far they stand", async (t) => {
	const far = `The relay window holds 64 frames${" ".repeat(30)}[12] and signs${"\t".repeat(3)}[^3] each.`;
	const [found] = runAtOnce(readTextClaims(far, 5));
	t.notMatch(found?.claim.text, /\[|12|\^/);
});
