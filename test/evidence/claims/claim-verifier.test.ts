import t from "tap";
import { createClaimVerifier } from "../../../skills/verify/claims/claim-verifier.js";
import { bestTier, groupByOrigin } from "../../../skills/verify/claims/source-tiers.js";
import { claimVerification } from "../../../skills/verify/verify-claim.operations.js";
import { toCitedSentences } from "../../../src/evidence/cited-sentences.js";
import { findPublisher } from "../../../src/evidence/publishers.js";
import { createGraphCatalog } from "../../../src/knowledge/model/catalog.js";
import type { Evidence } from "../../../src/knowledge/model/graph.js";
import type { PairJudge, TextPair } from "../../../src/search/judge/pair-judge.js";
import { createSearchEngine } from "../../../src/search/search-engine.js";
import { makeConcept, makeGraph } from "../../service/sample-graphs.js";
import { boundSkill } from "../../support/bound-skill.js";
import { manualClock } from "../../support/manual-clock.js";
import { failingJudge, handJudge, reading } from "../../support/word-judge.js";

const clock = manualClock("2026-06-01T00:00:00Z");
const source = (articleId: string, sourceUrl: string, publishedAt?: string): Evidence => ({
	articleId,
	title: `Source ${articleId}`,
	sourceUrl,
	publishedAt,
	datePrecision: publishedAt === undefined ? undefined : "day",
});
const concept = (id: string, title: string, summary: string, evidence: Evidence[], more = {}) =>
	makeConcept({ id, path: `${id}.md`, title, summary, body: "", evidence, ...more });

const graph = makeGraph({ id: "relays" }, [
	concept("window", "Relay window", "The relay window holds 64 frames of 128 bytes.", [
		source("rfc", "https://www.rfc-editor.org/rfc/rfc7001", "2020-03-01"),
	]),
	concept("signing", "Relay signing", "Relay signing uses Ed25519 and never reuses a nonce.", [
		source("vendor", "https://www.cloudflare.com/relay", "2022-01-01"),
		source("paper", "https://arxiv.org/abs/2201.00001", "2022-02-01"),
	]),
	concept(
		"format",
		"Relay frame format",
		"The relay frame format was deprecated in 2024.",
		[source("new", "https://www.w3.org/TR/relay", "2024-05-01")],
		{ status: "deprecated" },
	),
]);
const catalog = createGraphCatalog([graph]);
const search = await createSearchEngine({ folder: t.testdir(), clock, model: "none" });
t.teardown(() => search.close());
await search.sync([graph]);
const { signal } = new AbortController();
const verifierBy = (judge: PairJudge | undefined) =>
	createClaimVerifier({ search: { ...search, judge }, catalog, clock });
const verifier = verifierBy(handJudge());
const verify = (claim: string, asOf?: string) => verifier.verify({ claim, asOf, signal });

t.test("five gates are reported in their order, each with its reason", async (t) => {
	const { verdict, gates, evidence, parts, confidence } = await verify(
		"The relay window holds 64 frames.",
	);
	t.equal(verdict, "SUPPORTED");
	t.same(
		gates.map(({ gate }) => gate),
		["checkability", "retrieval", "stance", "independence", "time"],
	);
	t.ok(gates.every(({ reason }) => reason.endsWith(".")));
	t.match(evidence[0], {
		stance: "supports",
		tier: 1,
		sentence: { evidenceId: "relays:window~0" },
	});
	t.equal(parts.length, 1);
	t.ok(confidence > 0.5 && confidence < 1);
});

t.test("a claim of two parts is refuted by one of them", async (t) => {
	const { verdict, parts } = await verify(
		"The relay window holds 64 frames and relay signing reuses a nonce.",
	);
	t.same(
		parts.map((part) => part.verdict),
		["SUPPORTED", "REFUTED"],
	);
	t.equal(verdict, "REFUTED");
});

t.test("what no source covers is abstained on, with what is missing", async (t) => {
	const { verdict, missing, gates, evidence } = await verify(
		"The relay window was praised in Oslo.",
	);
	t.equal(verdict, "NOT_ENOUGH_EVIDENCE");
	t.ok(missing.some((word) => /oslo/i.test(word)));
	t.ok(evidence.every(({ stance }) => stance === "neutral"));
	t.match(gates[3], { status: "skipped" });
});

t.test("a question as of a day does not see what was published later", async (t) => {
	t.equal(
		(await verify("The relay window holds 64 frames.", "2019-01-01")).verdict,
		"NOT_ENOUGH_EVIDENCE",
	);
	t.equal((await verify("The relay window holds 64 frames.", "2021-01-01")).verdict, "SUPPORTED");
});

t.test("what rests on a deprecated node is of yesterday", async (t) => {
	const { verdict, qualifier, time } = await verify(
		"The relay frame format was deprecated in 2024.",
	);
	t.same(
		{ verdict, qualifier, time },
		{ verdict: "SUPPORTED", qualifier: "OUTDATED", time: "OUTDATED" },
	);
});

t.test("what holds more statements than are checked is never reported as supported", async (t) => {
	const claim = "The relay window holds 64 frames.";
	const { verdict, warnings } = await verify(`${claim} `.repeat(9));
	t.equal(verdict, "NOT_ENOUGH_EVIDENCE");
	t.match(warnings, [/3 of 9 statements were not checked/]);
	t.not((await verify("and the relay signs a ".repeat(90) + claim)).verdict, "SUPPORTED");
});

const TRUE = "The relay window holds 64 frames.";

t.test(
	"without a judge, and where it fails, no claim has a verdict, and the reply says why",
	async (t) => {
		for (const judge of [undefined, failingJudge]) {
			const told = await verifierBy(judge).verify({ claim: TRUE, signal });
			t.equal(told.verdict, "NOT_ENOUGH_EVIDENCE");
			t.match(told.warnings, [/model that reads claims/]);
			t.match(told.explanation, /model that reads claims/);
			t.match(told.gates[2], { gate: "stance", status: "fail", method: "rules" });
			t.ok(told.evidence.every(({ stance }) => stance === "neutral"));
		}
		const broken: PairJudge = { ...handJudge(), read: () => Promise.reject(new TypeError("bug")) };
		await t.rejects(verifierBy(broken).verify({ claim: TRUE, signal }), { name: "TypeError" });
	},
);

t.test("the judge decides, and what decides is told in the stance gate", async (t) => {
	for (const [stance, verdict] of [
		["supports", "SUPPORTED"],
		["refutes", "REFUTED"],
		["open", "NOT_ENOUGH_EVIDENCE"],
	] as const) {
		const told = await verifierBy(handJudge(() => reading(stance))).verify({ claim: TRUE, signal });
		t.equal(told.verdict, verdict);
		t.match(told.gates[2], { gate: "stance", method: "nli" });
		t.same(told.warnings, []);
	}
});

t.test("rules take back a support that lacks a figure, and never make a verdict", async (t) => {
	const swapped = "The relay window holds 32 frames.";
	const yes = verifierBy(handJudge(() => reading("supports")));
	const { verdict, evidence } = await yes.verify({ claim: swapped, signal });
	t.equal(verdict, "NOT_ENOUGH_EVIDENCE");
	t.ok(evidence.some(({ isDisputed, reasons }) => isDisputed && /32/.test(reasons[0] ?? "")));
	const open = verifierBy(handJudge(() => reading("open")));
	t.equal((await open.verify({ claim: swapped, signal })).verdict, "NOT_ENOUGH_EVIDENCE");
});

t.test("what a sentence on another subject refutes is left open", async (t) => {
	const no = verifierBy(handJudge(() => reading("refutes")));
	const told = await no.verify({ claim: "Zephyr holds a relay window of 64 frames.", signal });
	t.equal(told.verdict, "NOT_ENOUGH_EVIDENCE");
	t.ok(told.evidence.some(({ reasons }) => /does not speak of Zephyr/.test(reasons[0] ?? "")));
});

t.test(
	"a verdict is as sure as its best reading, less the more was read, and told from a threshold",
	async (t) => {
		const sure = (supports: number) =>
			verifierBy(handJudge(() => ({ answers: 1, supports, refutes: 0.01, open: 0.99 - supports })));
		const told = await sure(0.95).verify({ claim: TRUE, signal });
		t.equal(told.verdict, "SUPPORTED");
		t.ok(told.confidence > 0.8 && told.confidence < 0.95, String(told.confidence));
		const unsure = await sure(0.7).verify({ claim: TRUE, signal });
		t.equal(unsure.verdict, "NOT_ENOUGH_EVIDENCE");
	},
);

t.test(
	"a part is read beside so many passages at most, each with its title and its neighbors",
	async (t) => {
		const judge = handJudge();
		const sentences = Array.from(
			{ length: 40 },
			(_, at) => `The relay window has rule number ${at}.`,
		);
		const wide = makeGraph({ id: "wide" }, [
			concept(
				"rules",
				"Relay rules",
				"",
				[source("rfc", "https://www.rfc-editor.org/rfc/rfc7001")],
				{
					body: sentences.join(" "),
				},
			),
		]);
		const engine = await createSearchEngine({ folder: t.testdir(), clock, model: "none" });
		t.teardown(() => engine.close());
		await engine.sync([wide]);
		const deps = { search: { ...engine, judge }, catalog: createGraphCatalog([wide]), clock };
		await createClaimVerifier(deps).verify({ claim: "The relay window has a rule.", signal });
		t.ok(judge.asked.length > 0 && judge.asked.length <= 16, String(judge.asked.length));
		for (const { passage } of judge.asked) {
			t.match(passage, /^Relay rules\. The relay window has rule number \d+\. The relay window/);
			t.ok(passage.split(" ").length <= 95, passage);
		}
		t.equal(new Set(judge.asked.map(({ passage }) => passage)).size, judge.asked.length);
	},
);

t.test(
	"independent origins that disagree are a conflict; one origin that does is left open",
	async (t) => {
		const says = (id: string, url: string, summary: string) =>
			concept(id, `Relay padding ${id}`, summary, [source(id, url)]);
		const sides = ({ passage }: TextPair) =>
			reading(/one byte/.test(passage) ? "supports" : "refutes");
		for (const [url, verdict] of [
			["https://example.net/b", "CONFLICTING"],
			["https://example.org/b", "NOT_ENOUGH_EVIDENCE"],
		] as const) {
			const divided = makeGraph({ id: "divided" }, [
				says("a", "https://example.org/a", "Relay padding fills a frame up by one byte."),
				says("b", url, "Relay padding leaves every frame as it was."),
			]);
			const engine = await createSearchEngine({ folder: t.testdir(), clock, model: "none" });
			t.teardown(() => engine.close());
			await engine.sync([divided]);
			const search = { ...engine, judge: handJudge(sides) };
			const deps = { search, catalog: createGraphCatalog([divided]), clock };
			const told = await createClaimVerifier(deps).verify({
				claim: "Relay padding fills a frame up.",
				signal,
			});
			t.equal(told.verdict, verdict, url);
		}
	},
);

t.test("one owner and one document are one origin, and the table knows who publishes", (t) => {
	t.equal(bestTier([source("a", "https://datatracker.ietf.org/doc/x")]), 1);
	t.equal(bestTier([source("a", "https://nvd.nist.gov/vuln/1")]), 2);
	t.equal(
		bestTier([
			source("a", "https://blog.cloudflare.com/x"),
			source("b", "https://arxiv.org/abs/1"),
		]),
		2,
	);
	t.equal(bestTier([source("a", "https://example.org/x")]), 3);
	t.equal(findPublisher(source("a", "https://github.com/kubernetes/x")).owner, "kubernetes");
	t.equal(findPublisher(source("a", "https://news.example.co.uk/x")).owner, "example.co.uk");
	const filings = "https://www.sec.gov/Archives/edgar/data";
	const filers = [`${filings}/320193/000032019324000123/a.htm`, `${filings}/0000320193/`];
	for (const url of filers) {
		t.match(findPublisher(source("a", url)), { owner: "sec.gov/320193", tier: 1 });
	}
	t.equal(findPublisher(source("a", `${filings}/12927/b.htm`)).owner, "sec.gov/12927");
	t.equal(findPublisher(source("a", "https://www.sec.gov/news/x")).owner, "us-government");
	const of = (id: string, url: string, text: string) =>
		toCitedSentences(graph, concept(id, id, text, [source(id, url)]));
	const groups = groupByOrigin([
		...of("a", "https://www.rfc-editor.org/rfc/rfc1", "Relays sign every frame they send."),
		...of("b", "https://datatracker.ietf.org/doc/y", "A window limits what is in flight."),
		...of("c", "https://example.org/c", "Nonces are drawn at random."),
		...of("d", "https://example.net/d", "Nonces are drawn at random."),
	]);
	t.same(groups, [1, 1, 2, 2]);
	t.end();
});

t.test("only a verdict is sold, kept under an id and returned as a ClaimReview", async (t) => {
	const skill = boundSkill(claimVerification, {
		...{ verifier, catalog, clock },
		research: { embedder: () => undefined, resultIds: () => "vrf_test" },
	});
	const context = {
		signal,
		requestId: "req",
		callId: "hold",
		caller: { owner: "acc", access: undefined, keepsNoText: false },
	};
	const run = (claim: string, more = {}) =>
		skill.run(skill.input.parse({ claim }), { ...context, ...more } as never);
	const sold = await run("The relay window holds 64 frames.");
	t.match(sold, {
		kind: "answer",
		keep: { kind: "verification", id: "vrf_test" },
		result: {
			data: {
				verification_id: "vrf_test",
				claim_review: { "@type": "ClaimReview", reviewRating: { ratingValue: 5 } },
			},
		},
	});
	t.ok(skill.output.safeParse(sold.result).success);
	for (const claim of ["Is it so?", "The relay window was praised in Oslo."]) {
		const free = await run(claim);
		t.equal(free.kind, "no-answer");
		t.ok(skill.output.safeParse(free.result).success);
	}
	const textless = await run("The relay window holds 64 frames.", {
		caller: { ...context.caller, keepsNoText: true },
	});
	t.match(textless, {
		kind: "answer",
		keep: undefined,
		result: { data: { verification_id: null } },
	});
});
