import t from "tap";
import { createClaimVerifier } from "../../skills/verify/claims/claim-verifier.js";
import { batchVerification, textVerification } from "../../skills/verify/verify-text.operations.js";
import type { CheckedClaimWire } from "../../skills/verify/verify-wire.js";
import { createGraphCatalog } from "../../src/knowledge/model/catalog.js";
import { createSearchEngine } from "../../src/search/search-engine.js";
import { DOMAIN_GRAPH } from "../service/sample-graphs.js";
import { boundSkill } from "../support/bound-skill.js";
import { manualClock } from "../support/manual-clock.js";
import { handJudge } from "../support/word-judge.js";
import { ask } from "./asked-skill.js";

const clock = manualClock("2026-06-01T00:00:00Z");
const judge = handJudge();
const search = await createSearchEngine({ folder: t.testdir(), clock, model: "none", judge });
t.teardown(() => search.close());
await search.sync([DOMAIN_GRAPH]);
const catalog = createGraphCatalog([DOMAIN_GRAPH]);
const verifier = createClaimVerifier({ search, catalog, clock });
const services = { verifier, catalog, clock, research: { resultIds: () => "vfb_1" } };
const batch = boundSkill(batchVerification, services);
const text = boundSkill(textVerification, services);

interface Checked {
	readonly data: { readonly batch_id: string | null; readonly claims: readonly CheckedClaimWire[] };
	readonly meta: {
		readonly claims: number;
		readonly answered: number;
		readonly warnings: readonly string[];
	};
}
const CLAIM = "Status 402 asks for payment.";

t.test("an anonymous caller gets a verdict that is not kept", async (t) => {
	const told = await ask<Checked>(batch)({ claims: [CLAIM, "Zorblax is quuxified."] });
	t.match(told, { kind: "answer", data: { batch_id: null }, meta: { claims: 2, answered: 1 } });
	t.same(
		told.data.claims.map(({ verdict }) => verdict),
		["SUPPORTED", "NOT_ENOUGH_EVIDENCE"],
	);
});

t.test("without a judge a batch and a text are no answers, and say why", async (t) => {
	const unread = createClaimVerifier({ search: { ...search, judge: undefined }, catalog, clock });
	const parts = { ...services, verifier: unread };
	for (const [skill, input] of [
		[boundSkill(batchVerification, parts), { claims: [CLAIM] }],
		[boundSkill(textVerification, parts), { text: CLAIM }],
	] as const) {
		const told = await ask<Checked>(skill)(input);
		t.match(told, { kind: "no-answer", meta: { answered: 0, warnings: [/no model that reads/] } });
		t.match(told.data.claims, [{ verdict: "NOT_ENOUGH_EVIDENCE", evidence: [] }]);
	}
});

t.test("a claim that is sent twice is looked up once and answered alike", async (t) => {
	const { data } = await ask<Checked>(batch)({ claims: [CLAIM, CLAIM] });
	t.same(data.claims[0], data.claims[1]);
});

t.test("a text that says the same again is checked once for it", async (t) => {
	const { data, meta } = await ask<Checked & { data: { unchecked: { why: string }[] } }>(text)({
		text: `${CLAIM} ${CLAIM} ${CLAIM}`,
	});
	t.match(meta, { claims: 1, answered: 1 });
	t.match(
		data.unchecked.map(({ why }) => why),
		Array(2).fill("It repeats a claim before it."),
	);
});

t.test("a text without a claim that can be checked is no answer", async (t) => {
	const told = await ask<Checked>(text)({ text: "Is it? I think it is lovely." });
	t.match(told, { kind: "no-answer", data: { claims: [] }, meta: { claims: 0, answered: 0 } });
});

t.test("a replay returns no verdict that was not paid for", async (t) => {
	const { kind: _kind, ...output } = await ask<Checked>(batch)({ claims: [CLAIM, CLAIM] });
	const kept = batch.units?.keepOnly?.(output, [1]) as Checked;
	t.match(kept.data.claims, [
		{ is_answered: false, verdict: "NOT_ENOUGH_EVIDENCE", evidence: [], confidence: 0 },
		{ is_answered: true, verdict: "SUPPORTED" },
	]);
	t.equal(kept.meta.answered, 1);
});

t.test("the price is for the claims that are sent, and for as many as are asked for", (t) => {
	t.equal(batch.units?.countOf(batch.input.parse({ claims: [CLAIM, CLAIM] })), 2);
	t.equal(text.units?.countOf(text.input.parse({ text: CLAIM })), 5);
	t.equal(text.units?.countOf(text.input.parse({ text: CLAIM, max_claims: 20 })), 20);
	t.same(text.graphsOf(text.input.parse({ text: CLAIM, graph_id: "web-payments" })), [
		"web-payments",
	]);
	t.end();
});
