import { z } from "zod";
import {
	answer,
	invalidInput,
	LIMITS,
	outputOf,
	paidOperation,
	requestComponent,
	type SkillServices,
	textUpTo,
	toReply,
} from "../../src/contract/contract.js";
import { unavailable } from "../../src/kernel/kernel.js";
import type { Embedder } from "../../src/search/search.js";
import { createModelWork } from "./model-work.js";

const TEXTS_MAX = 256;
const TEXT_CHARS = 8_000;
/** A call counts as so many texts at least: a smaller sum is less than booking it costs. */
const TEXTS_CHARGED_LEAST = 10;
const DIMENSIONS_MAX = 4_096;
const DECIMALS = 1e6;
/** Some hundred milliseconds of the model's time. */
const PIECE = { itemsMax: 16, charsMax: TEXT_CHARS } as const;

const NO_TEXTS = `must be a text, or a list of 1 to ${TEXTS_MAX} texts`;
const textField = textUpTo(TEXT_CHARS);

const embeddingsInput = requestComponent(
	"EmbeddingsRequest",
	z.strictObject({
		input: z
			.union([z.array(textField).min(1, "must not be an empty list").max(TEXTS_MAX), textField], {
				error: NO_TEXTS,
			})
			.describe("One text or several; what is beyond the model's context is cut"),
		kind: z
			.enum(["query", "passage"], "must be query or passage")
			.default("passage")
			.describe("What the texts are to be: questions, or what may answer them"),
		dimensions: z
			.int("must be a whole number")
			.min(1, "must be at least 1")
			.max(DIMENSIONS_MAX, `must be at most ${DIMENSIONS_MAX}`)
			.describe("A shorter vector, of a length that the model allows; its own if left out")
			.optional(),
	}),
);

const embeddingsOutput = outputOf(
	z.object({
		model: z.string(),
		sha256: z
			.string()
			.describe("Of all that decides a vector: only vectors of one value can be compared"),
		dimensions: z.int(),
		embeddings: z
			.array(z.array(z.number()))
			.describe("Vectors of unit length, in the order of the input; six decimals"),
	}),
	z.object({ texts: z.int(), kind: z.enum(["query", "passage"]) }),
);

type EmbeddingsInput = z.infer<typeof embeddingsInput>;

/** The embedding model of the searches, by the text. Additive to the contract. */
export const embeddings = paidOperation({
	id: "embeddings.create",
	at: "POST /v1/embeddings",
	agent: {
		name: "embed_texts",
		tool: {
			title: "Embed texts",
			description: `Turns texts into vectors of unit length that compare by their dot product, to search or group them. A call counts as ${TEXTS_CHARGED_LEAST} texts at least.`,
			fields: {
				input: `Texts, up to ${TEXTS_MAX}`,
				kind: "query for questions, passage for what may answer them; passage if left out",
				dimensions: "Length of the vectors; the model's own if left out",
			},
		},
	},
	summary: "Embed texts",
	description: `Up to ${TEXTS_MAX} texts of at most ${TEXT_CHARS} characters as vectors of the model that the searches run on, priced by the text; a call counts as ${TEXTS_CHARGED_LEAST} texts at least. \`dimensions\` asks for shorter vectors where the model allows it (Matryoshka): cut, and scaled to unit length. A body may have ${LIMITS.largeBodyBytes} bytes when it comes with its Content-Length; over A2A and MCP ${LIMITS.bodyBytes}. The texts are neither logged nor kept. Without a model the answer is 503, and nothing is charged.`,
	body: embeddingsInput,
	bodyBytes: LIMITS.largeBodyBytes,
	reply: toReply("EmbeddingsReply", embeddingsOutput),
	price: { usd: "0.0001", billingType: "per_call" },
	about: `Up to ${TEXTS_MAX} texts as vectors of unit length, priced by the text, a call as ${TEXTS_CHARGED_LEAST} texts at least. Queries and passages are embedded each in their way; shorter vectors where the model allows it.`,
	tags: ["embeddings", "vectors", "models"],
	examples: ["Give me vectors of these paragraphs, so that I can search them."],
	output: embeddingsOutput,
	units: {
		name: "text",
		countOf: ({ input }) => Math.max(TEXTS_CHARGED_LEAST, textsOf(input).length),
	},
	// Whole texts are their author's: unlike a question they are not logged.
	queryOf: () => undefined,
	toText: ({ data: { model, dimensions, embeddings: vectors } }) =>
		`${vectors.length} vectors of ${dimensions} numbers by ${model}, in the structured answer.`,
	create: ({ search }: Pick<SkillServices, "search">) => {
		const inPieces = createModelWork("The embedding model", (text: string) => text.length, PIECE);
		return {
			exampleInput: () => ({
				input: [
					"The status code 402 asks for payment.",
					"A facilitator verifies and settles payments.",
				],
			}),
			isOffered: () => search.embedder !== undefined,
			// A caller who shows no means to pay asks for the price, which is the same without a model.
			prepare({ dimensions }, caller) {
				const embedder = caller ? getEmbedder(search) : search.embedder;
				if (embedder) widthOf(embedder, dimensions);
			},
			async run({ input, kind, dimensions }, { signal }) {
				const embedder = getEmbedder(search);
				const { id: model, sha256 } = embedder.identity;
				const width = widthOf(embedder, dimensions);
				const items = textsOf(input);
				const ask = async (texts: readonly string[]) => {
					const vectors = await embedder.embed(texts, kind);
					return vectors.map((vector) => toNumbers(vector, width));
				};
				const found = await inPieces({ items, ask, signal });
				return answer({
					ok: true,
					data: { model, sha256, dimensions: width, embeddings: [...found] },
					meta: { texts: items.length, kind },
				});
			},
		};
	},
	example: { body: { input: ["The status code 402 asks for payment."], kind: "passage" } },
});

function textsOf(input: EmbeddingsInput["input"]): readonly string[] {
	return typeof input === "string" ? [input] : input;
}

/** Throws UNAVAILABLE where there is none. */
function getEmbedder({ embedder }: SkillServices["search"]): Pick<Embedder, "identity" | "embed"> {
	if (embedder) return embedder;
	throw unavailable(
		'This server has no embedding model at hand: its operator chooses one by the setting "model", and finds at GET /v1/health why one that was chosen does not work.',
		{ retryable: false },
	);
}

/** Throws INVALID_ARGUMENT for a width to which the model's vectors cannot be cut. */
function widthOf(
	{ identity: { dimensions, matryoshka = [] } }: Pick<Embedder, "identity">,
	asked = dimensions,
): number {
	const widths = [...new Set([dimensions, ...matryoshka.filter((width) => width < dimensions)])];
	if (widths.includes(asked)) return asked;
	const message =
		widths.length > 1
			? `must be one of ${widths.join(", ")}`
			: `must be ${dimensions}, the only length of this model's vectors`;
	throw invalidInput([{ path: "dimensions", message }]);
}

/** The first numbers of a vector, scaled to unit length again. */
function toNumbers(vector: Float32Array, width: number): number[] {
	const cut = [...vector.subarray(0, width)];
	const length = Math.hypot(...cut) || 1;
	return cut.map((value) => Math.round((value / length) * DECIMALS) / DECIMALS);
}
