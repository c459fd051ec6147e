import { execFileSync } from "node:child_process";
import { access, chmod, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { packArchive } from "../../src/knowledge/bundle/archive.js";
import { readGraph, writeBundle } from "../../src/knowledge/bundle/bundle-folder.js";
import { BUNDLE_LIMITS } from "../../src/knowledge/bundle/bundle-limits.js";
import { importFolder } from "../../src/knowledge/import/import-folder.js";
import { filesOf } from "./sample-bundle.js";

/** 949 Ethereum documents, CC0; not part of the repository. */
const CORPUS = join("..", "shared", "data", "corpora", "eips-cc0.tar.gz");

t.test("a zipped vault is imported from the one folder it holds", async (t) => {
	const source = join(t.testdir({}), "vault.zip");
	const packed = packArchive(
		filesOf({
			"vault/a.md": "# A",
			"vault/b.md": "[[a]]",
			"vault/huge.md": "x".repeat(BUNDLE_LIMITS.fileBytes + 1),
			"vault/map.png": "not unpacked",
			"vault/.obsidian/x.md": "hidden",
			"__MACOSX/vault/a.md": "hidden",
		}),
	);
	await writeFile(source, packed);
	const { report } = await importFolder({ source, as: "vault" });
	t.match(report, { imported: 2, edges: 1 });
	t.match(report.skipped, [
		{ file: "huge.md", reason: /bytes/ },
		{ file: "map.png", reason: /not Markdown/ },
	]);
});

t.test("attachments are named, and neither read nor counted", async (t) => {
	const source = t.testdir({ "a.md": "# A" });
	for (let n = 0; n < 3; n++) {
		const file = join(source, `film-${n}.mp4`);
		await writeFile(file, "");
		// No one may read them, and as Markdown they would be too much for one graph.
		await truncate(file, BUNDLE_LIMITS.totalBytes);
		await chmod(file, 0o000);
	}
	const { report } = await importFolder({ source, as: "films" });
	t.match(report, {
		imported: 1,
		skipped: [{ file: "film-0.mp4", reason: /not Markdown/ }, {}, {}],
	});
});

t.test("reading a folder ends when its signal is given", async (t) => {
	const notes = Array.from({ length: 60 }, (_, index) => [
		`${index}.md`,
		`# Note ${index}\n\nText.`,
	]);
	const source = t.testdir(Object.fromEntries(notes));
	for (const when of ["before it begins", "once the files are read"]) {
		const controller = new AbortController();
		const stop = () => controller.abort(new Error("enough"));
		if (when === "before it begins") stop();
		const { signal } = controller;
		await t.rejects(importFolder({ source, as: "notes", onRead: stop, signal }), /enough/, when);
	}
});

t.test("a source that is missing, or no archive, is refused", async (t) => {
	const folder = t.testdir({ "note.txt": "not a zip" });
	await t.rejects(importFolder({ source: join(folder, "gone"), as: "xx" }), { code: "NOT_FOUND" });
	await t.rejects(importFolder({ source: join(folder, "note.txt"), as: "xx" }), {
		code: "INVALID_ARGUMENT",
	});
});

t.test("a real corpus is imported whole, with typed edges and dated evidence", async (t) => {
	const isAtHand = await access(CORPUS).then(
		() => true,
		() => false,
	);
	if (!isAtHand) {
		t.pass("not checked", { skip: `the corpus is not at hand in ${CORPUS}` });
		return;
	}
	const folder = t.testdir({});
	execFileSync("tar", ["-xzf", CORPUS, "-C", folder]);
	const { files, report } = await importFolder({
		source: join(folder, "EIPS"),
		as: "eips",
		options: {
			sourceUrl: "https://eips.ethereum.org/EIPS/{stem}",
			dateKey: "created",
			edgeKeys: ["requires", "superseded-by"],
			title: "EIPs",
		},
	});
	t.match(report, { imported: 949, skipped: [], unresolved: [] });
	t.ok(report.evidence > 2_000, `${report.evidence}: its own address, and what it links to`);

	await writeBundle(files, join(folder, "eips"));
	const graph = await readGraph(join(folder, "eips"));
	t.equal(graph.concepts.length, 949);
	const find = (id: string) => graph.concepts.find((concept) => concept.id === id);
	t.match(find("eip-1559"), {
		aliases: ["EIP-1559"],
		edges: [
			{ type: "requires", target: "eip-2718" },
			{ type: "requires", target: "eip-2930" },
		],
		evidence: [{ sourceUrl: "https://eips.ethereum.org/EIPS/eip-1559", publishedAt: "2019-04-13" }],
	});
	const requires = graph.concepts
		.flatMap(({ edges }) => edges)
		.filter(({ type }) => type === "requires");
	t.ok(requires.length > 600, String(requires.length));
});
