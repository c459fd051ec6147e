import t from "tap";
import { trendHistory, trendMovers } from "../../skills/trends/trend-series.operations.js";
import { createGraphCatalog } from "../../src/knowledge/model/catalog.js";
import type { Evidence } from "../../src/knowledge/model/graph.js";
import { makeConcept, makeGraph } from "../service/sample-graphs.js";
import { boundSkill } from "../support/bound-skill.js";
import { manualClock } from "../support/manual-clock.js";
import { ask } from "./asked-skill.js";

const clock = manualClock("2026-05-31T00:00:00Z");

const sources = (...days: (string | undefined)[]): readonly Evidence[] =>
	days.map((publishedAt, index) => ({
		articleId: `s${index}`,
		title: `Source ${index}`,
		sourceUrl: `https://example.org/${index}`,
		publishedAt,
		datePrecision: publishedAt === undefined ? undefined : "day",
	}));
const trend = (name: string, evidence: readonly Evidence[]) =>
	makeConcept({
		...{ id: `trends.${name}`, path: `trends/${name}.md`, title: name, type: "Trend" },
		evidence,
	});

const catalog = createGraphCatalog([
	makeGraph({ id: "one" }, [
		trend("rising", sources("2026-05-01", "2026-04-01", "2026-01-05", "2024-12-01")),
		trend("falling", sources("2025-01-01", "2025-02-01")),
		trend("steep", sources("2025-01-01", "2025-02-01", "2025-03-01")),
		trend("fresh", sources("2026-05-02", undefined)),
		trend("old", sources("2019-01-01", "2026-05-02", "2025-01-01")),
		trend("undated", sources(undefined)),
	]),
	makeGraph({ id: "two" }, [trend("later", sources("2026-06-02"))]),
]);

interface Point {
	readonly as_of: string;
	readonly score: number;
	readonly published: number;
}
const history = ask<{ data: { items: readonly Point[] } }>(
	boundSkill(trendHistory, { catalog, clock }),
);
const movers = ask<{ data: Record<string, readonly { title: string }[]>; meta: object }>(
	boundSkill(trendMovers, { catalog, clock }),
);

t.test(
	"a history has the momentum of each period's end, and what was published in it",
	async (t) => {
		const asked = { trend_id: "one:trends.rising", step: "quarter", periods: 3 };
		const { data, kind } = await history(asked);
		t.equal(kind, "answer");
		t.match(data.items, [
			{ as_of: "2025-11-30", published: 0, recent: 1, before: 0 },
			{ as_of: "2026-02-28", published: 1, recent: 1, before: 1 },
			{ as_of: "2026-05-31", score: 1, published: 2, recent: 3, before: 1 },
		]);
		const [last] = (await history({ ...asked, periods: 1, as_of: "2024-12-31" })).data.items;
		t.match(last, { as_of: "2024-12-31", published: 1 }, "what came later does not count");
		const months = (await history({ ...asked, step: "month", periods: 14 })).data.items;
		t.equal(new Set(months.map(({ as_of }) => as_of)).size, 14);
		t.same(months.at(-4)?.as_of, "2026-02-28", "the last day of a shorter month");
		t.equal(
			months.reduce((sum, { published }) => sum + published, 0),
			3,
			"each source is published once",
		);
		t.equal((await history({ ...asked, trend_id: "one:trends.undated" })).kind, "no-answer");
		await t.rejects(history({ ...asked, trend_id: "one:trends.none" }), { code: "NOT_FOUND" });
	},
);

t.test("what rises, what falls and what is new stand apart", async (t) => {
	const titles = async (asked: Record<string, unknown>) => {
		const { data } = await movers(asked);
		return Object.fromEntries(
			Object.entries(data).map(([kind, items]) => [kind, items.map(({ title }) => title)]),
		);
	};
	t.same(await titles({}), {
		rising: ["rising"],
		falling: ["steep", "falling"],
		new: ["fresh"],
	});
	t.same((await titles({ limit: 1 }))["falling"], ["steep"]);
	t.match(await titles({ as_of: "2026-07-01", graph_id: "two" }), { new: ["later"] });
	t.equal((await movers({ graph_id: "two" })).kind, "no-answer");
	t.equal((await movers({ type: ["Nothing"] })).kind, "no-answer");
	await t.rejects(movers({ graph_id: "three" }), { code: "NOT_FOUND" });
});
