import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import t from "tap";
import { packArchive } from "../../src/knowledge/bundle/archive.js";
import { importFolder } from "../../src/knowledge/import/import-folder.js";
import { filesOf } from "./sample-bundle.js";

const SITE = {
	"docs/_category_.json": '{ "label": "Harbor life", "position": 2 }',
	"docs/boats/_category_.yml": "label: Boats\n",
	"docs/broken/_category_.yml": "label: [",
	"docs/rope.md": "# Rope\n\nText.",
	"docs/boats/hull.md": "---\ntags: [wood]\n---\n# Hull\n\nText.",
	"docs/broken/oar.md": "# Oar\n\nText.",
	"proposals/12-tides/kep.yaml":
		"title: Tides for everyone\nstatus: implementable\ncreation-date: 2021-03-04\nlast-updated: 2022-05-06\n",
	"proposals/12-tides/README.md": "# KEP-12\n\nText.",
	"proposals/12-tides/notes.md": "# Notes on tides\n\nText.",
	"proposals/13-moon/kep.yaml": "title: Moon\nprivate: true\n",
	"proposals/13-moon/README.md": "# Moon\n\nText.",
	"book/SUMMARY.md": `# Summary\n\n* [Casting **off**](ch-1.md)\n* [Knots](ch-2.md)\n* [a](${" ".repeat(100_000)}b\n* [a](${" ".repeat(1_900)}\n`,
	"book/private/SUMMARY.md": "* [The sale](../ch-3.md)\n",
	"manual/mkdocs.yml":
		"nav:\n  - Start: index.md\n  - Harbors:\n    - North: [{ Old pier: old.md }]\n    - plain.md\n",
	"manual/docs/old.md": "Text without a heading.",
	"news/_config.yml": "label: News\nrepository: https://tracker.example/tides\nbaseurl: /coast\n",
	"news/dredged.md":
		"# Dredged\n\nSee [the issue]({{ site.repository }}/7) and [the pier]({{ site.baseurl }}/old/) {{ site.nothing }}{{ site.label }}.",
	"book/ch-3.md": "Text without a heading.",
	"book/ch-1.md": "Text without a heading.",
	"book/ch-2.md": "# Knots that hold\n\nText.",
};

for (const form of ["folder", "archive"] as const) {
	/** The source of an import that holds these files. */
	const write = async (root: string, files: Readonly<Record<string, string>>) => {
		if (form === "archive") {
			await writeFile(join(root, "site.zip"), packArchive(filesOf(files)));
			return join(root, "site.zip");
		}
		for (const [path, text] of Object.entries(files)) {
			await mkdir(dirname(join(root, "site", path)), { recursive: true });
			await writeFile(join(root, "site", path), text);
		}
		return join(root, "site");
	};

	t.test(`${form}: files beside documents give titles, topics, states and dates`, async (t) => {
		const source = await write(t.testdir({}), SITE);
		const { graph, report } = await importFolder({ source, as: "coast" });
		const at = (path: string) => graph.concepts.find((concept) => concept.path === path);
		t.same(at("docs/rope.md")?.tags, ["Harbor life"]);
		t.same(at("docs/boats/hull.md")?.tags, ["wood", "Boats"]);
		t.same(at("docs/broken/oar.md")?.tags, ["Harbor life"]);
		t.match(at("proposals/12-tides/readme.md"), {
			title: "Tides for everyone",
			tags: ["implementable"],
			generatedAt: "2022-05-06",
		});
		t.match(at("proposals/12-tides/notes.md"), { title: "Notes on tides", tags: [] });
		t.match(at("book/ch-1.md"), { title: "Casting off" });
		t.match(at("book/ch-2.md"), { title: "Knots that hold" });
		t.match(at("book/ch-3.md"), { title: "CH-3" });
		t.match(at("manual/docs/old.md"), { title: "Old pier" });
		t.match(at("news/dredged.md"), {
			tags: [],
			body: /\(https:\/\/tracker\.example\/tides\/7\).*\(\/manual\/docs\/old\.md\) News\./,
		});
		t.equal(report.imported, 10);
		t.match(report.skipped, [
			{ file: "book/SUMMARY.md", reason: /navigation/ },
			{ file: "book/private/SUMMARY.md", reason: /navigation/ },
			{ file: "proposals/13-moon/README.md", kind: "private" },
		]);
	});

	t.test(`${form}: sections speak for their folders, also when they are ignored`, async (t) => {
		const closed = "---\ncascade: { draft: true }\n---\n";
		const source = await write(t.testdir({}), {
			"a/_index.md": closed,
			"a/b/note.md": "# A",
			"c/.tollgraphignore": "_index.md\nkept-back/\n",
			"c/_index.md": closed,
			"c/note.md": "# C",
			"c/kept-back/note.md": "# Kept back",
			"d/_index.adoc": closed,
			"d/note.md": "# D",
			"open.md": "# Open\n\n[note](c/kept-back/note.md)",
		});
		const { graph, report } = await importFolder({ source, as: "coast" });
		t.same(
			graph.concepts.map(({ title }) => title),
			["Open"],
		);
		const closedFiles = report.skipped.filter(({ kind }) => kind === "private");
		const ignored = report.skipped.filter(({ kind }) => kind === "ignored");
		t.same(
			closedFiles.map(({ file }) => file),
			["a/b/note.md", "c/note.md", "d/note.md"],
		);
		t.same(
			ignored.map(({ file }) => file),
			["c/_index.md", "c/kept-back/note.md"],
		);
		t.notMatch(graph.concepts[0]?.body, /kept-back/);
	});
}

const skip = process.getuid?.() === 0 && "root reads everything";

t.test("an ignore file that cannot be read ends the import", { skip }, async (t) => {
	const source = t.testdir({ ".tollgraphignore": "a.md", "a.md": "# A" });
	await chmod(join(source, ".tollgraphignore"), 0o000);
	await t.rejects(importFolder({ source, as: "coast" }), {
		code: "INVALID_ARGUMENT",
		message: /"\.tollgraphignore" says what is private.*Make it readable, or remove it\./,
	});
});
