import t from "tap";
import { priorsOf } from "../../src/search/index/concept-priors.js";
import { toPassages, toPlainText } from "../../src/search/lexical/concept-text.js";
import { tokenize } from "../../src/search/lexical/tokenizer.js";
import { isNameOf } from "../../src/search/ranking/found-concepts.js";
import { sampleConcept, sampleGraph } from "./sample-graph.js";

t.test("Markdown is read as what a reader sees", async (t) => {
	const text = toPlainText(
		'## Title\n\n- a [link](/x/y.md "t") and `code`[^src]\n> **bold** https://example.org/a?b\n\n[^src]: Source, 2020.\n<!-- hidden -->',
	);
	t.same(text.split(/\s+/).filter(Boolean), ["Title", "a", "link", "and", "code", "bold"]);
});

t.test("a rule, a heading without text and an empty item leave no marks", async (t) => {
	const text = toPlainText("a\n---\n#\n-\n| b | c |\n|---|:-:|\n```ts\n[![alt](i.png)](d 'x')\n");
	t.notMatch(text, /[-#|`]/);
	t.match(text, /alt/);
});

t.test("hostile Markdown costs no more than its length", async (t) => {
	const chars = 200_000;
	const hostile = {
		brackets: "[",
		images: "![",
		"links never closed": "[a](b ",
		"titles never closed": '[a](b "',
		"footnotes never closed": "[^a",
		"footnote lines never closed": "[^a\n",
		"comments never closed": "<!--",
		addresses: "<http://",
		spaces: " ",
		tabs: "\t",
		"blank lines": "\n",
		"lines of a space": " \n",
		rules: "- ",
		marks: "*",
	};
	for (const [name, piece] of Object.entries(hostile)) {
		const text = `${piece.repeat(chars / piece.length)}x`;
		const before = process.cpuUsage();
		toPlainText(text);
		const { user, system } = process.cpuUsage(before);
		t.ok(user + system < 2e6, `${name}: ${(user + system) / 1_000} ms`);
	}
});

t.test(
	"a concept's first passage is its title and summary, the others are led by the title",
	async (t) => {
		const concept = sampleConcept("a", {
			title: "Title",
			summary: "Summary.",
			body: "word ".repeat(400),
		});
		const [head, ...windows] = toPassages(concept);
		t.equal(head, "Title. Summary.");
		t.equal(windows.length, 4);
		t.ok(windows.every((text) => text.startsWith("Title. word")));
	},
);

t.test("every part of a long body is in a passage; an empty concept gives one", async (t) => {
	const sentences = Array.from({ length: 4_000 }, (_, at) => `Sentence ${at} has its say here.`);
	const windows = toPassages(sampleConcept("a", { body: sentences.join("\n\n") })).slice(1);
	t.ok(sentences.every((sentence) => windows.some((window) => window.includes(sentence))));
	t.ok(windows.every((window) => window.split(" ").length < 125));
	t.same(toPassages(sampleConcept("a", { title: "" })), ["a"]);
});

t.test("windows end with a sentence, and share one with the next", async (t) => {
	const sentences = Array.from({ length: 60 }, (_, at) => `This is sentence number ${at} of it.`);
	const [, first, second] = toPassages(
		sampleConcept("a", { title: "T", body: sentences.join(" ") }),
	);
	t.match(first, /number 14 of it\.$/);
	t.match(second, /^T\. This is sentence number 14 /);
});

t.test("a concept is called by its title, a part of it, an alias or its file", async (t) => {
	const concept = sampleConcept("events.heartbleed", {
		title: "CVE-2014-0160: OpenSSL over-read",
		aliases: ["Heartbleed bug"],
	});
	for (const name of ["CVE-2014-0160", "cve 2014 0160", "heartbleed", "openssl over-read"]) {
		t.ok(isNameOf(tokenize(name), concept), name);
	}
	for (const other of ["openssl", "CVE-2014-0161", "heartbleed in nginx", ""]) {
		t.notOk(isNameOf(tokenize(other), concept), other);
	}
});

t.test(
	"what others link to goes before what nothing links to, current before deprecated",
	async (t) => {
		const edge = { type: "links-to", target: "a", weight: 1 };
		const graph = sampleGraph("g", [
			sampleConcept("a", { edges: [edge] }),
			sampleConcept("b", { edges: [edge, edge] }),
			sampleConcept("c", { edges: [edge], status: "deprecated" }),
		]);
		const [a = 0, b = 0, c = 0] = priorsOf(graph, graph.concepts);
		t.ok(a > b && b > c);
		t.ok(a <= 1 && c > 0.7);
	},
);
