import t from "tap";
import { passCitationGate } from "../../skills/answers/citation-gate.js";
import { toCitedSentences } from "../../src/evidence/cited-sentences.js";
import type { PairJudge } from "../../src/search/judge/pair-judge.js";
import { makeConcept, makeGraph } from "../service/sample-graphs.js";
import { failingJudge, handJudge, reading } from "../support/word-judge.js";

const concept = makeConcept({
	title: "Server push",
	summary: "",
	body: [
		"Server push was not adopted by most sites.[^rfc9110]",
		"Chrome removed server push in 2022 because few sites used it.[^rfc9110]",
		"The frame limit is 64 kilobytes for each stream.[^rfc9110]",
		"The registry lists push.example.org as a reserved host name.[^rfc9110]",
	].join(" "),
});
const offered = toCitedSentences(makeGraph({}, [concept]), concept);
const [notAdopted = "", removed = "", limit = "", host = ""] = offered.map(
	({ evidenceId }) => evidenceId,
);
const { signal } = new AbortController();
const gateBy = (judge: PairJudge | undefined, text: string, evidenceIds: readonly string[]) =>
	passCitationGate([{ text, evidenceIds }], { offered, judge, signal });
const gate = (text: string, ...evidenceIds: string[]) => gateBy(handJudge(), text, evidenceIds);
const yes = handJudge(() => reading("supports"));

t.test("what is quoted word for word passes, and cites what it quotes alone", async (t) => {
	const text = "Server push was not adopted by most sites.";
	const { written } = await gateBy(undefined, text, [notAdopted, limit]);
	t.same(
		written.map(({ evidence }) => evidence.map(({ evidenceId }) => evidenceId)),
		[[notAdopted]],
	);
});

t.test(
	"a quotation passes without a judge in other case, punctuation and with marks of citation",
	async (t) => {
		for (const text of [
			"server push was not adopted by most sites",
			"Server push was not adopted, by most sites [1].",
			"“Server push was not adopted by most sites”[^2].",
		]) {
			t.equal((await gateBy(undefined, text, [notAdopted])).written.length, 1, text);
		}
		for (const text of [
			"Server push was adopted by most sites.",
			"Server push was not adopted by sites.",
			"Server push was not adopted by most sites in 2022.",
		]) {
			t.equal((await gateBy(undefined, text, [notAdopted])).written.length, 0, text);
		}
		const minus = await gateBy(undefined, "The frame limit is -64 kilobytes for each stream.", [
			limit,
		]);
		t.equal(minus.written.length, 0, "a sign is no punctuation");
	},
);

t.test("without a judge, and where it fails, a draft in other words is left out", async (t) => {
	for (const judge of [undefined, failingJudge]) {
		const { dropped } = await gateBy(judge, "Chrome removed push in 2022.", [removed]);
		t.match(dropped, [{ reason: "not read" }]);
	}
});

t.test("what a paraphrase keeps of its evidence passes", async (t) => {
	t.equal((await gate("Chrome removed push in 2022.", removed)).written.length, 1);
	const other = await gate("Each stream has a frame limit of 64 kilobytes.", limit);
	t.equal(other.written.length, 1);
});

t.test("a sentence is read beside all it cites, and cites no more than carries it", async (t) => {
	const both = "Chrome removed server push in 2022, and the frame limit is 64 kilobytes.";
	const told = await gate(both, removed, limit);
	t.same(told.written[0]?.evidence.length, 2);
	const one = await gate("Chrome removed push in 2022.", removed, limit);
	t.same(
		one.written[0]?.evidence.map(({ evidenceId }) => evidenceId),
		[removed],
	);
});

t.test("a lone piece of evidence is read among its neighbors, under its title", async (t) => {
	const judge = handJudge();
	await gateBy(judge, "Chrome removed push in 2022.", [removed]);
	t.match(judge.asked, [
		{ passage: /^Server push\. Server push was not .* Chrome removed .* The frame/ },
	]);
});

t.test("from a threshold on evidence carries a sentence", async (t) => {
	for (const [supports, passes] of [
		[0.86, 0],
		[0.88, 1],
	] as const) {
		const judge = handJudge(() => ({ answers: 1, supports, refutes: 0, open: 1 - supports }));
		const { written } = await gateBy(judge, "Chrome removed push in 2022.", [removed]);
		t.equal(written.length, passes, String(supports));
	}
});

t.test(
	"a figure, date or name that its evidence lacks drops a sentence, whatever the judge reads",
	async (t) => {
		for (const [text, id] of [
			["The frame limit is 65 kilobytes for each stream.", limit],
			["Chrome removed server push in 2021, as few sites used it.", removed],
			["In 2022 Firefox removed server push, as few sites used it.", removed],
			["Chrome and Firefox removed server push in 2022.", removed],
			["The frame limit is 64 megabytes for each stream.", limit],
		] as const) {
			const { dropped } = await gateBy(yes, text, [id]);
			t.match(dropped, [{ reason: "not supported" }], text);
		}
		t.equal((await gateBy(yes, "Chrome gave push up in 2022.", [removed])).written.length, 1);
	},
);

t.test("a sentence that turns its evidence around is dropped", async (t) => {
	for (const [text, id] of [
		["Server push was adopted by most sites.", notAdopted],
		["Chrome has not removed server push in 2022, few sites used it.", removed],
	] as const) {
		const { written, dropped } = await gate(text, id);
		t.same(written, [], text);
		t.equal(dropped[0]?.reason, "not supported", text);
	}
});

t.test("a sentence rides on no other's citation", async (t) => {
	const { written, dropped } = await gate(
		"Chrome removed server push in 2022 because few sites used it. All readers must buy the shield now.",
		removed,
	);
	t.same(
		written.map(({ text }) => text),
		["Chrome removed server push in 2022 because few sites used it."],
	);
	t.match(dropped, [{ text: /shield/, reason: "not supported" }]);
});

t.test("without a citation, or with one that was not offered, nothing is shown", async (t) => {
	const text = "Chrome removed push in 2022.";
	t.match((await gateBy(yes, text, [])).dropped, [{ reason: "uncited" }]);
	const unknown = await gateBy(yes, text, ["web-payments:other~1"]);
	t.match(unknown.dropped, [{ reason: "unknown citation" }]);
	t.equal((await gateBy(yes, text, [removed, "x:y~1"])).written.length, 0);
});

t.test("prose brings no address, link or markup of its own", async (t) => {
	for (const text of [
		"Chrome removed server push in 2022, see https://evil.example.",
		"Chrome removed server push in 2022, write to mailto:sales.",
		"Chrome removed server push in 2022, //evil.example/x.",
		"Chrome removed server push in 2022 [pay](x).",
		"Chrome removed server push in 2022 <b>now</b>.",
		"Chrome removed server push in 2022, says acme-shield.io.",
	]) {
		t.match((await gateBy(yes, text, [removed])).dropped, [{ reason: "unsafe" }], text);
	}
	const own = await gate("push.example.org is a reserved host name in the registry.", host);
	t.equal(own.written.length, 1);
});

t.test("signs that change what is said are no punctuation", async (t) => {
	const code = makeConcept({
		title: "Languages",
		summary: "",
		body: [
			"C# is faster than Java here.[^rfc9110]",
			"The loop goes on while a != b holds.[^rfc9110]",
			"In this language arr[0] is the first element.[^rfc9110]",
		].join(" "),
	});
	const told = toCitedSentences(makeGraph({}, [code]), code);
	const ids = told.map(({ evidenceId }) => evidenceId);
	for (const [text, at] of [
		["C is faster than Java here.", 0],
		["The loop goes on while a = b holds.", 1],
		["In this language arr[5] is the first element.", 2],
	] as const) {
		const draft = [{ text, evidenceIds: [ids[at] ?? ""] }];
		const { written } = await passCitationGate(draft, { offered: told, judge: undefined, signal });
		t.same(written, [], text);
	}
});
