import t from "tap";
import { importBundle } from "../../src/knowledge/import/import-bundle.js";
import { filesOf, textOf } from "./sample-bundle.js";

const CLOSED = {
	"drafts/secret plan.md": "---\ntitle: The harbor sale\naliases: [Codename Gull]\n---\nx",
	"closed.md": "---\nprivate: true\n---\n# The closed ledger\n\nx",
};
const OTHER = "# Other\n\nText.";

t.test(
	"a link to what is left out goes, and what it reads stays unless it is a name",
	async (t) => {
		const bodyFrom = async (text: string) => {
			const files = filesOf({ ...CLOSED, "open.md": `# Open\n\n${text}`, "other.md": OTHER });
			const made = await importBundle(files, "coast", {
				ignored: ["left/out.md", "left/out-of-bounds.md"],
			});
			return textOf(made.files, "open.md").split("# Open\n\n")[1]?.trim();
		};
		for (const [written, expected] of [
			["A [[secret plan]] b.", "A  b."],
			["A [[drafts/secret plan|rope]] b.", "A rope b."],
			["A [[Codename Gull]] b.", "A  b."],
			["A ![[closed]] b.", "A  b."],
			["A [the rope](closed.md) b.", "A the rope b."],
			["A [The closed ledger](closed.md) b.", "A  b."],
			["A [rope](<drafts/secret plan.md> 'The harbor sale') b.", "A rope b."],
			["A [rope](left/out.md) b [out](left/out.md#part).", "A rope b ."],
			["A [The out of bounds sale](left/out-of-bounds.md) b.", "A  b."],
			["A [`rope`](closed.md) b [`closed.md`](closed.md).", "A `rope` b ."],
			["A [rope][1] b [closed].\n\n[1]: closed.md 'x'\n[closed]: /closed", "A rope b ."],
			["A [a [b [c] d] e](closed.md) b.", "A [a [b [c] d] e](#) b."],
			["A [other](other.md) b `[[closed]]`.", "A [other](other.md) b `[[closed]]`."],
			["A [site](https://example.org/closed) b.", undefined],
		] as const) {
			const body = await bodyFrom(written);
			if (expected === undefined) t.match(body, "https://example.org/closed", written);
			else t.equal(body, expected, written);
		}
	},
);

t.test("front matter names nothing that is left out", async (t) => {
	const head = [
		"prev: /drafts/secret%20plan.md",
		"up: The closed ledger",
		"series: 7",
		"related: ['[[secret plan]]', other]",
		"requires: closed, other, 9",
		"see: { also: closed.md, and: other }",
		"relations: [{ type: needs, target: /closed.md }, { type: needs, target: other.md }]",
		"description: More in [[closed|the ledger]].",
		"generated: { by: Ann, from: closed.md }",
		"verified: [{ by: Bo, note: '[[The closed ledger]]' }]",
	];
	const files = filesOf({
		...CLOSED,
		"closed-9.md": CLOSED["closed.md"],
		"open.md": `---\n${head.join("\n")}\n---\n# Open\n\nText.`,
		"other.md": OTHER,
	});
	const { graph, files: bundle } = await importBundle(files, "coast", { edgeKeys: ["requires"] });
	const open = graph.concepts.find(({ path }) => path === "open.md");
	t.same(JSON.parse(open?.kept ?? ""), {
		series: 7,
		related: ["other"],
		requires: "other",
		see: { and: "other" },
	});
	t.equal(open?.summary, "More in the ledger.");
	t.notMatch(textOf(bundle, "open.md"), /closed/);
	t.match(textOf(bundle, "open.md"), "by: Ann");
	t.same([...new Set(open?.edges.map(({ target }) => target))], ["other"]);
});

t.test("a bundle of the format names nothing that it holds back", async (t) => {
	const plain = "---\ntype: Note\ntitle: Low\n---\nText with [high](high.md).";
	const { files } = await importBundle(
		filesOf({
			"index.md":
				'---\nokf_version: "0.2"\n---\n# Coast\n\n* [Low](low.md)\n* [Sale](closed.md)\n* <a href="closed.md">Sale</a> of it\n* [Sale][1]\n* [[closed]]\n* [x [y [z]]](closed.md)\n* [x](closed.md "a \\" b")\n* [Foo ] bar](closed.md)\n\n[1]: closed.md\n',
			"log.md": "# Log\n\n* Wrote [Sale](/closed.md).\n* Wrote [Low](low.md).\n",
			"private/index.md": "# Sales\n\n* [Pier](pier.md)\n",
			"private/log.md": "# Log\n\n* Wrote [Pier](pier.md).\n",
			"closed.md": "---\ntype: Note\ntitle: Sale\nprivate: true\n---\nText.",
			"low.md": plain,
			"high.md":
				"---\ntype: Note\ntitle: High\nrelations: [{ type: needs, target: /closed.md }]\n---\nSee [the text](closed.md), [Sale](closed.md).\n\n<a class=x href='closed.md'>Sale</a><A HREF=/closed.md>the rope</A>\n\n<a data-href='x' href='closed.md'>one</a> <a title='a>b' href='closed.md'>two</a> <a href='clos&#101;d.md'>three</a> <area href='closed.md'>",
		}),
		"coast",
	);
	t.same([...files.keys()].sort(), ["graph.md", "high.md", "index.md", "log.md", "low.md"]);
	const served = [...files.keys()].map((path) => textOf(files, path)).join("\n");
	t.notMatch(served, /sale|closed|pier|private/i);
	t.match(textOf(files, "high.md"), /See the text, \.\n\nthe rope\n\n.*one.*two.*three/);
	t.equal(textOf(files, "low.md"), plain, "files that name none of it stay as they were");
});

t.test("no text makes the search for links start over at every character", async (t) => {
	for (const piece of [
		"[",
		"[]",
		"[a](",
		"![[",
		"[a\n",
		"[a](b 'c' ",
		"[a]: b\n",
		"(",
		"\\[",
		"<a ",
		"<a href=x>",
		"<a href=b href='b ",
		'<a "',
		"<a '\" ",
	]) {
		const text = piece.repeat(Math.floor(300_000 / piece.length));
		const { report } = await importBundle(filesOf({ ...CLOSED, "open.md": text }), "coast");
		t.equal(report.imported, 1, piece);
	}
});
