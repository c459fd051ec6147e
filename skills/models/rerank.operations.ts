import { z } from "zod";
import {
	answer,
	LIMITS,
	outputOf,
	paidOperation,
	queryField,
	requestComponent,
	type SkillServices,
	textUpTo,
	toReply,
} from "../../src/contract/contract.js";
import { unavailable } from "../../src/kernel/kernel.js";
import type { PairJudge, TextPair } from "../../src/search/search.js";
import { createModelWork } from "./model-work.js";

const DOCUMENTS_MAX = 200;
const DOCUMENT_CHARS = 4_000;
const DECIMALS = 1e6;
const TEXT_DOCUMENTS = 10;

/** Some 150 tokens: more than a question leaves the model room for would be cut. */
const PART_CHARS = 600;
/** What two neighboring parts share, so that no sentence is read in halves only. */
const OVERLAP_CHARS = 100;
/** Parts of all documents of a call, read well within the time of a request. */
const PARTS_MAX = 400;
/** A search waits for so many pairs at most: some tens of milliseconds. */
const PIECE = { itemsMax: 4, charsMax: 4 * PART_CHARS } as const;

const rerankInput = requestComponent(
	"RerankRequest",
	z.strictObject({
		query: queryField.describe("The question that the documents may answer"),
		documents: z
			.array(textUpTo(DOCUMENT_CHARS))
			.min(1, "must not be an empty list")
			.max(DOCUMENTS_MAX, `must list at most ${DOCUMENTS_MAX} documents`)
			.describe("Each is charged for"),
		top_n: z
			.int("must be a whole number")
			.min(1, "must be at least 1")
			.max(DOCUMENTS_MAX, `must be at most ${DOCUMENTS_MAX}`)
			.describe("How many of the best are returned; all if left out. Changes no price")
			.optional(),
	}),
);

const rerankOutput = outputOf(
	z.object({
		model: z.string(),
		sha256: z.string().describe("Of all that decides a score"),
		results: z
			.array(
				z.object({
					index: z.int().describe("Place in the list that was sent, from 0 on"),
					score: z
						.number()
						.describe("How likely the document answers the query, 0 to 1; six decimals"),
				}),
			)
			.describe("Best first, equal ones in the order that was sent"),
	}),
	z.object({ query: z.string(), documents: z.int() }),
);

/** The judge of the searches, by the document. Additive to the contract. */
export const rerank = paidOperation({
	id: "rerank.create",
	at: "POST /v1/rerank",
	agent: {
		name: "rerank",
		tool: {
			title: "Rerank documents",
			description:
				"Reads each of your documents beside a question and says how likely it answers it, the best first.",
			fields: {
				query: "The question",
				documents: `Texts that may answer it, up to ${DOCUMENTS_MAX}`,
				top_n: "Only so many of the best; all if left out",
			},
		},
	},
	summary: "Rerank documents by a question",
	description: `Up to ${DOCUMENTS_MAX} documents of at most ${DOCUMENT_CHARS} characters, each read beside the query by the model that judges the searches, the best first; priced by the document. A document is read in parts of some ${PART_CHARS} characters and counts by its best one; of a call ${PARTS_MAX} parts are read, of each document as many and its first ones. A body may have ${LIMITS.largeBodyBytes} bytes when it comes with its Content-Length; over A2A and MCP ${LIMITS.bodyBytes}. The documents are neither logged nor kept. Without the model the answer is 503, and nothing is charged.`,
	body: rerankInput,
	bodyBytes: LIMITS.largeBodyBytes,
	reply: toReply("RerankReply", rerankOutput),
	price: { usd: "0.0005", billingType: "per_call" },
	about: `Up to ${DOCUMENTS_MAX} documents of yours, each read beside a question by a cross-encoder, the best first with the probability that it answers; priced by the document.`,
	tags: ["reranking", "relevance", "models"],
	examples: ["Which of these passages answers how agents pay for an API call?"],
	output: rerankOutput,
	units: { name: "document", countOf: ({ documents }) => documents.length },
	toText: ({ data: { results } }) =>
		results
			.slice(0, TEXT_DOCUMENTS)
			.map(({ index, score }, place) => `${place + 1}. document ${index}: ${score}`)
			.join("\n"),
	create: ({ search }: Pick<SkillServices, "search">) => {
		const inPieces = createModelWork("The judge", ({ passage }: TextPair) => passage.length, PIECE);
		return {
			exampleInput: () => ({
				query: "Which HTTP status code asks for payment?",
				documents: [
					"The status code 404 says that nothing was found.",
					"With the status code 402 a server asks for payment.",
				],
			}),
			isOffered: () => search.judge !== undefined,
			// A caller who shows no means to pay asks for the price, which is the same without a judge.
			prepare: (_, caller) => void (caller && getJudge(search)),
			async run({ query, documents, top_n: count = documents.length }, { signal }) {
				const judge = getJudge(search);
				const { id: model, sha256 } = judge.identity;
				const partsMax = Math.max(1, Math.floor(PARTS_MAX / documents.length));
				const parts = documents.flatMap((document, index) =>
					partsOf(document, partsMax).map((passage) => ({ index, text: query, passage })),
				);
				const readings = await inPieces({
					items: parts,
					ask: (piece) => judge.read(piece, signal),
					signal,
				});
				const scores = new Array<number>(documents.length).fill(0);
				for (const [at, { index }] of parts.entries()) {
					scores[index] = Math.max(scores[index] ?? 0, readings[at]?.answers ?? 0);
				}
				const results = scores
					.map((score, index) => ({ index, score }))
					.sort((a, b) => b.score - a.score || a.index - b.index)
					.slice(0, count)
					.map(({ index, score }) => ({ index, score: Math.round(score * DECIMALS) / DECIMALS }));
				return answer({
					ok: true,
					data: { model, sha256, results },
					meta: { query, documents: documents.length },
				});
			},
		};
	},
	example: {
		body: {
			query: "Which HTTP status code asks for payment?",
			documents: [
				"The status code 404 says that nothing was found.",
				"With the status code 402 a server asks for payment.",
			],
			top_n: 1,
		},
	},
});

/** Throws UNAVAILABLE where there is none. */
function getJudge({ judge }: SkillServices["search"]): Pick<PairJudge, "identity" | "read"> {
	if (judge) return judge;
	throw unavailable(
		'This server has no judge, the model that reads documents beside a question: its operator sets "judge" to bundled, and finds at GET /v1/health why it does not work.',
		{ retryable: false },
	);
}

/** The first parts of a document, each within the bounds and ending between two words where there are words. */
function partsOf(document: string, partsMax: number): string[] {
	const parts: string[] = [];
	for (let start = 0; parts.length < partsMax; ) {
		const end = start + PART_CHARS;
		if (end >= document.length) return [...parts, document.slice(start)];
		const space = document.lastIndexOf(" ", end);
		const cut = space > start + PART_CHARS / 2 ? space : end;
		parts.push(document.slice(start, cut));
		const again = document.indexOf(" ", cut - OVERLAP_CHARS);
		start = again >= 0 && again < cut ? again + 1 : cut - OVERLAP_CHARS;
	}
	return parts;
}
