import { appendFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import {
	KNOWN_VECTORS_FILE,
	readKnownVectors,
	writeKnownVectors,
} from "../../src/search/model/known-vectors.js";

const MODEL = { sha256: "model", dimensions: 4 };
const TEXTS = [
	{ text: "a passage", kind: "passage", vector: Float32Array.of(0.5, -0.5, 0.5, 0.5) },
	{ text: "a question", kind: "query", vector: Float32Array.of(1, 0, 0, 0) },
] as const;

t.test("vectors that came with a model are found by text and kind", async (t) => {
	const folder = t.testdir({});
	await writeKnownVectors(folder, MODEL, TEXTS);
	const known = await readKnownVectors(folder, MODEL);
	t.equal(known.size, 2);
	t.same([...(known.find("a question", "query") ?? [])], [1, 0, 0, 0]);
	const passage = known.find("a passage", "passage") ?? [];
	t.ok(passage.every((value, at) => Math.abs(value - (TEXTS[0].vector[at] ?? 0)) < 0.01));
	t.equal(known.find("a passage", "query"), undefined);
	t.equal(known.find("another", "passage"), undefined);
});

t.test("a file that is damaged, or of another model, counts for nothing", async (t) => {
	const folder = t.testdir({});
	t.equal((await readKnownVectors(folder, MODEL)).size, 0);
	await writeKnownVectors(folder, MODEL, TEXTS);
	t.equal((await readKnownVectors(folder, { ...MODEL, sha256: "other" })).size, 0);
	t.equal((await readKnownVectors(folder, { ...MODEL, dimensions: 8 })).size, 0);
	appendFileSync(join(folder, KNOWN_VECTORS_FILE), "x");
	t.equal((await readKnownVectors(folder, MODEL)).size, 0);
});
