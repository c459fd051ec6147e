import assert from "node:assert/strict";
import * as fc from "fast-check";
import t from "tap";
import { type Changeable, changeBundle } from "../../src/knowledge/bundle/bundle-change.js";
import { readBundle } from "../../src/knowledge/bundle/bundle-reader.js";
import type { Graph } from "../../src/knowledge/model/graph.js";
import { filesOf, graphOf, TIDES } from "./sample-bundle.js";

const PATHS = [
	"a.md",
	"b.md",
	"c/a.md",
	"c/index.md",
	"graph.md",
	"index.md",
	"log.md",
	"broken.md",
];

/** Links in every spelling that may come to name a file, or cease to. */
const LINKS = [
	"a.md",
	"/b.md",
	"b",
	"/c/a",
	"../a.md",
	"graph.md",
	"nothing.md",
	"c.a",
	"c/index.md",
];

const conceptText = fc
	.record({
		links: fc.subarray(LINKS),
		relations: fc.subarray(LINKS),
		day: fc.constantFrom("", "2024-01-02", "2025-06-07"),
		title: fc.constantFrom("One", "Two"),
	})
	.map(
		({ links, relations, day, title }) =>
			`---\ntype: Concept\ntitle: ${title}\n${day === "" ? "" : `generated: { by: x/1, at: "${day}" }\n`}relations: [${relations.map((target) => `{ type: needs, target: ${target} }`).join(", ")}]\n---\n${links.map((link) => `[x](${link})`).join(" ")}\n`,
	);

const text = fc.oneof(
	conceptText,
	conceptText,
	conceptText,
	fc.constantFrom(
		"---\ntype: domain\nid: other\ntitle: Other\nupdated: 2024-02-03\n---\nAbout.",
		"---\ntype: domain\n---\n",
		"# A heading\n\n## 2026-05-06\n",
		"no front matter",
		"---\ntype: [",
	),
);

const change = fc.record({
	path: fc.constantFrom(...PATHS),
	text: fc.option(text, { nil: undefined, freq: 3 }),
});

const bytesOf = (written: string) => new TextEncoder().encode(written);

const asRead = ({ record, concepts, contentHash, memory }: Graph) => ({
	record,
	concepts,
	contentHash,
	awaited: memory?.awaited,
	frame: memory?.frame,
});

type Step = readonly { readonly path: string; readonly text: string | undefined }[];

async function takeStep(graph: Changeable, files: Map<string, Uint8Array>, step: Step) {
	const texts = step.map(({ path, text: written }) => [path, written] as const);
	const changes = new Map(
		texts.map(([path, written]) => [path, written === undefined ? written : bytesOf(written)]),
	);
	for (const [path, bytes] of changes) {
		if (bytes) files.set(path, bytes);
		else files.delete(path);
	}
	const read = async (path: string) => files.get(path) ?? bytesOf("");
	return (await changeBundle(graph, changes, read)).graph as Changeable;
}

t.test("a graph changed step by step is the graph that reading its files again gives", async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.array(fc.array(change, { minLength: 1, maxLength: 3 }), { maxLength: 8 }),
			async (steps) => {
				const files = filesOf({ "graph.md": "---\ntype: domain\nid: notes\n---\n" });
				let graph = readBundle(files).graph as Changeable;
				for (const step of steps) graph = await takeStep(graph, files, step);
				assert.deepEqual(asRead(graph), asRead(readBundle(files).graph));
			},
		),
		{ numRuns: 200 },
	);
});

t.test("concepts that a change leaves as they were are the same objects", async (t) => {
	const before = graphOf(TIDES) as Changeable;
	const files = filesOf(TIDES);
	const asked: string[] = [];
	const read = async (path: string) => {
		asked.push(path);
		return files.get(path) ?? new Uint8Array();
	};
	const { graph } = await changeBundle(before, new Map([["phases/low.md", undefined]]), read);
	t.equal(graph.concepts.length, before.concepts.length - 1);
	t.ok(graph.concepts.every((concept) => before.concepts.includes(concept)));
	t.same(asked, [], "nothing linked to it");
	await changeBundle(before, new Map([["cycles/spring.md", undefined]]), read);
	t.same(asked.sort(), ["cycles/neap.md", "phases/high.md"], "those that linked to it");
});

t.test("a file that would take another one's id is refused", async (t) => {
	const graph = graphOf(TIDES) as Changeable;
	const twin = filesOf({ "phases.low.md": "---\ntype: Concept\n---\nText." });
	await t.rejects(
		changeBundle(graph, twin, async () => bytesOf("")),
		{ code: "INVALID_ARGUMENT", message: /phases\.low.*phases\/low\.md/ },
	);
});
