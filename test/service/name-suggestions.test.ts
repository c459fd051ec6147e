import t from "tap";
import { createGraphCatalog } from "../../src/knowledge/catalog.js";
import { createNameSuggestions } from "../../src/service/name-suggestions.js";
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
const textsOf = (prefix: string, limit = 10) => suggest(prefix, limit).map(({ text }) => text);

t.test("names are completed from their beginning first, then from a word in them", (t) => {
	t.same(textsOf("ret"), ["Retry-After", "Safe retries"]);
	t.same(textsOf("lim"), ["Limit order", "Rate limits"]);
	t.same(textsOf("RATE  LIM"), ["Rate limits"], "in either case, with any spaces");
	t.same(textsOf("stra"), ["Straße nach Süden"]);
	t.end();
});

t.test("a name of several graphs is told once, with its graphs, and topics are told apart", (t) => {
	t.same(suggest("rate", 10), [{ text: "Rate limits", kind: "topic", graphs: ["one", "two"] }]);
	t.match(suggest("idem", 10), [{ kind: "concept", graphs: ["one"] }]);
	t.end();
});

t.test("what begins nothing, or is nothing, is completed by nothing", (t) => {
	for (const prefix of ["zzz", " ", "", "\u0000", ".*", "r%"]) t.same(textsOf(prefix), [], prefix);
	t.equal(textsOf("r", 1).length, 1);
	t.end();
});
