import fc from "fast-check";
import t from "tap";
import type { Concept } from "../../src/knowledge/model/graph.js";
import { saysTheSame, toComparable } from "../../src/search/ranking/near-duplicates.js";
import { sampleConcept } from "./sample-graph.js";

const row = (concept: Concept, lexicalShare = 0.8, cosine: number | undefined = 0.6) =>
	toComparable({ concept, lexicalShare, cosine });

const WORDS =
	"holder signs transfer chain anyone may submit nonce random order settle reserve money".split(
		" ",
	);
const sentence = (least: number) =>
	fc
		.array(fc.constantFrom(...WORDS), { minLength: least, maxLength: 40 })
		.map((words) => words.join(" "));
const concepts = fc.record({ title: sentence(2), summary: sentence(6), body: sentence(0) });
const identifiers = fc.tuple(
	fc.constantFrom("EIP-", "RFC ", "v", "CVE-2025-", "UUID v"),
	fc.integer({ min: 1, max: 9_999 }),
	fc.integer({ min: 1, max: 9_999 }),
);

t.test("a text says the same as itself, wherever it is filed", async (t) => {
	fc.assert(
		fc.property(concepts, (given) =>
			saysTheSame(row(sampleConcept("a", given)), row(sampleConcept("elsewhere.b", given))),
		),
	);
	t.pass();
});

t.test("likeness has no direction", async (t) => {
	fc.assert(
		fc.property(concepts, concepts, (one, other) => {
			const [a, b] = [row(sampleConcept("a", one)), row(sampleConcept("b", other))];
			return saysTheSame(a, b) === saysTheSame(b, a);
		}),
	);
	t.pass();
});

t.test("other identifiers are other things, however alike the texts", async (t) => {
	fc.assert(
		fc.property(concepts, identifiers, (given, [prefix, one, other]) => {
			fc.pre(one !== other);
			const named = (number: number) =>
				row(sampleConcept("a", { ...given, title: `${given.title} ${prefix}${number}` }));
			return !saysTheSame(named(one), named(other));
		}),
	);
	for (const [one, other] of [
		["EIP-2612", "EIP-3009"],
		["UUID version 4", "UUID version 7"],
		["TLS 1.2", "TLS 1.3"],
	]) {
		const about = { summary: "How it works and what it is for.", body: "" };
		const [a, b] = [one, other].map((title = "") => row(sampleConcept("a", { title, ...about })));
		t.notOk(a && b && saysTheSame(a, b), `${one} and ${other}`);
	}
});

t.test("rows that match a query differently are not compared", async (t) => {
	const concept = sampleConcept("a", { title: "Holds", summary: "Money is reserved." });
	t.notOk(saysTheSame(row(concept, 0.9), row(concept, 0.4)));
	t.notOk(saysTheSame(row(concept, 0.9, 0.7), row(concept, 0.9, 0.4)));
	t.ok(saysTheSame(row(concept, 0.9, undefined), row(concept, 0.9, undefined)));
});

t.test("one title from one source says the same in other words", async (t) => {
	const evidence = [
		{
			articleId: "s",
			title: "Source",
			sourceUrl: "https://example.org/s",
			publishedAt: undefined,
			datePrecision: undefined,
		},
	];
	const title = "Deferred settlement of holds";
	const first = {
		title,
		evidence,
		summary: "Money is reserved first.",
		body: "One way to say it.",
	};
	const second = {
		title,
		evidence,
		summary: "Money is reserved first, then released.",
		body: "Another.",
	};
	const [a, b] = [sampleConcept("a", first), sampleConcept("b", second)];
	t.ok(saysTheSame(row(a), row(b)));
	t.notOk(saysTheSame(row(a), row({ ...b, evidence: [] })), "not without the source");
});
