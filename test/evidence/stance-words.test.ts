import t from "tap";
import { oddsOf, voteOf } from "../../skills/analysts/analyst-view.js";
import { stanceOf } from "../../skills/experts/consultation.js";
import { isFollowUp } from "../../src/evidence/content-words.js";

const said = (text: string, title = "Pinning keys") => ({ text, title });

t.test("a stance is what cited sentences come to, for questions that ask for advice", (t) => {
	const question = "Should I deploy key pinning?";
	for (const [stance, texts] of [
		["advises against", ["Do not deploy key pinning.", "A mistake locks visitors out."]],
		["advises against", ["The desk advises against pinning; use HSTS."]],
		["recommends", ["Clients should use key pinning.", "It is cheap."]],
		["recommends", ["Action: send the header with two keys and rotate them."]],
		["depends", ["Keep pinning off unless you own every client."]],
		["depends", ["Use pinning only if you own every client."]],
		["depends", ["Avoid pinning of keys on the web.", "Clients should adopt pinning early."]],
		["neutral", ["Pins are hashes of keys.", "They were specified in 2015."]],
	] as const) {
		t.equal(
			stanceOf(
				question,
				texts.map((text) => said(text)),
			),
			stance,
			texts.join(" "),
		);
	}
	const facts = "Which document describes key pinning?";
	t.equal(stanceOf(facts, [said("Do not deploy key pinning.")]), "neutral");
	t.equal(stanceOf(question, []), "neutral");
	t.end();
});

t.test("a warning about something else is none about the subject", (t) => {
	const sentences = [said("Clients should use HSTS, and never share tickets.", "HSTS")];
	t.equal(stanceOf("Should we deploy HSTS?", sentences), "recommends");
	const ids = [
		said("Use random identifiers.", "Identifiers"),
		said("Publish a schema.", "Identifiers"),
	];
	t.equal(stanceOf("Should I use sequential numbers as identifiers?", ids), "neutral");
	t.equal(stanceOf("How should I choose identifiers?", ids), "recommends");
	t.end();
});

t.test(
	"odds are counted with one vote added for each, add up to one and flag small samples",
	(t) => {
		t.match(oddsOf({ base: 0, upside: 0, downside: 0 }), {
			probabilities: { base: 0.334, upside: 0.333, downside: 0.333 },
			isSmallSample: true,
		});
		t.match(oddsOf({ base: 2, upside: 7, downside: 1 }), {
			probabilities: { base: 0.231, upside: 0.615, downside: 0.154 },
			isSmallSample: false,
		});
		for (let count = 0; count < 200; count += 1) {
			const votes = { base: count % 7, upside: count % 11, downside: count % 13 };
			const { base, upside, downside } = oddsOf(votes).probabilities;
			t.equal(Math.round((base + upside + downside) * 1e6), 1e6);
			t.ok(Math.min(base, upside, downside) > 0);
		}
		const moved = { score: 1, recent: 4, before: 1, asOf: "2026-01-01" };
		t.equal(voteOf(moved), "upside");
		t.equal(voteOf({ ...moved, score: -1 }), "downside");
		t.equal(voteOf({ ...moved, recent: 1, before: 0 }), "base", "one source is no trend");
		t.equal(voteOf({ ...moved, recent: 0, before: 0 }), undefined);
		t.end();
	},
);

t.test("a question that leaves its subject open is distinguished from one that names it", (t) => {
	for (const open of ["And how long does it last?", "Why?", "What about 2024?", "Is that safe?"]) {
		t.ok(isFollowUp(open), open);
	}
	for (const whole of [
		"Should a server deploy HTTP public key pinning today?",
		"How do session tickets keep forward secrecy in TLS 1.3?",
	]) {
		t.notOk(isFollowUp(whole), whole);
	}
	t.end();
});
