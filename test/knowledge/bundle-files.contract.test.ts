import { symlink } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { readGraph } from "../../src/knowledge/bundle/bundle-folder.js";
import { BUNDLE_LIMITS } from "../../src/knowledge/bundle/bundle-limits.js";
import type { Finding } from "../../src/knowledge/model/graph.js";

t.test("a folder is read without hidden entries, links and oversized files", async (t) => {
	const folder = t.testdir({
		Notes: {
			".git": { "config.md": "---\ntype: X\n---\n" },
			"a.md": "---\ntype: X\n---\nHere.",
			"huge.md": `---\ntype: X\n---\n${"x".repeat(BUNDLE_LIMITS.fileBytes)}`,
			"picture.png": "not Markdown",
		},
		outside: { "secret.md": "---\ntype: X\n---\nSecret." },
	});
	await symlink(join(folder, "outside"), join(folder, "Notes", "linked"));
	const findings: Finding[] = [];

	const graph = await readGraph(join(folder, "Notes"), {
		onFinding: (finding) => findings.push(finding),
	});

	t.same(
		graph.concepts.map(({ path }) => path),
		["a.md"],
	);
	t.equal(graph.record.id, "notes");
	t.ok(findings.some(({ file, rule }) => file === "huge.md" && rule === "too-large"));
});

t.test("a missing folder is NOT_FOUND", async (t) => {
	await t.rejects(readGraph(join(t.testdir({}), "nowhere")), { code: "NOT_FOUND" });
});

t.test("a graph in which two files claim one id is refused", async (t) => {
	const folder = t.testdir({
		"a.b.md": "---\ntype: X\n---\n",
		a: { "b.md": "---\ntype: X\n---\n" },
	});
	await t.rejects(readGraph(folder), { code: "INVALID_ARGUMENT", message: /a\/b\.md/ });
});
