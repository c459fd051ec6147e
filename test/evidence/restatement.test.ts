import t from "tap";
import { readRestatement, restate, textHash } from "../../skills/chat/restatement.js";
import { findCitedSentence } from "../../src/evidence/cited-sentences.js";
import { createGraphCatalog } from "../../src/knowledge/model/catalog.js";
import { makeConcept, makeGraph } from "../service/sample-graphs.js";

t.test("what asks for the answer before is told from what asks something new", (t) => {
	for (const [said, place] of [
		["Say that again.", undefined],
		["can you repeat that, please?", undefined],
		["Repeat the second point", 1],
		["please restate the first one again", 0],
		["quote the last sentence", -1],
		["What was the source of the first?", 0],
		["the sources for that?", undefined],
	] as const) {
		t.same(readRestatement(said), { place }, said);
	}
	for (const said of [
		"What is the second one?",
		"Repeat the experiment with HNSW",
		"Tell me more.",
		"What is the source of the vulnerability?",
		"How does a repeat purchase work?",
		"Say why that is.",
	]) {
		t.equal(readRestatement(said), undefined, said);
	}
	t.end();
});

t.test("blocks are read anew by id; what changed or is gone is said", (t) => {
	const concept = makeConcept({
		id: "a",
		summary: "The tide is high. The moon is full.",
		body: "",
	});
	const catalogOf = (summary: string) =>
		createGraphCatalog([makeGraph({}, [{ ...concept, summary }])]);
	const catalog = catalogOf(concept.summary);
	const id = "web-payments:a~0";
	const sentence = findCitedSentence(catalog, id);
	if (!sentence) throw new Error("there is none");
	const turn = { cited: [[id], [id]], hashes: [[textHash(sentence)], [textHash(sentence)]] };
	t.same(restate(catalog, turn, { place: undefined }).warnings, []);
	t.equal(restate(catalog, turn, { place: undefined }).sentences.length, 2);
	t.equal(restate(catalog, turn, { place: -1 }).sentences.length, 1);
	t.equal(restate(catalog, turn, { place: 5 }).sentences.length, 0);
	const changed = restate(catalogOf("The tide is low."), turn, { place: 0 });
	t.match(changed.warnings, [/has changed since this was said/]);
	t.match(changed.sentences, [{ text: "The tide is low." }]);
	const gone = restate(createGraphCatalog([]), turn, { place: 0 });
	t.match(gone, { sentences: [], warnings: [/not there any more/] });
	const old = restate(catalogOf("The tide is low."), { cited: [[id]] }, { place: 0 });
	t.same(old.warnings, [], "a turn of an earlier version has no hashes");
	t.end();
});
