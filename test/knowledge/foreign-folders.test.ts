import t from "tap";
import { toCitedSentences } from "../../src/evidence/cited-sentences.js";
import { sentenceOfLink } from "../../src/evidence/link-sentences.js";
import { importBundle } from "../../src/knowledge/import/import-bundle.js";
import type { ImportOptions } from "../../src/knowledge/import/import-options.js";
import type { Concept } from "../../src/knowledge/model/graph.js";
import { FOREIGN_FOLDERS } from "./foreign-folders.js";
import { filesOf } from "./sample-bundle.js";
import { TEMPLATES, withoutCode } from "./served-templates.js";

const read = async (name: string, options: ImportOptions = {}) => {
	const { graph, report } = await importBundle(filesOf(FOREIGN_FOLDERS[name] ?? {}), name, {
		today: "2026-01-02",
		...options,
	});
	const at = (path: string) => graph.concepts.find((concept) => concept.path === path);
	return { graph, report, at };
};

t.test("no template syntax is left in anything that is served", async (t) => {
	for (const name of Object.keys(FOREIGN_FOLDERS)) {
		const { graph } = await read(name);
		for (const concept of graph.concepts) {
			const served = [concept.title, concept.summary, withoutCode(concept.body)].join("\n");
			t.notMatch(served, TEMPLATES, `${name}: ${concept.path}`);
		}
	}
});

t.test("every document has a title of its own that says what it is", async (t) => {
	for (const name of Object.keys(FOREIGN_FOLDERS)) {
		const { graph } = await read(name);
		const titles = graph.concepts.map(({ title }) => title);
		t.equal(new Set(titles).size, titles.length, `${name}: ${titles.join(", ")}`);
		t.notOk(
			titles.some((title) => /^(summary|shiny new things|readme|index|introduction)$/i.test(title)),
			name,
		);
	}
	const titlesOf = async (name: string) =>
		(await read(name)).graph.concepts.map(({ title }) => title);
	t.same(await titlesOf("proposals"), ["Private fields", "Attributes", "Macros"]);
	t.same(await titlesOf("releases"), ["V1 0", "V1 1", "V2 0"]);
	t.same(await titlesOf("docusaurus"), [
		"Introduction (dev)",
		"Mooring",
		"Getting a harbor",
		"Introduction (ops)",
	]);
	t.same(
		await titlesOf("wiki"),
		["Build guide", "Home", "Tracing"],
		"a heading behind text is a part's",
	);
});

t.test("dates are read where people write them", async (t) => {
	const dates = async (name: string) =>
		Object.fromEntries(
			(await read(name)).graph.concepts.map(({ path, generatedAt }) => [path, generatedAt]),
		);
	t.match(await dates("proposals"), {
		"0001-private-fields.md": "2014-03-11",
		"0048-attributes.md": "2016-06-13",
		"0102-macros/readme.md": "2019-05-06",
	});
	t.match(await dates("hugo"), {
		"content/overview.md": "2020-01-02",
		"content/posts/hitch.md": "2022-03-04",
	});
	t.match(await dates("jekyll"), { "posts/2019-03-04-moving-day.md": "2019-03-04" });
	t.match(await dates("vault"), { "rope.md": "2023-09-10" });
	t.match(await dates("releases"), { "v2-0.md": "2020-03-15" });
	t.match(await dates("docusaurus"), { "docs/intro.md": "2024-02-03" });
});

const targetsOf = (concept: Concept | undefined) => concept?.edges.map(({ target }) => target);

t.test("links between documents become edges, however they are written", async (t) => {
	const proposals = await read("proposals");
	t.same(targetsOf(proposals.at("0001-private-fields.md")), ["0048-attributes"]);
	t.same(targetsOf(proposals.at("0102-macros/readme.md")), [
		"0001-private-fields",
		"0048-attributes",
	]);
	const hugo = await read("hugo");
	t.same(targetsOf(hugo.at("content/posts/bowline/overview.md")), ["content.posts.hitch"]);
	t.same(targetsOf(hugo.at("content/posts/hitch.md")), ["content.posts.bowline.overview"]);
	t.same(
		targetsOf(hugo.at("content/news/2022/untied.md")),
		["content.posts.bowline.overview", "content.posts.hitch"],
		"by a bare name, and below the language of the site",
	);
	t.same(
		targetsOf(hugo.at("content/news/2023/tight.md")),
		["content.posts.bowline.overview", "content.posts.hitch"],
		"by the file of a section, and by a tag that names an address",
	);
	const jekyll = await read("jekyll");
	t.same(targetsOf(jekyll.at("pages/hiring.md")), ["pages.leads", "posts.2019-03-04-moving-day"]);
	t.same(targetsOf(jekyll.at("pages/leads.md")), ["pages.hiring"]);
	const vault = await read("vault");
	t.same(targetsOf(vault.at("rope.md")), ["halyard", "sheet"]);
	t.same(targetsOf(vault.at("sheet.md")), ["rope"]);
	const docusaurus = await read("docusaurus");
	t.same(targetsOf(docusaurus.at("docs/intro.md")), ["docs.guides.moor"]);
	const wiki = await read("wiki");
	t.same(targetsOf(wiki.at("home.md")), ["build-guide"]);
	t.same(targetsOf(wiki.at("tracing.md")), []);
	const sourceUrl = "https://code.example/tools/wiki/{stem}";
	const published = await read("wiki", { sourceUrl });
	t.same(targetsOf(published.at("tracing.md")), ["build-guide"], "by where it is published");
});

t.test("an edge has the sentence that its link stands in", async (t) => {
	const sentence = async (name: string, from: string, to: string) => {
		const { at } = await read(name);
		const [source, target] = [at(from), at(to)];
		return source && target && sentenceOfLink(source, target);
	};
	t.equal(
		await sentence("proposals", "0001-private-fields.md", "0048-attributes.md"),
		"Types like Vec<T> keep invariants; see attributes for what may change them.",
	);
	t.equal(
		await sentence("proposals", "0102-macros/readme.md", "0048-attributes.md"),
		"See the old rules, and fields in an issue.",
	);
	t.equal(
		await sentence("vault", "rope.md", "halyard.md"),
		"A rope at sea is a sheet or a halyard.",
	);
	t.equal(await sentence("hugo", "content/overview.md", "content/posts/hitch.md"), undefined);
});

t.test("a link to another site is a source of the sentence it stands in", async (t) => {
	const cited = async (name: string, path: string) => {
		const { graph, at } = await read(name);
		const concept = at(path);
		return concept ? toCitedSentences(graph, concept) : [];
	};
	const sentences = await cited("proposals", "0001-private-fields.md");
	const sourcesOf = (part: string) =>
		sentences.find(({ text }) => text.includes(part))?.sources.map(({ sourceUrl }) => sourceUrl);
	t.same(sourcesOf("asked for"), [
		"https://forum.example/t/44",
		"urn:tollgraph:proposals:0001-private-fields.md",
	]);
	t.same(sourcesOf("keep invariants"), ["urn:tollgraph:proposals:0001-private-fields.md"]);
	const noted = await cited("proposals", "0048-attributes.md");
	t.match(noted.find(({ text }) => text.includes("says more"))?.sources, [
		{ articleId: "why", sourceUrl: "https://bench.example/attributes" },
		{},
	]);
	const links = Object.entries({
		docusaurus: ["docs/guides/moor.md", "harbor act", "https://law.example/harbor"],
		vault: ["sheet.md", "Trims a sail", "https://sails.example/table"],
		wiki: ["build-guide.md", "You need", "https://compilers.example/c"],
		mkdocs: ["docs/setup.md", "It is hot", "https://lamps.example/safety"],
		releases: ["v1-1.md", "Release 1.1", "https://releases.example/1.1"],
		jekyll: ["pages/leads.md", "More is here.", "https://leads.example/ask"],
		hugo: ["content/news/2023/tight.md", "Buy a rope", "https://ropes.example/buy"],
	});
	const fixes = await cited("releases", "v1-1.md");
	t.match(
		fixes.find(({ text }) => text === "No note is lost.")?.sources,
		[{ sourceUrl: "https://tracker.example/1" }, {}],
		"a number in parentheses behind a sentence belongs to it",
	);
	for (const [name, [path = "", part = "", url]] of links) {
		const sentence = (await cited(name, path)).find(({ text }) => text.includes(part));
		t.equal(sentence?.sources[0]?.sourceUrl, url, name);
	}
});

t.test("what a reader of the built page sees stays", async (t) => {
	const jekyll = (await read("jekyll")).at("pages/hiring.md");
	t.match(jekyll?.body, /^# Hiring$/m);
	t.match(jekyll?.body, "We are open.");
	t.match(jekyll?.body, "Write `{{ name }}` in the form.");
	const leads = (await read("jekyll")).at("pages/leads.md");
	t.match(leads?.body, "```ruby\nputs 1\n```");
	const setup = (await read("mkdocs")).at("docs/setup.md");
	t.match(setup?.body, /\*\*Mind the lamp\*\*\n+It is hot/);
	t.match(setup?.body, /^Wear gloves\.$/m);
	t.match(setup?.body, "light --on {{ keep }}");
	t.notMatch(setup?.body, "members");
	const intro = (await read("docusaurus")).at("docs/intro.md");
	t.match(intro?.body, /\*\*Linux\*\*\n+Use the package/);
	t.match(intro?.body, /\*\*Before you start\*\*\n+Boats need papers/);
	const wiki = (await read("wiki")).at("build-guide.md");
	t.match(wiki?.body, /\| Tool +\| Version +\|/);
	const bowline = (await read("hugo")).at("content/posts/bowline/overview.md");
	t.match(bowline?.body, "A bowline before it is pulled");
	t.match(bowline?.body, "Count the turns.");
	const tight = (await read("hugo")).at("content/news/2023/tight.md");
	t.match(tight?.body, "A rope remembers its turns.");
	const tabs = (await read("mkdocs")).at("docs/tabs.md");
	t.match(
		tabs?.body,
		'=== "Linux"\n\n    ``` sh\n    light --on\n    ```\n\n=== "Other"\n\n    Ask.\n```',
	);
	t.match(tabs?.body, "**What it looks like**\n\nLike this.");
});

t.test("parts of a site and remarks among its text are not sold", async (t) => {
	for (const [name, paths] of Object.entries({
		docusaurus: ["docs/guides/_category_.json", "docs/guides/_partial.mdx"],
		hugo: ["archetypes/default.md", "layouts/shortcodes/note.md"],
		jekyll: ["_includes/note.md"],
		mkdocs: ["docs/SUMMARY.md"],
		wiki: ["_Footer.md", "_Sidebar.md"],
	})) {
		const { report } = await read(name);
		t.same(
			report.skipped.map(({ file }) => file),
			paths,
			name,
		);
	}
	const vault = (await read("vault")).at("rope.md");
	t.notMatch(vault?.body, /Anna|doubts/);
	t.match(vault?.body, /\*\*Old ropes\*\*/);
});
