import { join } from "node:path";
import t from "tap";
import { systemClock } from "../../src/kernel/clock.js";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";
import { createSearchEngine } from "../../src/search/search-engine.js";
import { sampleConcept, sampleGraph } from "./sample-graph.js";

const GOODS =
	"shoes boots sandals coats jackets gloves hats scarves belts bags shirts trousers skirts socks suits ties dresses jeans vests caps";
const OTHERS =
	"Cleaning the kitchen grill|Hiring seasonal staff|Energy bills in winter|Fire drill procedure|Parking permits|Coffee machine repair|Printer toner order|Window cleaning dates|Payroll calendar|Holiday requests|Alarm codes policy|Lost property desk|Music licence|Delivery bay rules|Shift swaps|Uniform sizes|First aid box|Waste sorting|Lift maintenance|Plant watering|Meeting room booking|Cash float count|Gift card stock|Staff discount";

const ANSWERS = GOODS.split(" ").map((goods) =>
	sampleConcept(`worn-${goods}`, {
		title: `Returning worn ${goods}`,
		summary: `Customers may return worn ${goods} within thirty days when a seam has failed.`,
		body: `Keep the receipt. The refund goes to the card used for ${goods}.`,
	}),
);
const REST = OTHERS.split("|").map((title, at) =>
	sampleConcept(`other-${at}`, {
		title,
		summary: `${title} is described here: who does it, when it is due and what to sign afterwards.`,
	}),
);
/** Two words that many rows hold are asked back: it is open which row was meant. */
const SHORT_QUERY = "how many days to return";
const QUERIES = [
	"can a customer return worn shoes",
	"refund for returned shoes",
	"return of worn items",
	SHORT_QUERY,
	"worn goods refund receipt",
];
const OFF_TOPIC = "population of argentina in the last census";
const RANKS = ["ABSTAIN", "CLARIFY", "PARTIAL", "ANSWER"];

const folder = join(PACKAGE_ROOT, "models", "table");

for (const model of ["table", "none"] as const) {
	t.test(
		`a graph with many answers decides as one with a single answer, model ${model}`,
		async (t) => {
			const engine = await createSearchEngine({
				folder: t.testdir(),
				clock: systemClock,
				model: model === "none" ? model : { folder, sums: "required" },
				wordsFolder: folder,
			});
			t.teardown(() => engine.close());
			const least = new Map<string, number>();
			for (let count = 1; count <= ANSWERS.length; count++) {
				const graph = sampleGraph("shop", [...ANSWERS.slice(0, count), ...REST]);
				await engine.sync([graph]);
				const decide = async (query: string) => {
					const { signal } = new AbortController();
					return (await engine.find({ graphs: [graph], query, limit: 5, signal })).decision;
				};
				for (const query of QUERIES) {
					const decision = await decide(query);
					const rank = RANKS.indexOf(decision);
					const enough = RANKS.indexOf(query === SHORT_QUERY ? "CLARIFY" : "PARTIAL");
					if (count === 1) least.set(query, Math.min(rank, enough));
					t.ok(rank >= (least.get(query) ?? 0), `${count} answers, ${query}: ${decision}`);
				}
				t.equal(await decide(OFF_TOPIC), "ABSTAIN", `${count} answers`);
			}
		},
	);
}
