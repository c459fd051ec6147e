import t from "tap";
import { createSyntheticCatalog } from "../../bench/synthetic/synthetic-catalog.js";
import { createExpertDirectory } from "../../skills/experts/expert-directory.js";
import { createNameSuggestions } from "../../skills/search/name-suggestions.js";
import { createGraphCatalog } from "../../src/knowledge/model/catalog.js";

const catalog = createGraphCatalog(
	createSyntheticCatalog({ seed: 3, graphs: 16, concepts: 4_400, experts: 4_150 }),
);
const { signal } = new AbortController();

t.test("a roster of 4,150 is read whole, and everybody is found by their own words", async (t) => {
	let asked = 0;
	const directory = createExpertDirectory({
		catalog,
		search: {
			find: () => {
				asked += 1;
				throw new Error("The notes need not be asked.");
			},
		},
	});
	const everybody: string[] = [];
	for (let cursor: string | undefined; ; ) {
		const { items, next_cursor } = await directory.list({ limit: 200, cursor });
		everybody.push(...items.map(({ agent_id }) => agent_id));
		if (next_cursor === null) break;
		cursor = next_cursor;
	}
	t.equal(everybody.length, 4_150);
	t.same(everybody, [...new Set(everybody)].sort());

	const found = await directory.search(
		"who knows defrost cycles of heat pumps, case 7?",
		10,
		signal,
	);
	t.equal(found.length, 10);
	for (const { topics, disclosure } of found) {
		t.ok(topics.includes("heat pumps"));
		t.match(disclosure, /^Synthetic/);
	}
	t.equal(asked, 0);
	for (const id of everybody.filter((_, index) => index % 500 === 0)) {
		const { name } = await directory.get(id);
		const named = await directory.search(name, 5, signal);
		t.ok(
			named.some(({ agent_id }) => agent_id === id),
			name,
		);
	}
});

t.test("names are completed over every graph", async (t) => {
	const suggest = createNameSuggestions({ catalog });
	const [first, ...others] = await suggest("heat p", 5);
	t.match(first, { text: "heat pumps", kind: "topic" });
	t.equal(others.length, 0);
	t.equal((await suggest("s", 50)).length, 50);
	for (const { text } of await suggest("synthetic specialist 04", 5)) {
		t.match(text, /^Synthetic specialist 04/);
	}
});
