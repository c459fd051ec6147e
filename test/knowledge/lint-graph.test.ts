import t from "tap";
import { readBundle } from "../../src/knowledge/bundle/bundle-reader.js";
import { lintGraph } from "./lint-graph.js";
import { filesOf, TIDES } from "./sample-bundle.js";

function lint(texts: Readonly<Record<string, string>>, today = "2026-11-21") {
	return lintGraph(readBundle(filesOf(texts)), { today }).map(
		({ file, rule, severity }) => `${severity} ${rule} ${file}`,
	);
}

const concept = (head: string, body = "Text.") =>
	`---\ntype: X\ndescription: D.\n${head}\n---\n${body}\n`;
const cited = 'sources: [{ resource: "https://example.org", last_modified: "2020" }]';

t.test("a sound graph has no findings", async (t) => {
	t.same(lint(TIDES), []);
});

t.test("every rule finds its fault and nothing else", async (t) => {
	const record = TIDES["graph.md"] ?? "";
	const linked = concept(`title: Hub\n${cited}`, "[case](case.md)");
	const lintCase = (text: string) =>
		lint({ "graph.md": record, "hub.md": linked, "case.md": text });
	t.same(lintCase(concept(cited)), []);
	t.same(lintCase("no type"), [
		"error no-type case.md",
		"warning broken-link hub.md",
		"warning orphan hub.md",
	]);
	t.same(lintCase(concept("tags: [a]")), ["warning uncited case.md"]);
	t.same(lintCase(concept(cited, "[x](x.md)")), ["warning broken-link case.md"]);
	t.same(lintCase(concept(`${cited}\nstale_after: 2026-11-20`)), ["warning stale case.md"]);
	t.same(lintCase(concept(`${cited}\nstale_after: 2026-11-21`)), []);
	t.same(lintCase(concept(`title: HUB\n${cited}`)), ["warning duplicate-title hub.md"]);
	t.same(lintCase(concept('sources: [{ resource: "https://example.org" }]')), [
		"note undated-source case.md",
	]);
	t.same(lintCase(concept('sources: [{ resource: "file:///etc/passwd" }]')), [
		"warning bad-address case.md",
		"warning uncited case.md",
	]);
	t.same(lintCase(concept('sources: [{ resource: "https://example.org", last_modified: 2027 }]')), [
		"error future-date case.md",
	]);
});

t.test("an alias two concepts claim is found, whatever its case", async (t) => {
	t.same(
		lint({
			"graph.md": TIDES["graph.md"] ?? "",
			"a.md": concept(`${cited}\ntitle: A\naliases: [RFC 1]`, "[b](b.md)"),
			"b.md": concept(`${cited}\ntitle: B\naliases: [rfc 1]`),
		}),
		["warning duplicate-alias b.md"],
	);
});

t.test("an expert that does not disclose, and a record from tomorrow, are errors", async (t) => {
	const record = (TIDES["graph.md"] ?? "").replace(", disclosure: A synthetic desk.", "");
	t.same(lint({ ...TIDES, "graph.md": record }), ["error undisclosed-expert graph.md"]);
	t.same(lint(TIDES, "2026-02-28"), ["error future-date graph.md"]);
});

t.test("an expert in whose name no one may answer is reported, with what to do", (t) => {
	const record = TIDES["graph.md"] ?? "";
	const consent = (text: string) =>
		lint({ ...TIDES, "graph.md": record.replace(", consent: { basis: synthetic }", text) });
	t.same(consent(""), ["warning no-consent graph.md"]);
	const until = (day: string) => consent(`, consent: { basis: contract 7, until: ${day} }`);
	t.same(until("2026-11-20"), ["warning no-consent graph.md"]);
	t.same(until("2026-11-21"), []);
	t.same(until("some day"), ["warning no-consent graph.md"], "what cannot be read permits nothing");
	t.same(consent(", consent: synthetic"), []);
	t.end();
});
