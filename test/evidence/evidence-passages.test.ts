import t from "tap";
import { toCitedSentences } from "../../src/evidence/cited-sentences.js";
import { toEvidencePassages } from "../../src/evidence/evidence-passages.js";
import { makeConcept, makeGraph } from "../service/sample-graphs.js";

const LONG = "A tide table lists for each day when the water is high and when it is low in a port.";

function passagesOf(body: string, more: Parameters<typeof makeConcept>[0] = {}) {
	const concept = makeConcept({
		id: "tides",
		title: "Tides",
		summary: "What moves the sea.",
		body,
		...more,
	});
	const graph = makeGraph({ id: "sea" }, [concept]);
	return toEvidencePassages(graph, concept).map(({ text, heading, standsAlone }) => {
		return { text, heading, standsAlone };
	});
}

t.test("the summary is a passage, and so is each sentence that can be read alone", async (t) => {
	const other =
		"Spring tides follow the full moon and the new moon by some two days almost everywhere on earth.";
	t.same(
		passagesOf(`${LONG} ${other}`).map(({ text }) => text),
		["What moves the sea.", LONG, other],
	);
});

t.test(
	"a sentence that leans on the one before stays with it, and so does what is announced",
	async (t) => {
		const leaning = "It is made by an office long before.";
		t.equal(passagesOf(`${LONG} ${leaning}`)[1]?.text, `${LONG} ${leaning}`);
		const announced = passagesOf(
			`${LONG}\n\nThe parts of a table are:\n\n- the hour of high water in the port\n- the height above the datum`,
		);
		t.match(announced.at(-1)?.text, /^The parts of a table are: the hour .* the height/);
	},
);

t.test("what stands under another heading is no part of a passage", async (t) => {
	const found = passagesOf(
		`${LONG}\n\n## Origin\n\nIt goes back to the monks of Saint Albans, who wrote one for London Bridge.`,
	);
	t.match(found.at(-1), { heading: "Origin", standsAlone: false });
	t.equal(passagesOf(`# Tides\n\n${LONG}`).at(-1)?.heading, undefined, "the title says no more");
});

t.test("the steps of a numbered list stay together, and know their numbers", async (t) => {
	const list = [1, 2, 3, 4, 5, 6]
		.map(
			(n) =>
				`${n}. Open sluice ${n} until the gauge shows that basin ${n} has as much water as the sea outside.`,
		)
		.join("\n");
	const found = passagesOf(`${LONG}\n\n${list}\n\nA basin is a pond.`).map(({ text }) => text);
	t.equal(found[2]?.match(/sluice/g)?.length, 6);
	t.notMatch(found[2], /pond/);
	const concept = makeConcept({ id: "tides", title: "Tides", summary: "", body: list });
	const sentences = toCitedSentences(makeGraph({ id: "sea" }, [concept]), concept);
	t.same(
		sentences.flatMap(({ step: number }) => number ?? []),
		[1, 2, 3, 4, 5, 6],
	);
	const bullets = passagesOf(list.replaceAll(/^\d\./gm, "-")).map(({ text }) => text);
	t.ok(bullets.length > 2, "bullets are no steps");
});

t.test("a passage has at most 90 words, however short its sentences are", async (t) => {
	const found = passagesOf("It was so. ".repeat(200));
	for (const { text } of found) t.ok(text.split(" ").length <= 90);
	t.same(passagesOf("", { summary: "" }), []);
});

t.test("a document that names no sources is its own", async (t) => {
	const concept = makeConcept({
		id: "tides",
		path: "tides.md",
		title: "Tides",
		body: LONG,
		evidence: [],
	});
	const [first] = toEvidencePassages(makeGraph({ id: "sea" }, [concept]), concept);
	t.match(first?.sentences[0].sources, [
		{ title: "Tides", sourceUrl: "urn:tollgraph:sea:tides.md" },
	]);
});
