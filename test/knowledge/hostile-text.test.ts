import t from "tap";
import { toSections } from "../../src/documents/markdown.js";
import { BUNDLE_LIMITS } from "../../src/knowledge/bundle/bundle-limits.js";
import { readBundle } from "../../src/knowledge/bundle/bundle-reader.js";
import { createDocumentNames } from "../../src/knowledge/import/document-names.js";
import { importBundle } from "../../src/knowledge/import/import-bundle.js";

import { filesOf } from "./sample-bundle.js";

const LONG = 200_000;
/**
 * Of the processor's time, which does not pass while others have it: far more than any of these lines may take, far less than a
 * scan that starts over at every character does.
 */
const PATIENCE_MS = 8_000;

function msSince(start: NodeJS.CpuUsage): number {
	return process.cpuUsage(start).user / 1_000;
}

const HEAD = "---\ntype: X\n---\n";
const many = (text: string) => text.repeat(Math.ceil(LONG / text.length));

const HOSTILE: Readonly<Record<string, string>> = {
	heading: `# x${" ".repeat(LONG)}x`,
	"heading of marks": `# ${many("# ")}x`,
	"underline of marks": `x\n${many("=")}x`,
	fences: many("```\n"),
	backticks: `${many("`")}x`,
	"code spans": many("`a ``b "),
	brackets: many("[["),
	"wiki links": many("[[a#"),
	"link openings": many("]("),
	"links and angles": many("](<"),
	"nested links": many("[](a("),
	definitions: many("[a]: <\n"),
	"footnote marks": many("[^"),
	emphasis: many(" *a"),
	tags: many("<a "),
	rules: `${many("- ")}x`,
	comments: many("<!--"),
	"a citation of dots": `# Citations\n\n[1] ${many(".")}x https://example.org/`,
	"citations of dots": `# Citations\n\n${many(`[1] https://example.org/ ${".".repeat(7_900)}x\n`)}`,
	"addresses of dots": `# Citations\n\n${many(`https://${".".repeat(1_900)}x\n`)}`,
	"spaces before a citation": `# Citations\n\n${" ".repeat(LONG)}https://example.org/`,
	hashes: many("#"),
	spaces: `x${" ".repeat(LONG)}x`,
	"blank lines": many("\n \t"),
	escapes: many("\u001b]"),
};

t.test("no line makes reading start over at every character", async (t) => {
	for (const [name, text] of Object.entries(HOSTILE)) {
		const start = process.cpuUsage();
		readBundle(filesOf({ "a.md": `${HEAD}${text}` }));
		const tookMs = msSince(start);
		t.ok(tookMs < PATIENCE_MS, `${name}: ${Math.round(tookMs)} ms`);
	}
});

t.test("no line makes an import start over at every character", async (t) => {
	for (const [name, text] of Object.entries(HOSTILE)) {
		const start = process.cpuUsage();
		await importBundle(filesOf({ "a.md": text }), "hostile");
		const tookMs = msSince(start);
		t.ok(tookMs < PATIENCE_MS, `${name}: ${Math.round(tookMs)} ms`);
	}
});

t.test("no name makes an import start over at every character", async (t) => {
	const start = process.cpuUsage();
	createDocumentNames([{ path: "a.md", title: `${many("0")}x`, aliases: [] }]);
	await importBundle(
		filesOf({ "a.md": `---\nrequires: "${"#".repeat(60_000)}\\n"\n---\nx` }),
		"hostile",
		{ edgeKeys: ["requires"] },
	);
	t.ok(msSince(start) < PATIENCE_MS);
});

t.test("headings keep their text and level, without closing marks", async (t) => {
	const headings = (text: string) => toSections(text).map(({ heading, level }) => [heading, level]);
	t.same(headings("# One #\n###### Six  ##  \n## C# \n#hash\n####### seven\n##\n   ##\tTab"), [
		[undefined, 0],
		["One", 1],
		["Six", 6],
		["C#", 2],
		["", 2],
		["Tab", 2],
	]);
});

t.test(
	"a thousand sources of one id get ids of their own, and only the first are kept",
	async (t) => {
		const lines = "[same] https://example.org/\n".repeat(20_000);
		const start = process.cpuUsage();
		const { graph, findings } = readBundle(filesOf({ "a.md": `${HEAD}# Citations\n\n${lines}` }));
		t.ok(msSince(start) < PATIENCE_MS);
		const ids = graph.concepts[0]?.evidence.map(({ articleId }) => articleId);
		t.same(ids?.slice(0, 3), ["same", "same-2", "same-3"]);
		t.equal(new Set(ids).size, BUNDLE_LIMITS.sources);
		t.ok(findings.some(({ rule }) => rule === "too-many-sources"));
	},
);
