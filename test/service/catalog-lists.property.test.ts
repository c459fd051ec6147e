import fc from "fast-check";
import t from "tap";
import { listSources } from "../../skills/articles/sources.operations.js";
import { listBrands } from "../../skills/brands/brand-directory.operations.js";
import { trendList } from "../../skills/trends/trends.operations.js";
import { createGraphCatalog, type GraphCatalog } from "../../src/knowledge/model/catalog.js";
import { ask } from "../skills/asked-skill.js";
import { boundSkill } from "../support/bound-skill.js";
import { manualClock } from "../support/manual-clock.js";
import { emptySearch } from "./empty-search.js";
import { makeConcept, makeGraph } from "./sample-graphs.js";

const clock = manualClock("2026-06-01T00:00:00Z");

const word = fc.stringMatching(/^[a-z]{1,3}$/);
const day = fc.constantFrom("2026-05-01", "2025-12-01", "2025-03-01", "2024-09-01", "2020-01-01");
const conceptArbitrary = fc.record({
	title: fc.string({ minLength: 1, maxLength: 6 }),
	type: fc.constantFrom("Trend", "Signal", "Company", "Entity"),
	sources: fc.array(fc.record({ host: word, day: fc.option(day, { nil: undefined }) }), {
		maxLength: 4,
	}),
});
const catalogArbitrary = fc
	.array(fc.array(conceptArbitrary, { maxLength: 8 }), { maxLength: 3 })
	.map((graphs) =>
		createGraphCatalog(
			graphs.map((concepts, graph) =>
				makeGraph(
					{ id: `graph-${graph}` },
					concepts.map(({ title, type, sources }, place) =>
						makeConcept({
							id: `c${place}`,
							path: `c${place}.md`,
							title,
							type,
							facts: `registry id: ${graph} ${place}`,
							evidence: sources.map(({ host, day: publishedAt }, index) => ({
								articleId: `s${index}`,
								title: "Source",
								sourceUrl: `https://${host}.example/${index}`,
								publishedAt,
								datePrecision: publishedAt === undefined ? undefined : ("day" as const),
							})),
						}),
					),
				),
			),
		),
	);

interface Page {
	readonly items: readonly Record<string, unknown>[];
	readonly next: string | null;
}
type List = (request: { limit: number; cursor?: string }) => Promise<Page>;

async function readAll(list: List, limit: number, field: string) {
	const keys: unknown[] = [];
	for (let cursor: string | null | undefined; cursor !== null; ) {
		const page: Page = await list({ limit, ...(cursor && { cursor }) });
		if (page.items.length > limit) throw new Error("A page is too long.");
		keys.push(...page.items.map((item) => item[field]));
		cursor = page.next;
	}
	return keys;
}

const lists: Readonly<Record<string, (catalog: GraphCatalog) => List>> = {
	host: (catalog) => async (request) => toPage(await listSources(catalog, request)),
	brand: (catalog) => async (request) =>
		toPage(await listBrands({ catalog, search: emptySearch }, request)),
	trend_id(catalog) {
		const trends = ask<{ data: { items: [] }; meta: { next_cursor: string | null } }>(
			boundSkill(trendList, { catalog, clock }),
		);
		return async (request) => {
			const { data, meta } = await trends(request);
			return { items: data.items, next: meta.next_cursor };
		};
	},
};

function toPage(data: Readonly<Record<string, unknown>>): Page {
	return { items: data["items"] as Page["items"], next: data["next_cursor"] as string | null };
}

for (const [field, listOf] of Object.entries(lists)) {
	t.test(`pages of any length give the whole list by ${field}, each once`, async (t) => {
		await fc.assert(
			fc.asyncProperty(catalogArbitrary, fc.integer({ min: 1, max: 5 }), async (catalog, limit) => {
				const list = listOf(catalog);
				const whole = (await list({ limit: 50 })).items.map((item) => item[field]);
				const paged = await readAll(list, limit, field);
				return (
					JSON.stringify(paged) === JSON.stringify(whole) && new Set(paged).size === paged.length
				);
			}),
			{ numRuns: 60 },
		);
		t.pass();
	});
}
