import t from "tap";
import { toRecordFile } from "../../src/knowledge/bundle/bundle-writer.js";
import { importBundle } from "../../src/knowledge/import/import-bundle.js";
import { conceptPricesOf } from "../../src/knowledge/model/graph-terms.js";
import { filesOf } from "./sample-bundle.js";

const record = (lines: string) =>
	`---\ntype: domain\nid: tides\ntitle: Tides\nversion: 1.0.0\nupdated: '2020-01-01'\n${lines}\n---\nTides.\n`;
const concept = (lines = "") => `---\ntype: Concept\ntitle: Moon\n${lines}---\nThe moon pulls.\n`;
const load = (lines: string, moon = concept()) =>
	importBundle(filesOf({ "graph.md": record(lines), "moon.md": moon }), "tides");

t.test("prices and owners of graph.md are read exactly and written back", async (t) => {
	const lines =
		'price: "0.100001"\nprices:\n  get_node: 0.07\n  search.all: 1000\nowners:\n  bob: 33.33\n  ann: 66.67 %';
	const { graph } = await load(lines);
	t.same(graph.record.terms, {
		priceMicros: 100_001n,
		prices: { "graphs.node": 70_000n, "search.all": 1_000_000_000n },
		owners: [
			{ owner: "ann", basisPoints: 6_667 },
			{ owner: "bob", basisPoints: 3_333 },
		],
	});
	const again = await importBundle(
		filesOf({ "graph.md": toRecordFile(graph.record), "moon.md": concept() }),
		"tides",
	);
	t.same(again.graph.record.terms, graph.record.terms);
	const alone = await load("owner: ann");
	t.same(alone.graph.record.terms?.owners, [{ owner: "ann", basisPoints: 10_000 }]);
	t.equal((await load("")).graph.record.terms, undefined);
});

t.test("what is no price and no share is refused with the file and the field", async (t) => {
	const many = Array.from({ length: 51 }, (_, place) => `  o${place}: ${place === 0 ? 50 : 1}`);
	const refusals: readonly (readonly [string, RegExp])[] = [
		["price: -1", /graph\.md: "price" is "-1", which is no price/],
		["price: 0", /"price" is "0".*USD from 0\.0001 to 1000\.00/],
		["price: 1000.000001", /no price/],
		["price: 0.00001", /no price/],
		["price: 0.1234567", /at most six decimals/],
		["price: 1e2x", /no price/],
		["price: [1]", /"price" is "\[1\]"/],
		["prices: 1", /graph\.md: "prices" must map operations to USD/],
		["prices:\n  graphs.serach: 1", /"prices" names "graphs\.serach", which is no operation/],
		["prices:\n  graphs.stats: 1", /"graphs\.stats", which is free, and stays so/],
		["prices:\n  graphs.search: -0.5", /"prices" of "graphs\.search" is "-0\.5"/],
		["prices:\n  graphs.search: 1\n  search_graph: 2", /one operation twice/],
		["owners: ann", /graph\.md: "owners" must map owners to percent/],
		["owners:\n  ann: 60\n  bob: 39.99", /"owners" add up to 99\.99 %, not to 100 %/],
		["owners:\n  ann: 100\n  bob: 0", /"owners" of "bob" is "0", which is no share/],
		["owners:\n  ann: 50.005\n  bob: 49.995", /at most two decimals/],
		["owners:\n  'a|b': 100", /names "a\|b", which is no name of an owner/],
		[`owners:\n${many.join("\n")}`, /more than 50 owners/],
		["owner: ann\nowners:\n  ann: 100", /"owner" and "owners" say the same/],
		["owner:\n  name: ann", /"owner" names "\{"name":"ann"\}"/],
	];
	for (const [lines, message] of refusals) {
		await t.rejects(load(lines), { code: "INVALID_ARGUMENT", message }, lines);
	}
});

t.test("a concept with a price that is none is left out, and the report says why", async (t) => {
	const { report, graph } = await importBundle(
		filesOf({
			"graph.md": record(""),
			"moon.md": concept("price_usd: 1.5\n"),
			"sun.md": concept("price_usd: free\n"),
			"sea.md": concept("price_usd: -1\n"),
		}),
		"tides",
	);
	t.same([...conceptPricesOf(graph)], [["moon", 1_500_000n]]);
	t.match(report.skipped, [
		{ file: "sea.md", reason: /"price_usd" is "-1"/ },
		{ file: "sun.md", reason: /"price_usd" is "free", which is no price/ },
	]);
	t.notMatch(graph.concepts[0]?.facts ?? "", /price/, "a price is no fact to be searched");
});

t.test("a folder of Markdown names its prices on its front page", async (t) => {
	const notes = (front: string) =>
		importBundle(
			filesOf({
				"index.md": `---\ntitle: Notes\n${front}\n---\n# Notes\n`,
				"moon.md": "---\ntitle: Moon\nprice_usd: 2\n---\nThe moon pulls.\n",
			}),
			"notes",
		);
	const { graph } = await notes("price: 0.25\nowners:\n  ann: 100");
	t.match(graph.record.terms, { priceMicros: 250_000n, owners: [{ owner: "ann" }] });
	t.same([...conceptPricesOf(graph).values()], [2_000_000n]);
	const { graph: team } = await notes("owner:\n  team: docs");
	t.equal(team.record.terms, undefined, "who looks after the pages is no owner of revenue");
	await t.rejects(notes("price: much"), { message: /index\.md: "price" is "much"/ });
});
