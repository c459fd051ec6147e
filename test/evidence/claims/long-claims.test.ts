import t from "tap";
import { createClaimVerifier } from "../../../skills/verify/claims/claim-verifier.js";
import { findTextClaims } from "../../../skills/verify/text-claims.js";
import { claimExtraction } from "../../../skills/verify/verify-text.operations.js";
import { VERIFY_TEXT_LIMITS } from "../../../skills/verify/verify-wire.js";
import { toCitedSentences } from "../../../src/evidence/cited-sentences.js";
import { createGraphCatalog } from "../../../src/knowledge/catalog.js";
import { createSearchEngine } from "../../../src/search/search-engine.js";
import { makeConcept, makeGraph } from "../../service/sample-graphs.js";
import { boundSkill } from "../../support/bound-skill.js";
import { manualClock } from "../../support/manual-clock.js";

const clock = manualClock("2026-06-01T00:00:00Z");
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

const relays = makeGraph(
	{ id: "relays" },
	Array.from({ length: 8 }, (_, at) =>
		makeConcept({
			id: `window-${at}`,
			path: `window-${at}.md`,
			title: `Relay window ${at}`,
			summary:
				"The relay window holds 64 frames. It never reuses a nonce. A relay signs each frame.",
			body: "",
			evidence: [
				{
					articleId: "rfc",
					title: "A source",
					sourceUrl: "https://www.rfc-editor.org/rfc/rfc7001",
					publishedAt: "2020-03-01",
					datePrecision: "day",
				},
			],
		}),
	),
);

t.test(
	"while a long claim is compared others have their turn after a sentence or two",
	async (t) => {
		const search = await createSearchEngine({ folder: t.testdir(), clock, model: "none" });
		t.teardown(() => search.close());
		await search.sync([relays]);
		const catalog = createGraphCatalog([relays]);
		const verifier = createClaimVerifier({ search, catalog, clock });
		const fact = "the relay window holds 64 frames of a nonce that a relay signs ";
		const long = fact.repeat(40).slice(0, VERIFY_TEXT_LIMITS.claimChars);
		const sentences = relays.concepts.flatMap((concept) =>
			toCitedSentences(relays, concept),
		).length;
		t.ok(sentences >= 8, String(sentences));
		const base = await turnsOf(() => verifier.verify({ claim: fact, signal }));
		const turns = await turnsOf(() => verifier.verify({ claim: long, signal }));
		t.ok(
			turns - base >= sentences / 2,
			`${turns} turns, ${base} for a short one, ${sentences} sentences`,
		);
	},
);

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
	const [found] = findTextClaims(far, 5);
	t.notMatch(found?.claim.text, /\[|12|\^/);
});
