import t from "tap";
import {
	createExportCache,
	graphExport,
	type RunBounded,
} from "../../skills/graphs/export.operations.js";
import { createBoundedWork } from "../../src/contract/bounded-work.js";
import { sharedJsonOf } from "../../src/kernel/json.js";
import { createGraphCatalog } from "../../src/knowledge/model/catalog.js";
import { graphOf, TIDES } from "../knowledge/sample-bundle.js";
import { boundSkill } from "../support/bound-skill.js";
import { conceptOf, graphWith } from "./reading/random-graph.js";

const request = { format: "ndjson", table: "nodes", baseUrl: "https://shop.example" } as const;
const { signal: always } = new AbortController();

const sized = (nodes: number, id?: string) =>
	graphWith(
		Array.from({ length: nodes }, (_, at) => conceptOf(`c.n${at}`, { body: 'Said "so".\nÜ 漢' })),
		id,
	);

/** Counts the work that is begun. */
function counting(runBounded: RunBounded) {
	const begun = { count: 0 };
	const run: RunBounded = (work, signal) =>
		runBounded(() => {
			begun.count += 1;
			return work();
		}, signal);
	return { begun, run };
}

t.test("however many ask for one export, it is made once and kept as one text", async (t) => {
	const { begun, run } = counting(createBoundedWork({ running: 1, waiting: 1 }));
	const cache = createExportCache(run);
	const graph = sized(300);
	const together = await Promise.all(
		Array.from({ length: 100 }, () => cache(graph, request, always)),
	);
	const again = await cache(graph, request, always);
	t.equal(begun.count, 1);
	t.equal(new Set([...together, again]).size, 1);
	const json = Buffer.from(sharedJsonOf(again) ?? []).toString("utf8");
	t.same(JSON.parse(json), JSON.parse(JSON.stringify(again)));
	t.equal(Buffer.byteLength(again.content), again.bytes);
	const changed = { ...graph, contentHash: "other" };
	t.not(await cache(changed, request, always), again);
});

t.test("an export lives as long as anybody waits for it", async (t) => {
	const { begun, run } = counting(createBoundedWork({ running: 1, waiting: 2 }));
	const cache = createExportCache(run);
	const graph = sized(3_000);
	const [first, second, third] = [0, 1, 2].map(() => new AbortController());
	const gone = cache(graph, request, first?.signal as AbortSignal);
	const stays = cache(graph, request, second?.signal as AbortSignal);
	first?.abort(new Error("The first caller left."));
	t.equal((await stays).format, "ndjson");
	await gone;
	t.equal(begun.count, 1);

	const other = sized(3_000, "other");
	const alone = cache(other, request, third?.signal as AbortSignal);
	third?.abort(new Error("The third caller left."));
	await t.rejects(alone, { message: "The third caller left." });
	t.equal((await cache(other, request, always)).format, "ndjson");
});

t.test("exports wait in a short line, and the next is asked to come back", async (t) => {
	const cache = createExportCache(createBoundedWork({ running: 1, waiting: 1 }));
	const graph = sized(1_000);
	const made = (["ndjson", "graphml", "jsonld"] as const).map((format) =>
		cache(graph, { ...request, format }, always),
	);
	await t.rejects(made[2] as Promise<unknown>, { code: "RATE_LIMITED" });
	t.equal((await Promise.all(made.slice(0, 2))).length, 2);
});

t.test("an export costs what its nodes cost page by page", async (t) => {
	const catalog = createGraphCatalog([graphOf(TIDES), sized(51, "larger"), sized(50, "page")]);
	const runExport = createBoundedWork({ running: 1, waiting: 1 });
	const skill = boundSkill(graphExport, { catalog, baseUrl: () => request.baseUrl, runExport });
	const unitsOf = (graph_id: string) =>
		skill.units?.countOf(skill.input.parse({ graph_id, format: "okf" }));
	t.equal(unitsOf("tides"), 1);
	t.equal(unitsOf("page"), 1);
	t.equal(unitsOf("larger"), 2);
	t.equal(unitsOf("nowhere"), 1);
});
