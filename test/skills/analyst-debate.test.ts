import { join } from "node:path";
import t from "tap";
import { analystDebate } from "../../skills/analysts/analyst-debate.operations.js";
import type { DebateOutput } from "../../skills/analysts/analyst-wire.js";
import type { Writer } from "../../skills/answers/writer/writing-task.js";
import { openSearch } from "../../src/app/content.js";
import { createGraphCatalog } from "../../src/knowledge/catalog.js";
import { makeConcept, makeGraph } from "../service/sample-graphs.js";
import { boundSkill } from "../support/bound-skill.js";
import { manualClock } from "../support/manual-clock.js";
import { createTestResearch } from "../support/test-research.js";
import { ask } from "./asked-skill.js";

const clock = manualClock("2026-11-22T12:00:00Z");

const analyst = (id: string, name: string, body: string) => {
	const about = { name, domain: "Languages", method: "Reads proposals." };
	const note = makeConcept({
		id: "notes.matching",
		path: "notes/matching.md",
		title: "Pattern matching",
		summary: "Pattern matching in languages.",
		body,
	});
	return makeGraph({ id, slug: id, type: "analyst", analyst: about }, [note]);
};
const graphs = [
	analyst("one", "First Analyst", "Pattern matching was accepted and shipped in 2021."),
	analyst("two", "Second Analyst", "Pattern matching was rejected, for it breaks old code."),
];

const folder = t.testdir({});
const search = await openSearch({
	model: "none",
	folder: join(folder, "index"),
	modelsFolder: join(folder, "models"),
	clock,
});
t.teardown(() => search.close());
await search.sync(graphs);
const catalog = createGraphCatalog(graphs);

let asked = 0;
const writer: Writer = {
	name: "llm:counted",
	async draft() {
		asked += 1;
		return [];
	},
};
const research = { ...createTestResearch({ clock }), writer };
const debate = ask<DebateOutput>(boundSkill(analystDebate, { search, catalog, clock, research }));
const question = "Should a language add pattern matching?";

t.test("a debate quotes its graphs, and no writer writes what is not reported", async (t) => {
	const { kind, data, meta } = await debate({ question, analysts: ["one", "Second Analyst"] });
	t.equal(kind, "answer");
	t.match(data.for, [{ analyst: "one", text: /accepted and shipped/ }]);
	t.match(data.against, [{ analyst: "two", text: /rejected/ }]);
	t.equal(meta.model.writer, "extractive");
	t.equal(asked, 0);
});

t.test("one analyst is no debate, whatever it is called", async (t) => {
	await t.rejects(debate({ question, analysts: ["one", "first analyst"] }), {
		code: "INVALID_ARGUMENT",
		message: /First Analyst once more/,
	});
});
