import assert from "node:assert/strict";
import * as fc from "fast-check";
import t from "tap";
import { type Changeable, changeBundle } from "../../src/knowledge/bundle/bundle-change.js";
import { readBundle } from "../../src/knowledge/bundle/bundle-reader.js";
import { hashOf } from "../../src/knowledge/bundle/content-hash.js";
import { differences, frameChanges, recordFor } from "../../src/knowledge/import/bundle-frame.js";
import { FRAME_PATHS } from "../../src/knowledge/import/bundle-paths.js";
import { importBundle } from "../../src/knowledge/import/import-bundle.js";
import type { ImportOptions } from "../../src/knowledge/import/import-options.js";
import { toImportMemory, updateImport } from "../../src/knowledge/import/import-update.js";
import type { ImportMemory } from "../../src/knowledge/import/source-reading.js";
import { runAtOnce } from "../../src/knowledge/model/work-in-turns.js";
import { textOf } from "./sample-bundle.js";

const OPTIONS: ImportOptions = { today: "2026-01-02", edgeKeys: ["requires"] };
/** Documents say where they are published, or their owner says it of all. */
const ALL_OPTIONS = [OPTIONS, { ...OPTIONS, sourceUrl: "https://example.org/{stem}" }];
const PATHS = [
	"eip-1.md",
	"eip-2.md",
	"Notes/Tide.md",
	"Notes/Moon Phase.md",
	"tide.md",
	"index.md",
	"Notes.md/x.md",
];
const NAMES = ["eip-1", "2", "Tide", "Moon Phase", "Alias", "Other", "nowhere"];

const document = fc
	.record({
		title: fc.constantFrom("", "Tide", "Other", "Same"),
		alias: fc.constantFrom("", "Alias"),
		requires: fc.subarray(NAMES, { maxLength: 2 }),
		wiki: fc.subarray(NAMES, { maxLength: 2 }),
		relations: fc.subarray(
			["/eip-2.md", "/notes/tide.md", "../tide.md", "/notes/moon-phase.md", "/Notes/Tide.md"],
			{ maxLength: 2 },
		),
		links: fc.subarray(
			["eip-2.md", "../tide.md", "Tide.md", "/Notes/Tide.md", "https://example.org/tide"],
			{ maxLength: 2 },
		),
		tag: fc.constantFrom("", "#tagged"),
		heading: fc.constantFrom("", "# Tide\n", "# Summary\n", "# Low water\n"),
		head: fc.constantFrom(
			"",
			"private: true",
			"expiryDate: 2026-01-01",
			"url: https://example.org/tide",
		),
		date: fc.constantFrom("", "date: 2020-02-03"),
	})
	.map(({ title, alias, requires, wiki, relations, links, tag, heading, head, date }) =>
		[
			"---",
			"type: Note",
			...(title === "" ? [] : [`title: ${title}`]),
			...(alias === "" ? [] : [`aliases: [${alias}]`]),
			`requires: "${requires.join(", ")}"`,
			`relations: [${relations.map((to) => `{ type: needs, target: ${to} }`).join(", ")}]`,
			...[head, date].filter((line) => line !== ""),
			"---",
			heading,
			`Text ${tag} here. ${wiki.map((name) => `[[${name}]]`).join(" ")}`,
			links.map((link) => `[x](${link})`).join(" "),
		].join("\n"),
	);
const text = fc.oneof(
	{ weight: 8, arbitrary: document },
	{
		weight: 1,
		arbitrary: fc.constantFrom("", "---\ntitle: [\n---\n", '---\nokf_version: "0.2"\n---\n# T\n'),
	},
);
const step = fc.record({
	path: fc.constantFrom(...PATHS),
	text: fc.option(text, { nil: undefined, freq: 3 }),
	/** Somebody else changes or removes a file of the bundle meanwhile. */
	meddles: fc.constantFrom<Meddling>("no", "no", "no", "changes", "removes"),
	isStamped: fc.boolean(),
});

const steps = fc.array(step, { minLength: 1, maxLength: 8 });

type Files = Map<string, Uint8Array>;
interface Import {
	readonly graph: Changeable;
	readonly files: Files;
	readonly memory: ImportMemory;
	readonly options: ImportOptions;
}

const stampsOf = (source: Files) =>
	new Map([...source].map(([path, bytes]) => [path, hashOf(bytes)] as const));

async function importWhole(source: Files, options: ImportOptions): Promise<Import> {
	const result = await importBundle(source, "notes", options);
	const memory = runAtOnce(toImportMemory(source, stampsOf(source), result));
	return { graph: result.graph as Changeable, files: new Map(result.files), memory, options };
}

async function change(
	state: Import,
	changes: ReadonlyMap<string, Uint8Array | undefined>,
): Promise<Import> {
	const files = new Map(state.files);
	for (const [path, bytes] of changes) {
		if (bytes) files.set(path, bytes);
		else files.delete(path);
	}
	const read = async (path: string) => files.get(path) ?? new Uint8Array();
	const { graph } = await changeBundle(state.graph, changes, read);
	return { ...state, files, graph: graph as Changeable };
}

let updates = 0;

/** Undefined when a whole import is asked for. */
async function update(
	state: Import,
	source: Files,
	unstamped: string | undefined,
): Promise<Import | undefined> {
	const stamps = new Map<string, string | undefined>(stampsOf(source));
	if (unstamped !== undefined && stamps.has(unstamped)) stamps.set(unstamped, undefined);
	const readFile = async (path: string) => source.get(path) ?? new Uint8Array();
	const { graph, memory, options } = state;
	const found = await updateImport({ graph, memory, stamps, readFile }, options);
	if (!found) return undefined;
	updates += 1;
	const changed = await change({ ...state, memory: found.memory }, found.changes);
	const { format, sourceRecord, rows } = found.memory;
	const given = new Set(
		format === "okf" ? [...rows.keys()].filter((path) => FRAME_PATHS.has(path)) : [],
	);
	const rules = { format, sourceRecord, options, given };
	return change(
		changed,
		frameChanges(changed.graph, rules, recordFor(changed.graph, rules, "2026-01-02")),
	);
}

const textsOf = (files: Files) =>
	[...files.keys()].sort().map((path) => `${path}\n${textOf(files, path)}`);

type Meddling = "no" | "changes" | "removes";

async function meddle(state: Import, meddles: Meddling): Promise<Import> {
	const [victim] = state.graph.concepts;
	if (meddles === "no" || !victim) return state;
	const bytes = new TextEncoder().encode("---\ntype: X\n---\nMeddled.");
	return change(state, new Map([[victim.path, meddles === "changes" ? bytes : undefined]]));
}

interface Step {
	readonly path: string;
	readonly text: string | undefined;
	readonly meddles: Meddling;
	readonly isStamped: boolean;
}

async function takeStep(before: Import, source: Files, step: Step): Promise<Import> {
	const meddled = await meddle(before, step.meddles);
	if (step.text === undefined) source.delete(step.path);
	else source.set(step.path, new TextEncoder().encode(step.text));
	const whole = await importWhole(source, before.options);
	const state = (await update(meddled, source, step.isStamped ? undefined : "a.md")) ?? whole;
	assert.deepEqual(textsOf(state.files), textsOf(whole.files));
	assert.deepEqual(state.graph.concepts, whole.graph.concepts);
	const { graph: read } = readBundle(whole.files, { fallbackId: "notes" });
	assert.deepEqual([read.record, read.concepts], [whole.graph.record, whole.graph.concepts]);
	assert.equal(state.graph.contentHash, whole.graph.contentHash);
	return state;
}

t.test("updating step by step gives the files and the graph of one whole import", async (t) => {
	await fc.assert(
		fc.asyncProperty(steps, fc.constantFrom(...ALL_OPTIONS), async (steps, options) => {
			const source: Files = new Map([
				["a.md", new TextEncoder().encode("# A\n\nSee [[Tide]] and [x](eip-1.md).")],
			]);
			let state = await importWhole(source, options);
			for (const one of steps) state = await takeStep(state, source, one);
		}),
		{ numRuns: 100 },
	);
	t.ok(updates > 50, `${updates} of the steps took no whole import`);
});

t.test("a whole import of the same files differs in nothing", async (t) => {
	const source: Files = new Map([["a.md", new TextEncoder().encode("# A\n\nText.")]]);
	const { graph, files } = await importWhole(source, OPTIONS);
	t.equal(differences(graph, files, new Set()).size, 0);
});

t.test("links follow a document to where it says it is published", async (t) => {
	const document = (more: string) => `---\ntype: Note\ntitle: One${more}\n---\nText.`;
	const encoder = new TextEncoder();
	const source: Files = new Map([
		["a.md", encoder.encode("# A\n\nSee [x](https://example.org/tide#top).")],
		["eip-1.md", encoder.encode(document(""))],
	]);
	const before = await importWhole(source, OPTIONS);
	const text = document("\nurl: https://example.org/tide");
	const after = await takeStep(before, source, {
		path: "eip-1.md",
		text,
		meddles: "no",
		isStamped: true,
	});
	t.same(before.graph.concepts[0]?.edges, []);
	t.match(after.graph.concepts[0]?.edges, [{ target: "eip-1" }]);
});
