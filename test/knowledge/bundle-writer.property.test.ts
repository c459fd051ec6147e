import fc from "fast-check";
import t from "tap";
import { readBundle } from "../../src/knowledge/bundle/bundle-reader.js";
import {
	toBundleFiles,
	toConceptFile,
	toRootListing,
} from "../../src/knowledge/bundle/bundle-writer.js";
import { filesOf, TIDES, textOf } from "./sample-bundle.js";

const text = fc.string({ unit: "grapheme", maxLength: 30 });
const paths = ["a/one.md", "a/two.md", "three.md", "d e/fóur (4).md"];
const date = fc.constantFrom("2018", "2018-08", "2018-08-01", "soon", undefined);
const draft = fc.record({
	type: fc.constantFrom("Trend", "Claim", "yes", "1"),
	title: text,
	description: text,
	tags: fc.array(text, { maxLength: 3 }),
	aliases: fc.array(text, { maxLength: 3 }),
	sources: fc.array(
		fc.record({
			id: fc.constantFrom("s1", "s2", "rfc9110"),
			resource: fc.constantFrom("https://example.org/a", "http://example.org/b?c=d#e", "ftp://x"),
			title: text,
			last_modified: date,
		}),
		{ maxLength: 3 },
	),
	relations: fc.array(
		fc.record({
			type: fc.constantFrom("builds-on", "links-to", "opposes"),
			target: fc.constantFrom(...paths.map((path) => `/${encodeURI(path)}`), "/gone.md"),
			weight: fc.constantFrom(1, 0.25, -1),
			valid_from: fc.constantFrom("2020-01-02", "2021"),
		}),
		{ maxLength: 3 },
	),
	verified: fc.array(fc.record({ by: fc.constantFrom("human:ana", "lint/1.0") }), { maxLength: 2 }),
	generated: fc.constantFrom({}, { by: "desk/1.0", at: "2026-01-02" }),
	stale_after: fc.constantFrom("2026-01-02", undefined),
	status: fc.constantFrom("draft" as const, "stable" as const, "deprecated" as const),
	body: fc
		.array(
			fc.oneof(
				text,
				fc.constantFrom("[l](/a/one.md)", "[m](<d e/fóur (4).md>)", "\n\n", "# H\n", "---\n"),
			),
		)
		.map((parts) => parts.join(" ")),
});

t.test("whatever was read is written so that it reads the same again", async (t) => {
	fc.assert(
		fc.property(fc.array(draft, { minLength: 4, maxLength: 4 }), (drafts) => {
			const texts = Object.fromEntries(
				drafts.map((one, index) => [
					paths[index] ?? "",
					// The reader must cope with what the types of a draft forbid.
					toConceptFile(one as Parameters<typeof toConceptFile>[0]),
				]),
			);
			const first = readBundle(filesOf({ "graph.md": TIDES["graph.md"] ?? "", ...texts })).graph;
			const written = toBundleFiles(first);
			const second = readBundle(written).graph;
			t.same(second.concepts, first.concepts);
			t.same(second.record, first.record);
			t.same([...toBundleFiles(second)], [...written]);
		}),
		{ numRuns: 60 },
	);
});

t.test(
	"a written bundle conforms: version in the root listing, a type in every concept",
	async (t) => {
		const files = toBundleFiles(readBundle(filesOf(TIDES)).graph);
		t.match(textOf(files, "index.md"), /^---\nokf_version: "0\.2"\n---\n\n# Tides\n/);
		t.match(textOf(files, "index.md"), "* [Low water](phases/low.md) - Low water in one sentence.");
		t.match(textOf(files, "log.md"), /^## 2026-03-01$/m);
		t.same(readBundle(files).findings, []);
		for (const path of files.keys()) {
			if (!/^(index|log)\.md$/.test(path)) t.match(textOf(files, path), /^---\ntype: \S/, path);
		}
	},
);

t.test("a title cannot break out of its listing", async (t) => {
	const listing = toRootListing(
		"Root",
		new Map([["", [{ path: "a b.md", title: "x](http://evil) [y", description: "l1\nl2" }]]]),
	);
	t.match(listing, "* [x\\](http://evil) \\[y](a%20b.md) - l1 l2");
});
