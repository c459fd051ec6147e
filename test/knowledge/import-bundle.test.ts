import t from "tap";
import { readBundle } from "../../src/knowledge/bundle/bundle-reader.js";
import { importBundle } from "../../src/knowledge/import/import-bundle.js";
import { lintGraph } from "./lint-graph.js";
import { filesOf, TIDES, textOf } from "./sample-bundle.js";

const read = (result: Awaited<ReturnType<typeof importBundle>>) => readBundle(result.files).graph;

t.test("numbered documents become concepts with typed edges, evidence and aliases", async (t) => {
	const result = await importBundle(
		filesOf({
			"eip-1559.md":
				"---\neip: 1559\ntitle: Fee market\nstatus: Final\ntype: Standards Track\ncreated: 2019-04-13\nrequires: 2718, 0020, 9999\n---\n\n## Motivation\n\nOther.\n\n## Abstract\n\nA *base* fee, see [2718](./eip-2718.md).\n",
			"eip-2718.md":
				"---\neip: 2718\ntitle: Typed envelope\ncreated: 13-Jun-2020\nrequires: 20\n---\nBody.\n",
			"eip-20.md": "---\neip: 20\nstatus: Moved\n---\nThis file was moved.\n",
		}),
		"eips",
		{
			sourceUrl: "https://eips.example/{path}/{stem}",
			dateKey: "created",
			edgeKeys: ["requires"],
			type: "industry report",
			title: "EIPs",
		},
	);
	t.match(result.report, {
		graphId: "eips",
		imported: 3,
		skipped: [],
		unresolved: [{ file: "eip-1559.md", key: "requires", name: "9999" }],
		edges: 3,
		evidence: 3,
	});
	const { record, concepts } = read(result);
	t.match(record, { id: "eips", title: "EIPs", type: "industry report", updated: "2020-06-13" });
	const [fee, moved, envelope] = concepts;
	t.match(fee, {
		title: "Fee market",
		summary: "A base fee, see 2718.",
		type: "Standards Track",
		status: "stable",
		aliases: ["EIP-1559"],
		edges: [
			{ type: "requires", target: "eip-2718" },
			{ type: "requires", target: "eip-20" },
		],
		evidence: [
			{
				sourceUrl: "https://eips.example/eip-1559/eip-1559",
				title: "Fee market",
				publishedAt: "2019-04-13",
			},
		],
	});
	t.ok(fee?.body.includes("## Motivation\n\nOther."), "the whole body stays");
	t.ok(
		fee?.body.endsWith("## Related\n\n* requires: [EIP-20](/eip-20.md)"),
		"only the missing link",
	);
	t.match(moved, { title: "EIP-20", status: "deprecated" });
	t.match(envelope?.evidence, [{ publishedAt: "2020-06-13", datePrecision: "day" }]);
	t.match(textOf(result.files, "eip-1559.md"), /^eip: 1559$/m, "unknown keys are kept");
});

t.test("a vault's wiki links, aliases and tags survive, also through renamed files", async (t) => {
	const result = await importBundle(
		filesOf({
			"Daily Notes/My First Note.md":
				"---\naliases: [first]\ntags: '#inbox'\n---\nSee [[Über Uns|us]], [[first]], [[Nowhere]] and `[[code]]`. #idea/raw\n",
			"Über Uns.md": "# About us\n\nWe link [back](Daily%20Notes/My%20First%20Note.md#top).\n",
			"index.md": "# Start\n\nGo to [[First]].\n",
		}),
		"vault",
	);
	t.same(result.report.skipped, []);
	const graph = read(result);
	t.same(
		graph.concepts.map(({ id, title, tags, edges }) => [
			id,
			title,
			tags,
			edges.map(({ target }) => target),
		]),
		[
			["daily-notes.my-first-note", "My First Note", ["inbox", "idea/raw"], ["uber-uns"]],
			["overview", "Start", [], ["daily-notes.my-first-note"]],
			["uber-uns", "About us", [], ["daily-notes.my-first-note"]],
		],
	);
	t.match(
		graph.concepts[0]?.body,
		"See [us](/uber-uns.md), [My First Note](/daily-notes/my-first-note.md), Nowhere and `[[code]]`.",
	);
	t.match(graph.concepts[2]?.body, "[back](/daily-notes/my-first-note.md#top)");
	t.notOk(readBundle(result.files).findings.some(({ rule }) => rule === "broken-link"));
});

t.test(
	"a wiki link leads to the note beside it, then to the root's, then to the end of a path",
	async (t) => {
		const { files } = await importBundle(
			filesOf({
				"Boats/Rope.md": "# Rope of a boat\n",
				"Boats/Use.md":
					"[[Rope]], [[Rope.md]], [[Knots/Bowline]], [[#Lines|here]], [[#Lines]], [[#^b1]].\n",
				"Crafts/Knots/Bowline.md": "# A loop\n",
				"Crafts/Use.md": "[[Rope]] and [[Boats/Rope]].\n",
				"Rope.md": "# Rope\n",
			}),
			"ropes",
		);
		const [boats, crafts] = ["boats/use.md", "crafts/use.md"].map((path) => textOf(files, path));
		t.match(
			boats,
			"[Rope of a boat](/boats/rope.md), [Rope](/rope.md), [A loop](/crafts/knots/bowline.md), here, Lines, .",
		);
		t.match(crafts, "[Rope](/rope.md) and [Rope of a boat](/boats/rope.md).");
	},
);

t.test(
	"a wiki link to a private note beside it leads nowhere, though the root has one of that name",
	async (t) => {
		const { files } = await importBundle(
			filesOf({
				"Boats/Rope.md": "---\nprivate: true\n---\n# Rope of a boat\n",
				"Boats/Use.md": "Pull the [[Rope|line]].\n",
				"Rope.md": "# Rope\n",
			}),
			"ropes",
		);
		t.match(textOf(files, "boats/use.md"), "Pull the line.");
	},
);

t.test("a file that cannot become a concept is named with its reason", async (t) => {
	const { report } = await importBundle(
		filesOf({
			"a note.md": "One.",
			"a-note.md": "Two.",
			"blob.md": "a\0b",
			"empty.md": " \n",
			"image.png": "x",
			"torn.md": "---\ntitle: [x\n---\n",
			"huge.md": "x".repeat(1024 * 1024 + 1),
			"../up.md": "x",
			"!!!.md": "x",
		}),
		"odd",
	);
	t.equal(report.imported, 1);
	t.same(
		report.skipped.map(({ file, reason }) => [
			file,
			/is empty|not text|not Markdown|not YAML|more than|already belongs|leaves|No concept id/.exec(
				reason,
			)?.[0],
		]),
		[
			["!!!.md", "No concept id"],
			["../up.md", "leaves"],
			["a-note.md", "already belongs"],
			["blob.md", "not text"],
			["empty.md", "is empty"],
			["huge.md", "more than"],
			["image.png", "not Markdown"],
			["torn.md", "not YAML"],
		],
	);
});

t.test("a bundle of the format is kept byte for byte, but for the id it gets", async (t) => {
	const source = filesOf({
		"index.md": '---\nokf_version: "0.2"\n---\n# Sea\n',
		"log.md": "## 2025-01-01\n",
		"stray.md": "no type",
		...TIDES,
	});
	const same = await importBundle(source, "tides");
	for (const path of Object.keys(TIDES)) t.equal(textOf(same.files, path), TIDES[path], path);
	t.equal(textOf(same.files, "log.md"), "## 2025-01-01\n");
	t.match(same.report, { imported: 4, skipped: [{ file: "stray.md", reason: /type/ }] });

	const renamed = read(await importBundle(source, "other-tides"));
	t.match(renamed.record, {
		id: "other-tides",
		slug: "other-tides",
		expert: { agentId: "tide-desk" },
	});
});

t.test("an import is free of lint errors and the same every time", async (t) => {
	const source = filesOf({ "b.md": "# B\n\n[A](a.md)", "a.md": "# A\n\nText." });
	const first = await importBundle(source, "notes", { today: "2026-01-02" });
	const second = await importBundle(source, "notes", { today: "2026-01-02" });
	t.same([...second.files], [...first.files]);
	const reading = readBundle(first.files);
	t.same(
		lintGraph(reading, { today: "2026-01-02" }).filter(({ severity }) => severity === "error"),
		[],
	);
	t.equal(reading.graph.record.updated, "2026-01-02");
});

t.test("an id that cannot name a graph is refused", async (t) => {
	await t.rejects(importBundle(new Map(), "No Good"), { code: "INVALID_ARGUMENT" });
});

t.test("front matter of any shape is no reason to stop an import", async (t) => {
	const { report } = await importBundle(
		filesOf({
			"eip-1.md": "---\neip: { toString: 1 }\ntags: [{ a: 1 }]\nstatus: constructor\n---\nOne.",
			"loop.md": "---\nnotes: &a [*a]\n---\nTwo.",
		}),
		"odd",
	);
	t.equal(report.imported, 1);
	t.match(report.skipped, [{ file: "loop.md", reason: /itself/ }]);
});

t.test("one name cannot be a file and a folder: the later document is skipped", async (t) => {
	const plain = await importBundle(
		filesOf({ "a.md": "One.", "a.md/b.md": "Two.", "index.md/c.md": "Three.", "z/d.md": "Four." }),
		"odd",
	);
	const bundle = await importBundle(
		filesOf({
			...TIDES,
			"x.md": "---\ntype: X\n---\n",
			"x.md/y.md": "---\ntype: X\n---\n",
			[`${"n".repeat(250)}.md`]: "---\ntype: X\n---\n",
		}),
		"tides",
	);
	t.match(plain.report, {
		imported: 2,
		skipped: [
			{ file: "a.md/b.md", reason: /"a\.md"/ },
			{ file: "index.md/c.md", reason: /"index\.md"/ },
		],
	});
	t.match(bundle.report, {
		imported: 5,
		skipped: [{ reason: /too long/ }, { file: "x.md/y.md", reason: /"x\.md"/ }],
	});
});

t.test("no name of a written path is longer than file systems take", async (t) => {
	const { files, report } = await importBundle(
		filesOf({
			[`${"\ufdfa".repeat(250)}/${"é".repeat(250)}.md`]: "One.",
			[`${"a".repeat(300)}.md`]: "Two.",
			[`${"d/".repeat(17)}a.md`]: "Three.",
		}),
		"long",
	);
	t.equal(report.imported, 1);
	t.match(report.skipped, [{ reason: /255 characters/ }, { reason: /16 folders deep/ }]);
	const names = [...files.keys()].flatMap((path) => path.split("/"));
	t.ok(Math.max(...names.map((name) => Buffer.byteLength(name))) < 210);
});

t.test("timers fire while an import is under way", async (t) => {
	const texts = Array.from({ length: 300 }, (_, n) => [`n${n}.md`, `# N${n}\n\nText.`]);
	let turns = 0;
	let isDone = false;
	const count = () => {
		turns += 1;
		if (!isDone) setImmediate(count);
	};
	setImmediate(count);
	await importBundle(filesOf(Object.fromEntries(texts)), "many");
	isDone = true;
	t.ok(turns >= 20, `${turns} turns`);
});
