import t from "tap";
import { createNeighbourhood } from "../../src/knowledge/neighbourhood.js";
import { graphOf, TIDES } from "./sample-bundle.js";

const around = createNeighbourhood(graphOf(TIDES));
const ids = (found: ReturnType<typeof around.neighbours>) =>
	found.map(({ concept, distance }) => `${distance} ${concept.id}`);

t.test(
	"neighbours are found over edges in both directions, nearest and heaviest first",
	async (t) => {
		t.same(ids(around.neighbours("cycles.spring")), ["1 phases.high", "1 cycles.neap"]);
		t.same(ids(around.neighbours("cycles.spring", { depth: 2 })), [
			"1 phases.high",
			"1 cycles.neap",
			"2 phases.low",
		]);
	},
);

t.test("direction, type and limit narrow the neighbourhood", async (t) => {
	t.same(ids(around.neighbours("cycles.spring", { direction: "out" })), []);
	t.same(ids(around.neighbours("cycles.spring", { types: ["opposes"] })), ["1 cycles.neap"]);
	t.same(ids(around.neighbours("cycles.spring", { depth: 3, limit: 1 })), ["1 phases.high"]);
	t.same(around.neighbours("nowhere"), []);
});

t.test("a step tells which edge was walked and which way", async (t) => {
	const [neap] = around.neighbours("cycles.spring", { types: ["opposes"] });
	t.match(neap, { weight: 0.5, step: { direction: "in", edge: { type: "opposes" } } });
});

t.test("paths come shortest first, without cycles", async (t) => {
	const node = (title: string, links: readonly string[]) =>
		`---\ntype: X\ntitle: ${title}\n---\n${links.map((link) => `[${link}](${link}.md)`).join(" ")}`;
	const diamond = createNeighbourhood(
		graphOf({
			"a.md": node("a", ["b", "c"]),
			"b.md": node("b", ["d", "a"]),
			"c.md": node("c", ["e"]),
			"d.md": node("d", []),
			"e.md": node("e", ["d"]),
		}),
	);
	const route = (steps: readonly { to: string }[]) => steps.map(({ to }) => to).join(">");
	t.same(
		diamond.paths("a", "d", { count: 5, direction: "out" }).map(({ steps }) => route(steps)),
		["b>d", "c>e>d"],
	);
	t.same(diamond.paths("d", "a", { direction: "out" }), []);
	t.same(diamond.paths("a", "a"), []);
	t.equal(diamond.paths("a", "d", { count: 5, maxSteps: 2 }).length, 1);
});
