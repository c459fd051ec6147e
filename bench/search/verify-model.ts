import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { type Clock, readJson, ServiceError } from "../../src/kernel/kernel.js";
import { createTransformersEmbedder } from "../../src/search/dense/open-model.js";
import type { Embedder } from "../../src/search/model/embedder.js";
import { type ModelLocation, openModelFolder } from "../../src/search/model/model-folder.js";

/** One thing that was looked at; `detail` is a sentence with what was found. */
export interface ModelCheck {
	readonly name: "files" | "vectors" | "batches" | "similarities" | "orderings";
	readonly isPassed: boolean;
	readonly detail: string;
}

const KNOWN_FILE = "known-similarities.json";
const MAX_LENGTH_ERROR = 1e-5;
/** Models quantized on the fly read a batch by one common scale; ours does not, and says so by what it comes with. */
const MAX_BATCH_ERROR = { measured: 1e-5, other: 2e-2 } as const;
/** Of unlike length, so that the short ones are padded when all are read together. */
const BATCH_TEXTS = [
	"refund",
	"How long is a bearer token valid?",
	"The payer signs a transfer; the facilitator submits it and pays the gas, so that the payer needs no ether.",
	"Errors, limits and retries. ".repeat(40),
	"😀",
];

const text = z.string().min(1);
const knownSimilarities = z.strictObject({
	tolerance: z.number().positive().max(0.1),
	similarities: z.array(z.strictObject({ query: text, passage: text, cosine: z.number() })).min(1),
	orderings: z
		.array(z.strictObject({ query: text, near: text, far: text, margin: z.number().nonnegative() }))
		.min(1),
});
type KnownSimilarities = z.output<typeof knownSimilarities>;

/**
 * Whether a model is the one that was measured: files as in SHA256SUMS, vectors of the stated dimensions and of unit length
 * whatever is read beside them, and similarities as written in known-similarities.json where the folder has one. It is
 * run as the service runs it; nothing is thrown for a bad model.
 */
export async function verifyModel(
	model: ModelLocation,
	clock: Clock,
): Promise<readonly ModelCheck[]> {
	let embedder: Embedder | undefined;
	try {
		const { path } = await openModelFolder(model);
		embedder = await createTransformersEmbedder(clock, model);
		const files = passed(
			"files",
			`The files of "${path}" are complete and as their checksums say.`,
		);
		const known = await readKnown(path);
		const limit = known ? MAX_BATCH_ERROR.measured : MAX_BATCH_ERROR.other;
		const checks = [files, await checkVectors(embedder), await checkBatches(embedder, limit)];
		if (known === undefined) return checks;
		return [
			...checks,
			await checkSimilarities(embedder, known),
			await checkOrderings(embedder, known),
		];
	} catch (error) {
		if (!(error instanceof ServiceError)) throw error;
		return [{ name: "files", isPassed: false, detail: error.message }];
	} finally {
		await embedder?.close();
	}
}

async function checkVectors(embedder: Embedder): Promise<ModelCheck> {
	const { dimensions } = embedder.identity;
	const vectors = await embedder.embed(BATCH_TEXTS, "passage");
	const wrong = vectors.find((vector) => vector.length !== dimensions);
	if (wrong)
		return failed("vectors", `A vector has ${wrong.length} dimensions instead of ${dimensions}.`);
	const worst = Math.max(...vectors.map((vector) => Math.abs(Math.sqrt(dot(vector, vector)) - 1)));
	const detail = `${dimensions} dimensions; lengths differ from 1 by at most ${worst.toExponential(1)}.`;
	return { name: "vectors", isPassed: worst <= MAX_LENGTH_ERROR, detail };
}

async function checkBatches(embedder: Embedder, limit: number): Promise<ModelCheck> {
	const together = await embedder.embed(BATCH_TEXTS, "passage");
	let worst = 0;
	for (const [index, text] of BATCH_TEXTS.entries()) {
		const [alone] = await embedder.embed([text], "passage");
		alone?.forEach((value, at) => {
			const error = Math.abs(value - (together[index]?.[at] ?? 0));
			worst = Math.max(worst, error);
		});
	}
	const detail = `A text's components alone and among others differ by at most ${worst.toExponential(1)}.`;
	return { name: "batches", isPassed: worst <= limit, detail };
}

async function checkSimilarities(
	embedder: Embedder,
	{ similarities, tolerance }: KnownSimilarities,
): Promise<ModelCheck> {
	const cosines = await cosinesOf(embedder, similarities);
	const wrong = similarities.flatMap(({ query, passage, cosine }, index) => {
		const found = cosines[index] ?? Number.NaN;
		if (Math.abs(found - cosine) <= tolerance) return [];
		return [`"${query}" and "${passage}" have ${found.toFixed(4)} instead of ${cosine}`];
	});
	if (wrong.length > 0) return failed("similarities", `${wrong.join("; ")}.`);
	return passed(
		"similarities",
		`${similarities.length} known similarities are met within ${tolerance}.`,
	);
}

async function checkOrderings(
	embedder: Embedder,
	{ orderings }: KnownSimilarities,
): Promise<ModelCheck> {
	const near = await cosinesOf(
		embedder,
		orderings.map(({ query, near }) => ({ query, passage: near })),
	);
	const far = await cosinesOf(
		embedder,
		orderings.map(({ query, far }) => ({ query, passage: far })),
	);
	const wrong = orderings.flatMap(({ query, near: text, margin }, index) => {
		const lead = (near[index] ?? Number.NaN) - (far[index] ?? Number.NaN);
		if (lead >= margin) return [];
		return [`"${text}" leads by ${lead.toFixed(4)} instead of ${margin} for "${query}"`];
	});
	if (wrong.length > 0) return failed("orderings", `${wrong.join("; ")}.`);
	return passed(
		"orderings",
		`${orderings.length} answers are nearer than what is beside the point.`,
	);
}

async function cosinesOf(
	embedder: Embedder,
	pairs: readonly { readonly query: string; readonly passage: string }[],
): Promise<readonly number[]> {
	const queries = pairs.map(({ query }) => query);
	const asked = await embedder.embed(queries, "query");
	const passages = pairs.map(({ passage }) => passage);
	const read = await embedder.embed(passages, "passage");
	return asked.map((vector, index) => dot(vector, read[index] ?? new Float32Array()));
}

/** undefined when the folder has none. Throws UNAVAILABLE when it cannot be understood. */
async function readKnown(path: string): Promise<KnownSimilarities | undefined> {
	const json = await readFile(join(path, KNOWN_FILE), "utf8").catch(() => undefined);
	if (json === undefined) return undefined;
	const known = knownSimilarities.safeParse(readJson(json));
	if (known.success) return known.data;
	throw new ServiceError(
		"UNAVAILABLE",
		`${KNOWN_FILE} in "${path}" cannot be understood: ${z.prettifyError(known.error)}`,
	);
}

/** NaN when the lengths differ. */
function dot(one: Float32Array, other: Float32Array): number {
	if (one.length !== other.length) return Number.NaN;
	return one.reduce((sum, value, at) => sum + value * (other[at] ?? Number.NaN), 0);
}

function passed(name: ModelCheck["name"], detail: string): ModelCheck {
	return { name, isPassed: true, detail };
}

function failed(name: ModelCheck["name"], detail: string): ModelCheck {
	return { name, isPassed: false, detail };
}
