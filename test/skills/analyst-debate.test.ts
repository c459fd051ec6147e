import { join } from "node:path";
import t, { type Test } from "tap";
import { analystDebate } from "../../skills/analysts/analyst-debate.operations.js";
import type { AnalystConsultOutput, DebateOutput } from "../../skills/analysts/analyst-wire.js";
import { analystConsultation } from "../../skills/analysts/analysts.operations.js";
import { surveyDebate } from "../../skills/analysts/debate.js";
import type { Writer } from "../../skills/answers/writer/writing-task.js";
import { openSearch } from "../../src/app/content.js";
import { createGraphCatalog } from "../../src/knowledge/model/catalog.js";
import { makeConcept, makeGraph } from "../service/sample-graphs.js";
import { boundSkill } from "../support/bound-skill.js";
import { manualClock } from "../support/manual-clock.js";
import { createTestResearch } from "../support/test-research.js";
import { handJudge, reading } from "../support/word-judge.js";
import { ask } from "./asked-skill.js";

const clock = manualClock("2026-11-22T12:00:00Z");

const QUESTION = "Does the tide follow the moon?";
const NOTES = [
	["pro-3", "The tide follows the moon in every harbor.", "almanac.example"],
	["pro-1", "Measured for a year, the tide follows the moon in each harbor.", "gauge.example"],
	["pro-2", "Buoys show that the tide follows the moon in all harbors.", "buoys.example"],
	["con-1", "The tide does not follow the moon in the harbor of the old port.", "south.example"],
	["con-2", "The tide never follows the moon in harbors of an inner sea.", "baltic.example"],
	["con-3", "The tide never follows the moon in harbors behind a dam.", "dam.example"],
	["aside", "The tide and the moon are painted in the town hall.", "paint.example"],
] as const;
type Note = (typeof NOTES)[number];

const analyst = (id: string, name: string, notes: readonly Note[]) => {
	const about = { name, domain: "Tides", method: "Reads gauges." };
	const concepts = notes.map(([note, text, host]) =>
		makeConcept({
			id: `notes.${note}`,
			path: `notes/${note}.md`,
			title: `The tide and the moon, ${note}`,
			summary: text,
			body: "",
			evidence: [
				{
					articleId: `art-${note}`,
					title: `Report of ${host}`,
					sourceUrl: `https://${host}/${note}`,
					publishedAt: "2025-01-01",
					datePrecision: "day",
				},
			],
		}),
	);
	return makeGraph({ id, slug: id, type: "analyst", analyst: about }, concepts);
};

const denies = (text: string) => /does not follow|never follows/.test(text);
const speaks = (text: string) => denies(text) || /tide follows the moon/.test(text);

/** Reads what the notes were written to say. */
const judge = handJudge(({ text, passage }) => {
	if (!speaks(text) || !speaks(passage)) return reading("open", 0.9);
	return reading(denies(text) === denies(passage) ? "supports" : "refutes", 0.9);
});

async function openDebate(t: Test, left: readonly Note[], right: readonly Note[]) {
	const folder = t.testdir({});
	const graphs = [analyst("one", "First Analyst", left), analyst("two", "Second Analyst", right)];
	const search = await openSearch({
		...{ model: "none", judge, clock },
		folder: join(folder, "index"),
		modelsFolder: join(folder, "models"),
	});
	t.teardown(() => search.close());
	await search.sync(graphs);
	const catalog = createGraphCatalog(graphs);
	const services = {
		search,
		catalog,
		clock,
		research: { ...createTestResearch({ clock }), writer },
	};
	return {
		debate: ask<DebateOutput>(boundSkill(analystDebate, services)),
		consult: ask<AnalystConsultOutput>(boundSkill(analystConsultation, services)),
	};
}

let asked = 0;
const writer: Writer = {
	name: "llm:counted",
	async draft() {
		asked += 1;
		return [];
	},
};
const named = (...names: readonly string[]) => NOTES.filter(([name]) => names.includes(name));
const pick = (isWanted: (text: string) => boolean) =>
	NOTES.map(([, text]) => text)
		.filter((text) => speaks(text) && isWanted(text))
		.sort();
const analysts = ["one", "Second Analyst"];
const question = QUESTION;

t.test("a debate has a thesis, and on each side what the judge reads towards it", async (t) => {
	const left = named("pro-3", "pro-1", "con-1", "aside");
	const { debate } = await openDebate(t, left, named("pro-2", "con-2", "con-3"));
	const { kind, data, meta } = await debate({ question, analysts });
	t.equal(kind, "answer");
	t.equal(data.message, null);
	const thesis = data.thesis?.text ?? "";
	const [same, contrary] = [
		pick((text) => denies(text) === denies(thesis)),
		pick((text) => denies(text) !== denies(thesis)),
	];
	const texts = (side: "for" | "against") => data[side].map(({ text }) => text).sort();
	t.same(
		texts("for"),
		same.filter((text) => text !== thesis),
	);
	t.same(texts("against"), contrary);
	t.match(
		data.for.concat(data.against).find(({ text }) => text.startsWith("Buoys")),
		{
			analyst: "two",
		},
	);
	t.equal(meta.model.writer, "extractive");
	t.equal(asked, 0, "no writer writes what is not reported");
});

t.test("without two documents on each side there is no debate", async (t) => {
	for (const right of [named("pro-2"), named("pro-2", "con-1")]) {
		const { debate } = await openDebate(t, named("pro-3", "pro-1", "aside"), right);
		const { kind, data, meta } = await debate({ question, analysts });
		t.equal(kind, "no-answer");
		t.match(data, { thesis: null, for: [], against: [], citations: [], open_questions: [] });
		t.match(
			data.message,
			/^No debate, and nothing is charged: by marks in the text and by the judge \d sentences of \d /,
		);
		t.equal(meta.decision, "ABSTAIN");
	}
});

t.test("documents of one host count one by one: a register has what many wrote", async (t) => {
	const ofOneHost = named("con-1", "con-2", "con-3").map(
		([name, text]) => [name, text, "south.example"] as unknown as Note,
	);
	const right = [...named("pro-2"), ...ofOneHost];
	const { debate } = await openDebate(t, named("pro-3", "pro-1", "aside"), right);
	const { kind, data } = await debate({ question, analysts });
	t.equal(kind, "answer");
	const hosts = data.citations.map(({ source_url: url }) => new URL(url).host);
	t.equal(hosts.filter((host) => host === "south.example").length, 3);
});

t.test(
	"an argument that its own text marks is on that side, whatever the judge reads",
	async (t) => {
		const marked = [
			["mark-1", "For: sailors plan their harbors by the moon.", "sail.example"],
			["mark-2", "In favor: almanacs rest on it.", "print.example"],
			["mark-3", "Against: wind moves the water as well.", "wind.example"],
			["mark-4", "Drawbacks: harbors differ by hours.", "chart.example"],
		] as unknown as readonly Note[];
		const texts = (from: number, to: number) => marked.slice(from, to).map(([, text]) => text);
		const left = [...named("pro-3"), ...marked.slice(0, 2)];
		const { debate } = await openDebate(t, left, marked.slice(2));
		const { kind, data } = await debate({ question, analysts });
		t.equal(kind, "answer");
		t.same(data.for.map(({ text }) => text).sort(), texts(0, 2));
		t.same(data.against.map(({ text }) => text).sort(), texts(2, 4));
	},
);

t.test("a consultation names what bears its thesis out, and what speaks against it", async (t) => {
	const { consult } = await openDebate(t, named("pro-3", "pro-1", "con-1", "con-2", "aside"), []);
	const { kind, data } = await consult({ question, analyst: "one" });
	t.equal(kind, "answer");
	const thesis = data.thesis?.text ?? "";
	const isContrary = ({ text }: { readonly text: string }) => denies(text) !== denies(thesis);
	t.equal(data.arguments_for.length, 1);
	t.notOk(data.arguments_for.some(isContrary));
	t.equal(data.arguments_against.length, 2);
	t.ok(data.arguments_against.every(isContrary));
	t.notOk(
		data.evidence.some(({ text }) => text === thesis),
		"each passage once",
	);
});

t.test("one analyst is no debate, whatever it is called", async (t) => {
	const { debate } = await openDebate(t, named("pro-3"), named("pro-1"));
	await t.rejects(debate({ question, analysts: ["one", "first analyst"] }), {
		code: "INVALID_ARGUMENT",
		message: /First Analyst once more/,
	});
});

t.test("two documents that both sides quote are no debate", (t) => {
	const quote = (...paths: string[]) => {
		const sources = paths.map((path) => ({ sourceUrl: `https://forum.example/${path}` }));
		return [{ by: "one", sentence: { sources } }] as never;
	};
	t.notOk(surveyDebate(quote("a", "b"), quote("b", "a")).isDebate);
	t.notOk(surveyDebate(quote("a", "b", "c"), quote("b", "d")).isDebate);
	t.ok(surveyDebate(quote("a", "b", "c"), quote("c", "d", "e")).isDebate);
	t.end();
});
