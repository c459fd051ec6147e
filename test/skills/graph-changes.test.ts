import t from "tap";
import { graphChanges } from "../../skills/graphs/history.operations.js";
import type { Skill } from "../../src/contract/skill.js";
import { readBundle } from "../../src/knowledge/bundle/bundle-reader.js";
import { createGraphCatalog } from "../../src/knowledge/model/catalog.js";
import { filesOf, TIDES } from "../knowledge/sample-bundle.js";
import { boundSkill } from "../support/bound-skill.js";
import { manualClock } from "../support/manual-clock.js";

const bundle = (texts: Readonly<Record<string, string>>) => readBundle(filesOf(texts)).graph;
const context = { signal: new AbortController().signal, requestId: "req_test", callId: "req_test" };
const clock = manualClock("2026-06-01T00:00:00Z");

type Answer = Awaited<ReturnType<ReturnType<typeof ask>>>;

/** Asks as the pipeline does: input parsed, checked, run. */
function ask(skill: Skill) {
	return async (input: Record<string, unknown>) => {
		const parsed = skill.input.parse({ graph_id: "tides", ...input });
		await skill.prepare?.(parsed);
		const { kind, result } = await skill.run(parsed, context);
		return { kind, ...(skill.output.parse(result) as { data: Data; meta: Meta }) };
	};
}
interface Data {
	readonly items: readonly { node_id: string; change: string }[];
	readonly basis: string;
	readonly is_complete: boolean;
}
interface Meta {
	readonly next_cursor: string;
	readonly has_more: boolean;
}
const told = ({ data }: Answer) => data.items.map(({ node_id, change }) => `${change} ${node_id}`);

t.test("a feed of changes begins with a cursor, and lists each change once", async (t) => {
	const catalog = createGraphCatalog([bundle(TIDES)]);
	const changes = ask(boundSkill(graphChanges, { catalog, clock }));

	const first = await changes({});
	t.match(first, { kind: "no-answer", data: { items: [], is_complete: true } });
	const idle = await changes({ cursor: first.meta.next_cursor });
	t.equal(idle.kind, "no-answer");

	const { "cycles/neap.md": _, ...rest } = TIDES;
	const low = `${TIDES["phases/low.md"]} It lasts an hour.`;
	const ebb = "---\ntype: Concept\ntitle: Ebb\n---\nGoes out.";
	catalog.put(bundle({ ...rest, "phases/low.md": low, "phases/ebb.md": ebb }));
	const one = await changes({ cursor: idle.meta.next_cursor, limit: 2 });
	t.match(one, { kind: "answer", meta: { has_more: true }, data: { basis: "files" } });
	// What changes between two pages is listed after the pages.
	catalog.put(bundle({ ...rest, "phases/low.md": low, "phases/ebb.md": `${ebb} Slowly.` }));
	const two = await changes({ cursor: one.meta.next_cursor, limit: 2 });
	t.same(
		[...told(one), ...told(two)],
		["removed cycles.neap", "added phases.ebb", "changed phases.low"],
	);
	t.equal(two.meta.has_more, false);
	const three = await changes({ cursor: two.meta.next_cursor });
	t.same(told(three), ["changed phases.ebb"]);
});

t.test(
	"a revision that is not remembered is answered by dates, and the answer says so",
	async (t) => {
		const catalog = createGraphCatalog([bundle(TIDES)]);
		const before = await ask(boundSkill(graphChanges, { catalog, clock }))({});
		const dated = `---\ntype: Concept\ntitle: Ebb\ngenerated: { by: desk/1, at: "2026-06-02" }\n---\nOut.`;
		catalog.put(bundle({ ...TIDES, "phases/ebb.md": dated }));
		const afterRestart = ask(boundSkill(graphChanges, { catalog, clock }));
		const found = await afterRestart({ cursor: before.meta.next_cursor });
		t.match(found, { kind: "answer", data: { basis: "dates", is_complete: false } });
		t.same(told(found), ["dated phases.ebb"]);
		t.same(told(await afterRestart({ since: "2026-06-02" })), ["dated phases.ebb"]);
		t.equal((await afterRestart({ since: "2026-06-03" })).kind, "no-answer");
	},
);

t.test("a cursor and a day are one too many, and a stranger's cursor is refused", async (t) => {
	const other = { ...bundle(TIDES), record: { ...bundle(TIDES).record, id: "other" } };
	const catalog = createGraphCatalog([bundle(TIDES), other]);
	const changes = ask(boundSkill(graphChanges, { catalog, clock }));
	const { meta } = await changes({});
	const refusal = { code: "INVALID_ARGUMENT" };
	await t.rejects(changes({ cursor: meta.next_cursor, since: "2026-01-01" }), refusal);
	await t.rejects(changes({ graph_id: "other", cursor: meta.next_cursor }), refusal);
	await t.rejects(changes({ graph_id: "nowhere" }), { code: "NOT_FOUND" });
});

const dated = (title: string, day: string) =>
	`---\ntype: Concept\ntitle: ${title}\ngenerated: { by: desk/1, at: "${day}" }\n---\n${title}.`;

t.test("what changes between two pages of dates is listed after the pages", async (t) => {
	const written = {
		"a.md": dated("A", "2026-05-30"),
		"b.md": dated("B", "2026-05-30"),
		"c.md": dated("C", "2026-05-30"),
	};
	const catalog = createGraphCatalog([bundle({ ...TIDES, ...written })]);
	const changes = ask(boundSkill(graphChanges, { catalog, clock }));
	const one = await changes({ since: "2026-05-30", limit: 2 });
	t.match(one, { data: { basis: "dates" }, meta: { has_more: true } });
	const update = { "a.md": dated("A anew", "2026-06-01"), "aa.md": dated("Aa", "2026-06-01") };
	catalog.put(bundle({ ...TIDES, ...written, ...update }));
	const two = await changes({ cursor: one.meta.next_cursor, limit: 2 });
	t.same([...told(one), ...told(two)], ["dated a", "dated b", "dated c"]);
	t.equal(two.meta.has_more, false);
	const three = await changes({ cursor: two.meta.next_cursor });
	t.match(three, { data: { basis: "files", is_complete: true } });
	t.same(told(three), ["changed a", "added aa"]);
});

t.test("days on which pages were begun are what dates go on from", async (t) => {
	const catalog = createGraphCatalog([
		bundle({ ...TIDES, "a.md": dated("A", "2026-05-30"), "b.md": dated("B", "2026-05-30") }),
	]);
	const later = manualClock("2026-06-01T23:59:00Z");
	const changes = ask(boundSkill(graphChanges, { catalog, clock: later }));
	const one = await changes({ since: "2026-05-30", limit: 1 });
	later.advance(120_000);
	const two = await changes({ cursor: one.meta.next_cursor, limit: 1 });
	t.equal(two.meta.has_more, false);
	catalog.put(bundle({ ...TIDES, "c.md": dated("C", "2026-06-01") }));
	const afterRestart = ask(boundSkill(graphChanges, { catalog, clock: later }));
	t.same(told(await afterRestart({ cursor: two.meta.next_cursor })), ["dated c"]);
});
