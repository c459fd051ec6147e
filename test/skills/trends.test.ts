import t from "tap";
import {
	trendEvidence,
	trendList,
	trend as trendOperation,
} from "../../skills/trends/trends.operations.js";
import { createGraphCatalog } from "../../src/knowledge/model/catalog.js";
import type { Evidence } from "../../src/knowledge/model/graph.js";
import { makeConcept, makeGraph } from "../service/sample-graphs.js";
import { boundSkill } from "../support/bound-skill.js";
import { manualClock } from "../support/manual-clock.js";
import { ask } from "./asked-skill.js";

const clock = manualClock("2026-06-01T00:00:00Z");

interface Item {
	readonly trend_id: string;
	readonly momentum: { readonly score: number; readonly recent: number; readonly before: number };
}
interface Page<T> {
	readonly data: { readonly items: readonly T[] };
	readonly meta: { readonly next_cursor: string | null };
}

const sources = (...days: (string | undefined)[]): readonly Evidence[] =>
	days.map((publishedAt, index) => ({
		articleId: `s${index}`,
		title: `Source ${index}`,
		sourceUrl: `https://example.org/${index}`,
		publishedAt,
		datePrecision: publishedAt === undefined ? undefined : "day",
	}));

const trend = (name: string, evidence: readonly Evidence[], changes = {}) =>
	makeConcept({
		id: `trends.${name}`,
		path: `trends/${name}.md`,
		title: name,
		type: "Trend",
		evidence,
		...changes,
	});

const catalog = createGraphCatalog([
	makeGraph({ id: "one" }, [
		trend("rising", sources("2026-05-01", "2026-04-01", "2026-06-01", "2024-12-01")),
		trend("falling", sources("2025-01-01", "2025-02-01", "2025-05-01")),
		trend("still", sources(undefined), {
			edges: [{ type: "builds-on", target: "trends.rising", weight: 1 }],
		}),
		makeConcept(),
	]),
	makeGraph({ id: "two" }, [
		trend("later", sources("2026-06-02", "2027-01-01"), { type: "Signal" }),
		trend("steady", sources("2026-05-01", "2025-01-01"), { tags: ["Slow"] }),
	]),
]);
const list = ask<Page<Item>>(boundSkill(trendList, { catalog, clock }));
const idsOf = ({ data }: Page<Item>) => data.items.map(({ trend_id }) => trend_id);

t.test("trends stand in the order of their momentum, equals by id", async (t) => {
	const page = await list({});
	t.same(idsOf(page), [
		"one:trends.rising",
		"one:trends.still",
		"two:trends.later",
		"two:trends.steady",
		"one:trends.falling",
	]);
	t.match(page.data.items[0]?.momentum, { score: 1, recent: 3, before: 1 });
	t.match(page.data.items[4]?.momentum, { score: -2, recent: 0, before: 3 });
	t.equal(page.kind, "answer");
});

t.test(
	"a list is narrowed by graph, type, tag and day, and empty lists are not sold",
	async (t) => {
		t.same(idsOf(await list({ graph_id: "two", type: ["signal"] })), ["two:trends.later"]);
		t.same(idsOf(await list({ tags: ["slow"] })), ["two:trends.steady"]);
		t.same(idsOf(await list({ type: ["Standard"] })), ["one:concepts.http-402"]);
		t.same(idsOf(await list({ published_after: "2026-12-01" })), ["two:trends.later"]);
		const later = await list({ as_of: "2027-02-01", type: ["Signal"] });
		t.match(later.data.items, [{ momentum: { recent: 2, before: 0 } }]);
		t.equal((await list({ type: ["Nothing"] })).kind, "no-answer");
		await t.rejects(list({ graph_id: "three" }), { code: "NOT_FOUND" });
	},
);

t.test("pages show each trend once, as of the day the first one was asked for", async (t) => {
	const moving = manualClock("2026-06-01T23:59:00Z");
	const paged = ask<Page<Item>>(boundSkill(trendList, { catalog, clock: moving }));
	const seen: string[] = [];
	let cursor: string | null = null;
	do {
		const page: Page<Item> = await paged({ limit: 2, ...(cursor && { cursor }) });
		seen.push(...idsOf(page));
		cursor = page.meta.next_cursor;
		moving.advance(240 * 86_400_000);
	} while (cursor !== null);
	t.same(seen, idsOf(await list({})));
	await t.rejects(list({ cursor: "WyJ4Il0" }), { code: "INVALID_ARGUMENT" });
});

t.test(
	"one trend comes with its links, momentum and text; a wrong name gets no near ones",
	async (t) => {
		const read = ask<{ data: Record<string, unknown> }>(
			boundSkill(trendOperation, { catalog, clock }),
		);
		const { data } = await read({ trend_id: "one:trends.still" });
		t.match(data, {
			graph_id: "one",
			body: String,
			momentum: { score: 0 },
			links: [{ trend_id: "one:trends.rising", type: "builds-on", direction: "out" }],
			is_complete: true,
		});
		const wrong = { trend_id: "one:trends.rysing" };
		await t.rejects(read(wrong), { code: "NOT_FOUND", message: /POST \/v1\/graphs\/one\/search/ });
		await t.rejects(read(wrong), { message: /^(?!.*trends\.rising)/ });
		await t.rejects(read({ trend_id: "nowhere:x" }), { code: "NOT_FOUND" });
	},
);

t.test("evidence comes newest first, undated last, page by page", async (t) => {
	const evidence = ask<Page<{ article_id: string; article_ref: string }>>(
		boundSkill(trendEvidence, { catalog, clock }),
	);
	const trend_id = "one:trends.rising";
	const first = await evidence({ trend_id, limit: 3 });
	t.same(
		first.data.items.map(({ article_id }) => article_id),
		["s2", "s0", "s1"],
	);
	const { next_cursor: cursor } = first.meta;
	const second = await evidence({ trend_id, limit: 3, cursor });
	t.match(second, { data: { items: [{ article_id: "s3" }] }, meta: { next_cursor: null } });
	t.match(first.data.items[0]?.article_ref, /^art_[0-9a-f]{20}$/);
	await t.rejects(evidence({ trend_id: "one:trends.still", limit: 3, cursor }), {
		code: "INVALID_ARGUMENT",
	});
});

t.test("examples name trends wherever there are some", (t) => {
	t.same(boundSkill(trendOperation, { catalog, clock }).exampleInput, {
		trend_id: "one:trends.rising",
	});
	const empty = createGraphCatalog([]);
	t.match(boundSkill(trendOperation, { catalog: empty, clock }).exampleInput, {
		trend_id: /^[\w-]+:/,
	});
	t.end();
});
