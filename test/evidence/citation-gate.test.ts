import t from "tap";
import { passCitationGate } from "../../skills/answers/citation-gate.js";
import { toCitedSentences } from "../../src/evidence/cited-sentences.js";
import { makeConcept, makeGraph } from "../service/sample-graphs.js";

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
const gate = (text: string, ...evidenceIds: string[]) =>
	passCitationGate([{ text, evidenceIds }], offered);

t.test("what is quoted word for word passes, and cites what it quotes alone", async (t) => {
	const text = "Server push was not adopted by most sites.";
	const { written } = gate(text, notAdopted, limit);
	t.same(
		written.map(({ evidence }) => evidence.map(({ evidenceId }) => evidenceId)),
		[[notAdopted]],
	);
});

t.test("what a paraphrase keeps of its evidence passes", async (t) => {
	t.equal(gate("Chrome removed push in 2022.", removed).written.length, 1);
	t.equal(gate("Each stream has a frame limit of 64 kilobytes.", limit).written.length, 1);
	const both = "Chrome removed server push in 2022, and the frame limit is 64 kilobytes.";
	t.same(gate(both, removed, limit).written[0]?.evidence.length, 2);
});

t.test("a sentence that turns its evidence around is dropped", async (t) => {
	for (const [text, id] of [
		["Server push was adopted by most sites.", notAdopted],
		["Chrome has not removed server push in 2022, few sites used it.", removed],
		["The frame limit is 65 kilobytes for each stream.", limit],
	] as const) {
		t.same(gate(text, id).written, [], text);
		t.equal(gate(text, id).dropped[0]?.reason, "not supported", text);
	}
});

t.test("a sentence rides on no other's citation", async (t) => {
	const { written, dropped } = gate(
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
	t.equal(gate("Chrome removed push in 2022.").dropped[0]?.reason, "uncited");
	t.equal(
		gate("Chrome removed push in 2022.", "web-payments:other~1").dropped[0]?.reason,
		"unknown citation",
	);
	t.equal(gate("Chrome removed push in 2022.", removed, "x:y~1").written.length, 0);
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
		t.equal(gate(text, removed).dropped[0]?.reason, "unsafe", text);
	}
	t.equal(
		gate("push.example.org is a reserved host name in the registry.", host).written.length,
		1,
	);
});
