import t from "tap";
import { createNameSuggestions } from "../../skills/search/name-suggestions.js";
import { createGraphCatalog } from "../../src/knowledge/model/catalog.js";
import { makeConcept, makeGraph } from "./sample-graphs.js";

const graph = (id: string, topics: string[], titles: string[]) =>
	makeGraph(
		{ id, slug: id, topics },
		titles.map((title, index) => makeConcept({ id: `c${index}`, title })),
	);

const suggest = createNameSuggestions({
	catalog: createGraphCatalog([
		graph("one", ["Rate limits"], ["Retry-After", "Idempotency keys", "Limit order"]),
		graph("two", ["rate limits"], ["Straße nach Süden", "Safe retries"]),
	]),
});
const textsOf = async (prefix: string, limit = 10) =>
	(await suggest(prefix, limit)).map(({ text }) => text);

t.test("names are completed from their beginning first, then from a word in them", async (t) => {
	t.same(await textsOf("ret"), ["Retry-After", "Safe retries"]);
	t.same(await textsOf("lim"), ["Limit order", "Rate limits"]);
	t.same(await textsOf("RATE  LIM"), ["Rate limits"], "in either case, with any spaces");
	t.same(await textsOf("stra"), ["Straße nach Süden"]);
});

t.test(
	"a name of several graphs is listed once, with its graphs, and topics are distinguished",
	async (t) => {
		t.same(await suggest("rate", 10), [
			{ text: "Rate limits", kind: "topic", graphs: ["one", "two"] },
		]);
		t.match(await suggest("idem", 10), [{ kind: "concept", graphs: ["one"] }]);
	},
);

t.test("what begins nothing, or is nothing, is completed by nothing", async (t) => {
	for (const prefix of ["zzz", " ", "", "\u0000", ".*", "r%"])
		t.same(await textsOf(prefix), [], prefix);
	t.equal((await textsOf("r", 1)).length, 1);
});

t.test("who asks before the names are in order gets the same, at once", async (t) => {
	const titles = Array.from({ length: 3_000 }, (_, at) => `Limit ${at} of the Straße`);
	const open = () =>
		createNameSuggestions({
			catalog: createGraphCatalog([
				graph("many", ["Limits of rates"], titles),
				graph("few", ["limits of rates"], ["Safe LIMIT 17 of the Straße"]),
			]),
		});
	for (const prefix of ["limits", "limit 299", "LIMIT 17 of", "stra", "rates"]) {
		const suggest = open();
		let hasTurned = false;
		setImmediate(() => {
			hasTurned = true;
		});
		const first = await suggest(prefix, 5);
		t.equal(hasTurned, false, "no turn was given away");
		await new Promise((resolve) => setTimeout(resolve, 500));
		const later = await suggest(prefix, 5);
		t.equal(later[0]?.text, first[0]?.text, prefix);
		t.equal(later.length, first.length, prefix);
	}
});
