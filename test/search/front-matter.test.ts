import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { importFolder } from "../../src/knowledge/import/import-folder.js";
import { fieldsOf } from "../../src/search/lexical/concept-text.js";

t.test("what the front matter of a document states is searched", async (t) => {
	const folder = t.testdir({});
	mkdirSync(folder, { recursive: true });
	writeFileSync(
		join(folder, "pep-0001.md"),
		[
			"---",
			"title: Purpose",
			"status: Accepted",
			"python-version: 3.12",
			"created: 2024-03-01",
			"url: https://example.org/secret",
			"reviewers: [Ada, Bob]",
			"---",
			"Some text.",
		].join("\n"),
	);
	const { graph } = await importFolder({ source: folder, as: "peps" });
	const [concept] = graph.concepts;
	t.same(concept?.facts?.split("\n").sort(), [
		"created: 2024-03-01",
		"document status: Accepted",
		"python version: 3.12",
		"reviewers: Ada, Bob",
	]);
	const texts = (concept ? fieldsOf(concept) : []).map(({ text }) => text);
	t.ok(texts.some((text) => text.includes("document status: Accepted")));
});
