import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import t from "tap";
import { parseMarkdown } from "../../src/documents/front-matter.js";
import { packArchive } from "../../src/knowledge/bundle/archive.js";
import { readBundle } from "../../src/knowledge/bundle/bundle-reader.js";
import { toBundleFiles } from "../../src/knowledge/bundle/bundle-writer.js";
import { importBundle } from "../../src/knowledge/import/import-bundle.js";
import { importFolder } from "../../src/knowledge/import/import-folder.js";
import { filesOf, textOf } from "./sample-bundle.js";

t.test("--only and --exclude choose files, in folders and in archives", async (t) => {
	const files = { "a/x.md": "X", "a/y.md": "Y", "b/x.md": "Z", ".tollgraphignore": "y.md\n" };
	const root = t.testdir({ a: { "x.md": "X", "y.md": "Y" }, b: { "x.md": "Z" } });
	writeFileSync(join(root, ".tollgraphignore"), files[".tollgraphignore"]);
	const zip = join(mkdtempSync(join(tmpdir(), "notes-")), "notes.zip");
	t.teardown(() => rmSync(dirname(zip), { recursive: true }));
	writeFileSync(zip, packArchive(filesOf(files)));
	for (const source of [root, zip]) {
		const idsWith = async (options: object) =>
			(await importFolder({ source, as: "notes", options })).graph.concepts.map(({ id }) => id);
		t.same(await idsWith({}), ["a.x", "b.x"], source);
		t.same(await idsWith({ only: ["a/"] }), ["a.x"]);
		t.same(await idsWith({ exclude: ["a/**"] }), ["b.x"]);
		const { report } = await importFolder({ source, as: "notes", options: { only: ["b/"] } });
		t.match(report.skipped, [
			{ file: "a/x.md", kind: "ignored", reason: /--only/ },
			{ file: "a/y.md", kind: "ignored", reason: /tollgraphignore/ },
		]);
	}
});

t.test(
	"what cannot be read, links, hidden and deep folders are reported, and the rest is imported",
	async (t) => {
		const root = t.testdir({
			"a.md": "# A\n\nText.",
			"b.md": t.fixture("symlink", "a.md"),
			".obsidian": { "x.md": "hidden" },
		});
		mkdirSync(join(root, ...Array.from({ length: 18 }, () => "d")), { recursive: true });
		const { report } = await importFolder({ source: root, as: "notes" });
		t.equal(report.imported, 1);
		t.match(report.skipped, [
			{ file: ".obsidian", reason: /dot/ },
			{ file: "b.md", reason: /symbolic link/ },
			{ reason: /17 folders|16 folders/ },
		]);
		// Files come and go while a folder is read.
		const gone = importFolder({ source: root, as: "notes", nowMs: Date.now() });
		rmSync(join(root, "b.md"));
		t.equal((await gone).report.imported, 1);
	},
);

t.test("formats that are not read name the command that converts them", async (t) => {
	const { report } = await importBundle(
		filesOf({ "a.md": "# A", "b.rst": "B", "c.adoc": "C", "d.org": "D", "e.docx": "E" }),
		"notes",
	);
	t.equal(report.skipped.filter(({ reason }) => /pandoc -f/.test(reason)).length, 4);
});

t.test("the history of a repository dates what states no date", async (t) => {
	// Not below this repository, whose history it would have.
	const root = mkdtempSync(join(tmpdir(), "notes-"));
	t.teardown(() => rmSync(root, { recursive: true }));
	writeFileSync(join(root, "a.md"), "# A\n\nText.");
	writeFileSync(join(root, "b.md"), "---\ndate: 2001-02-03\n---\n# B\n\nText.");
	const git = (...args: string[]) =>
		execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@example.org", ...args], {
			cwd: root,
			env: {
				...process.env,
				GIT_AUTHOR_DATE: "2020-05-06T12:00:00Z",
				GIT_COMMITTER_DATE: "2020-05-06T12:00:00Z",
			},
			stdio: "ignore",
		});
	const dates = async () => {
		const { graph } = await importFolder({ source: root, as: "notes", options: { dates: "git" } });
		return graph.concepts.map(({ generatedAt }) => generatedAt);
	};
	git("init", "-q");
	git("add", ".");
	git("commit", "-qm", "x");
	t.same(await dates(), ["2020-05-06", "2001-02-03"]);
	rmSync(join(root, ".git"), { recursive: true });
	await t.rejects(dates(), { code: "INVALID_ARGUMENT", message: /git/ });
});

t.test("a long document is cut at its headings into parts that name it", async (t) => {
	const long = (name: string) => `${name} says much. `.repeat(40);
	const text = `# Ropes\n\nLead, see [b](b.md).\n\n## Use\n\n${long("Use")}[s](https://a.example/s)\n\n### Deep\n\n${long("Deep")}\n\n## Care\n\n${long("Care")} [up](b.md)[^1]\n\n[^1]: Said [there](https://a.example/n).\n`;
	const source = filesOf({ "d/ropes.md": text, "d/b.md": "# B\n\nText." });
	const { graph, report } = await importBundle(source, "notes", { splitChars: 1_000 });
	t.same(
		graph.concepts.map(({ id, title }) => [id, title]),
		[
			["d.b", "B"],
			["d.ropes", "Ropes"],
			["d.ropes.care", "Ropes: Care"],
			["d.ropes.use-deep", "Ropes: Use: Deep"],
			["d.ropes.use", "Ropes: Use"],
		],
	);
	t.equal(report.imported, 5);
	const at = (id: string) => graph.concepts.find((concept) => concept.id === id);
	t.match(at("d.ropes.care")?.edges, [{ type: "part-of", target: "d.ropes" }, { target: "d.b" }]);
	t.match(at("d.ropes.care")?.evidence, [{ sourceUrl: "https://a.example/n" }]);
	t.match(at("d.ropes.use")?.evidence, [{ sourceUrl: "https://a.example/s" }]);
	t.match(at("d.ropes")?.edges.length, 4);
	t.same((await importBundle(source, "notes")).graph.concepts.length, 2);
});

t.test("every field of a bundle survives import and export", async (t) => {
	const fields = {
		type: "Metric",
		title: "Revenue",
		executor: { kind: "sql", dialect: "x" },
		attester: "attesters/sql.py",
		parameters: [{ name: "from", type: "date" }],
		runtime: { timeout: "30s" },
		usage_window: "P30D",
		generated: { by: "x/1", at: "2026-01-02T03:04:05Z", prompt: "p" },
		verified: [{ by: "human:a", at: "2026-02-03T04:05:06Z" }],
		timestamp: "2026-01-02T03:04:05Z",
		sources: [
			{
				id: "a",
				resource: "https://a.example/x",
				author: "A",
				usage_count: 3,
				last_modified: "2025-01-02T03:04:05Z",
			},
			{ id: "b", resource: "../policies/p.md", title: "P" },
		],
		relations: [{ type: "needs", target: "/policies/p.md", note: "why" }],
		tags: ["a", "b"],
	};
	const source = filesOf({
		"index.md": "# Sea\n\n* [m](m/index.md) - all\n",
		"log.md": "# Log\n",
		"m/index.md": "# Metrics\n\n* [Revenue](revenue.md) - what\n",
		"m/revenue.md": `---\n${JSON.stringify(fields)}\n---\n\nWhat came in.\n`,
		"policies/p.md": "---\ntype: Policy\n---\n\nText.\n",
	});
	const { graph, report, trace, files } = await importBundle(source, "sea");
	t.match([trace.format, report.imported], ["okf", 2], "listings and logs are no concepts");
	t.match(textOf(files, "m/index.md"), "Revenue");
	const exported = toBundleFiles(graph);
	t.same(parseMarkdown(textOf(exported, "m/revenue.md")).data, {
		...fields,
		description: "What came in.",
		status: "stable",
	});
	t.same(readBundle(exported).findings, []);
	t.match(graph.concepts[0]?.edges, [{ type: "needs", target: "policies.p" }]);
});

t.test("what keeps documents out is read in any encoding, and never passed over", async (t) => {
	const importOf = async (patterns: string | Buffer) => {
		const folder = t.testdir({ "a.md": "Open.", "secret.md": "Hidden." });
		writeFileSync(join(folder, ".tollgraphignore"), patterns);
		return importFolder({ source: folder, as: "notes" });
	};
	for (const patterns of ["secret.md\n", "\ufeffsecret.md\n"]) {
		for (const encoded of [patterns, Buffer.from(patterns, "utf16le")]) {
			const { report } = await importOf(encoded);
			t.match(report, { imported: 1, skipped: [{ file: "secret.md", kind: "ignored" }] });
		}
	}
	await t.rejects(importOf(`${"#\n".repeat(600_000)}secret.md\n`), {
		code: "INVALID_ARGUMENT",
		message: /^".tollgraphignore" says what is private and has more than \d+ bytes\. Shorten/,
	});
	await t.rejects(importOf(Buffer.from([0, 1, 2, 0, 0, 3])), { message: /is not text\. Save it/ });
});

t.test(
	"a section speaks for its folder, also when it is left out or in another language",
	async (t) => {
		const cascade = "---\ntitle: Plans\ncascade: { params: { publish: false } }\n---\nPlans.";
		const importOf = async (files: Record<string, string>, options = {}) => {
			const folder = t.testdir({
				"open.md": "Open.",
				plans: { deep: { "a.md": "Hidden." }, ...files },
			});
			const { report } = await importFolder({ source: folder, as: "notes", options });
			return report.skipped.find(({ file }) => file === "plans/deep/a.md");
		};
		const withheld = { kind: "private" };
		t.match(await importOf({ "_index.en.md": cascade }), withheld);
		t.match(await importOf({ "_index.md": cascade }, { exclude: ["_index.md"] }), withheld);
		t.match(await importOf({ "_index.md": cascade, ".tollgraphignore": "_index*\n" }), withheld);
		t.match(
			await importOf({ "_index.md": cascade.replace("---\ntitle", "---\ndraft: true\ntitle") }),
			withheld,
		);
		for (const broken of [
			"---\ndraft: true\n",
			"---\na: [\n---\n",
			"\0\u0001\u0002",
			`${"x".repeat(1_100_000)}`,
		]) {
			t.match(await importOf({ "_index.md": broken }), {
				...withheld,
				reason: /^"plans\/_index\.md" speaks for its folder\. ./,
			});
		}
		t.equal(await importOf({ "_index.md": "" }), undefined);
		t.equal(
			await importOf({ "_index.md": "---\ntitle: Plans\n---\nPlans." }, { exclude: ["_index.md"] }),
			undefined,
		);
	},
);
