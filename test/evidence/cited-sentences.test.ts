import fc from "fast-check";
import t from "tap";
import { toTableSentences } from "../../src/documents/markdown.js";
import { splitSentences, toCitedSentences } from "../../src/evidence/cited-sentences.js";
import { toEvidencePassages } from "../../src/evidence/evidence-passages.js";
import { graphOf } from "../knowledge/sample-bundle.js";

t.test("abbreviations and initials end no sentence, whatever stands behind them", (t) => {
	for (const [text, sentences] of [
		["See e.g. Smith. It ends.", ["See e.g. Smith.", "It ends."]],
		["It is by A. Bell. It ends.", ["It is by A. Bell.", "It ends."]],
		["He plays the piano. It ends.", ["He plays the piano.", "It ends."]],
		["Look at fig.\n\n\nSeven is told. It ends.", ["Look at fig.\n\n\nSeven is told.", "It ends."]],
		[`Look at fig.${"\n".repeat(40)}Seven. It ends.`, 2],
		["E.g. Smith says so", ["E.g. Smith says so"]],
		["It ends (cf. Smith). So it is (p. 7).", ["It ends (cf. Smith).", "So it is (p. 7)."]],
		["  \n ", []],
		["It ends. It is no.", ["It ends.", "It is no."]],
	] as const) {
		const split = splitSentences(text);
		if (typeof sentences === "number") t.equal(split.length, sentences, JSON.stringify(text));
		else t.same(split, sentences, JSON.stringify(text));
	}
	t.end();
});

t.test("a text of abbreviations alone is read in one go", (t) => {
	// In time that grows with its square this takes minutes.
	const text = "A. Bcd fig. ".repeat(40_000);
	t.same(splitSentences(text), [text.trim()]);
	t.equal(splitSentences("It ends here. ".repeat(30_000)).length, 30_000);
	t.equal(splitSentences("no end ".repeat(70_000)).length, 1);
	t.end();
});

t.test("where a long text is cut into pieces changes none of its sentences", (t) => {
	const word = fc.constantFrom(
		...["It ends. ", "it goes on ", "7 ", "No? ", "(So.) ", "\n", "… ", "🙂. ", '"Yes." ', "12. "],
	);
	const segmenter = new Intl.Segmenter("en", { granularity: "sentence" });
	fc.assert(
		fc.property(fc.array(word, { minLength: 1_000, maxLength: 1_500 }), (words) => {
			const text = words.join("");
			const whole = [...segmenter.segment(text)].map(({ segment }) => segment.trim());
			t.same(
				splitSentences(text),
				whole.filter((sentence) => sentence !== ""),
			);
		}),
		{ numRuns: 20 },
	);
	t.end();
});

t.test("a link that reads several sentences carries each of them", (t) => {
	const graph = graphOf({
		"graph.md": "---\ntype: domain\nid: tides\n---\n",
		"moon.md": `---
type: Concept
description: Why the sea moves.
sources: [{ id: a, resource: "https://a.example" }, { id: b, resource: "https://b.example" }]
---
The moon pulls. [Bell, A. (2016). Tides in
harbors. *Sea*, 4(1).](https://a.example)[^a] It is [near](https://b.example)[^b] us.

[^a]: <https://a.example>
[^b]: <https://b.example>
`,
	});
	const [concept] = graph.concepts;
	t.ok(concept);
	const cited = concept ? toCitedSentences(graph, concept) : [];
	t.same(
		cited
			.filter(({ paragraph }) => paragraph > 0)
			.map(({ text, sources }) => [text, ...sources.map(({ sourceUrl }) => sourceUrl)]),
		[
			["Bell, A. (2016).", "https://a.example"],
			["Tides in harbors.", "https://a.example"],
			["Sea, 4(1).", "https://a.example"],
			["It is near us.", "https://b.example"],
		],
	);
	t.end();
});

t.test("rows of a table are sentences, with the sources of the sentence before it", (t) => {
	const graph = graphOf({
		"graph.md": "---\ntype: domain\nid: tides\n---\n",
		"moon.md": `---
type: Concept
description: Heights of the tide.
sources: [{ id: a, resource: "https://a.example" }, { id: b, resource: "https://b.example" }]
---
The sea moves.[^a]

## Heights

Harbors measure it.[^a] The table has what they found.[^b]

| Harbor | Spring tide (m) | Neap tide (m) |
|---|--:|---|
| **Brest** | 6.1 | 2.8 [link](https://x.example) |
| Saint\\|Malo | 10.7 | – |
| | 3 | |

It ends here.[^a]

| no | table |
`,
	});
	const [concept] = graph.concepts;
	if (!concept) throw new Error("no concept");
	const rows = toCitedSentences(graph, concept).filter(({ heading }) => heading === "Heights");
	t.same(
		rows.map(({ text, sources }) => [text, sources.map(({ articleId }) => articleId).join(" ")]),
		[
			["Harbors measure it.", "a"],
			["The table has what they found.", "b"],
			["Harbor Brest: Spring tide (m) 6.1; Neap tide (m) 2.8 link.", "b"],
			["Harbor Saint|Malo: Spring tide (m) 10.7.", "b"],
			["It ends here.", "a"],
		],
	);
	t.same(
		rows.map(({ place }) => place),
		[2, 3, 5, 6, 4],
		"rows are counted last, so that a sentence has the place it had",
	);
	const passages = toEvidencePassages(graph, concept).map(({ sentences }) => sentences.length);
	t.same(passages, [1, 1, 4, 1], "a table is read with the sentence before it");
	t.end();
});

t.test("a table as wide and as long as a text is read in one go, and in part", (t) => {
	const wide = `|${" a |".repeat(30_000)}\n|${"-|".repeat(30_000)}\n${`| 1 |${" 2 |".repeat(40)}\n`.repeat(2_000)}`;
	t.ok(toTableSentences(wide).length <= 60);
	t.same(toTableSentences(`|${"-".repeat(200_000)}\n`), []);
	t.same(toTableSentences(`a | b\n${"-| ".repeat(50_000)}x`), []);
	t.end();
});

t.test(
	"a table without a sentence before it in its section has none of another section's sources",
	(t) => {
		const graph = graphOf({
			"graph.md": "---\ntype: domain\nid: tides\n---\n",
			"moon.md": `---
type: Concept
description: Heights of the tide.
sources: [{ id: a, resource: "https://a.example" }]
---
The sea moves.[^a]

## Heights

| Harbor | Spring tide (m) |
|---|---|
| Brest | 6.1 |
`,
		});
		const [concept] = graph.concepts;
		if (!concept) throw new Error("no concept");
		t.notOk(toCitedSentences(graph, concept).some(({ text }) => text.includes("Brest")));
		t.end();
	},
);
