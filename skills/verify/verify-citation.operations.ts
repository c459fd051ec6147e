import type { z } from "zod";
import { paidOperation, type SkillServices, toReply } from "../../src/contract/contract.js";
import {
	type CitedSentence,
	findCitedSentence,
	splitSentences,
	toCitedSentences,
} from "../../src/evidence/evidence.js";
import { notFound } from "../../src/kernel/kernel.js";
import {
	type GraphCatalog,
	restOfTurn,
	runInTurns,
	type Steps,
} from "../../src/knowledge/knowledge.js";
import { articleIndexOf } from "../articles/articles.js";
import { answerIf } from "../graphs/graphs.js";
import { compareClaim } from "./claims/stance-comparator.js";
import { type AtomicClaim, type Comparison, roundScore } from "./claims/verification.js";
import { findTextClaims, isCheckable, type TextClaim, toComparedPieces } from "./text-claims.js";
import { citationCheckInput, citationCheckOutput, VERIFY_TEXT_LIMITS } from "./verify-wire.js";

/** What a sentence is held against. */
interface Source {
	readonly title: string;
	readonly sourceUrl: string;
	readonly sentences: readonly SourceSentence[];
}

interface SourceSentence {
	readonly text: string;
	/** Null for sentences of an excerpt. */
	readonly evidenceId: string | null;
	/** What it is about, where that is known. */
	readonly names: readonly string[];
}

const EXAMPLE_SENTENCE = "HPACK's static table has 61 entries.";

/** Whether a source carries the sentence it is cited for. Additive to the contract. */
export const citationCheck = paidOperation({
	id: "verify.citation",
	at: "POST /v1/verify/citation",
	summary: "Check a citation",
	description:
		"Whether one source supports a sentence, refutes it or says nothing of it, and why: a sentence of a graph (evidence_id), whatever graphs cite an article for (article_ref), or an excerpt. Paid per call; a sentence that states nothing, and a source nobody knows, cost nothing.",
	body: citationCheckInput,
	reply: toReply("CitationCheckReply", citationCheckOutput),
	about:
		"Holds a sentence against one source: a sentence of a graph, whatever graphs cite an article for, or an excerpt that is sent along. Says whether it supports or refutes the sentence, or says nothing of it, and why. Not charged when the sentence states nothing that can be checked.",
	tags: ["verification", "citations"],
	examples: ["Does this source support this sentence?"],
	output: citationCheckOutput,
	queryOf: ({ sentence }) => sentence,
	graphsOf: ({ evidence_id: id }) => (id === undefined ? [] : [id.slice(0, id.indexOf(":"))]),
	toText: ({ data }) => `${data.stance}: ${data.sentence}`,
	create: ({ catalog }: Pick<SkillServices, "catalog">) => ({
		exampleInput: () => ({
			sentence: EXAMPLE_SENTENCE,
			excerpt:
				"The static table of HPACK holds 61 common entries, and the dynamic table starts empty.",
		}),
		prepare: async (input) => void (await getSource(catalog, input)),
		async run(input, { signal }) {
			const { sentence } = input;
			const source = await getSource(catalog, input);
			const checkable = findTextClaims(sentence, VERIFY_TEXT_LIMITS.claimsMax).filter(isCheckable);
			const claims = await runInTurns(judgeAll(checkable, source), signal);
			const isAnswer = claims.length > 0;
			return answerIf(isAnswer, {
				ok: true,
				data: {
					sentence,
					...together(claims),
					claims: [...claims],
					// What a source is called is sold with what it says.
					source: {
						title: isAnswer ? source.title : "",
						source_url: isAnswer ? source.sourceUrl : "",
						sentences: source.sentences.length,
					},
				},
				meta: { claims: claims.length },
			});
		},
	}),
	example: {
		body: {
			sentence: "Pectra was activated on mainnet in May 2025.",
			excerpt:
				"Pectra (Prague and Electra) activated on mainnet at epoch 364,032, 7 May 2025, 10:05:11 UTC: set-code transactions, larger validators, execution requests, calldata floor, BLS precompiles, 6/9 blobs.",
		},
	},
});

/** Throws NOT_FOUND for a sentence or an article no one has. */
async function getSource(
	catalog: GraphCatalog,
	{ evidence_id: evidenceId, article_ref: ref, excerpt = "" }: z.output<typeof citationCheckInput>,
): Promise<Source> {
	if (evidenceId !== undefined) return sentenceSource(catalog, evidenceId);
	if (ref !== undefined) return articleSource(catalog, ref);
	const sentences = splitSentences(excerpt)
		.slice(0, VERIFY_TEXT_LIMITS.excerptSentencesMax)
		.map((text) => ({ text, evidenceId: null, names: [] }));
	return { title: "", sourceUrl: "", sentences };
}

function sentenceSource(catalog: GraphCatalog, evidenceId: string): Source {
	const sentence = findCitedSentence(catalog, evidenceId);
	if (!sentence) {
		throw notFound(
			`No sentence of a graph has the evidence_id "${evidenceId}"; take it from a citation.`,
		);
	}
	const [source] = sentence.sources;
	return {
		title: source?.title ?? "",
		sourceUrl: source?.sourceUrl ?? "",
		sentences: [toText(sentence)],
	};
}

async function articleSource(catalog: GraphCatalog, ref: string): Promise<Source> {
	const { articles } = await articleIndexOf(catalog);
	const article = articles.get(ref);
	if (!article) {
		throw notFound(
			`No article has the article_ref "${ref}"; POST /v1/articles/search gives those of articles that graphs cite.`,
		);
	}
	const sentences: CitedSentence[] = [];
	for (const { graph, concept, evidence } of article.citations) {
		const cited = toCitedSentences(graph, concept);
		sentences.push(...cited.filter(({ sources }) => sources.includes(evidence)));
		if (sentences.length >= VERIFY_TEXT_LIMITS.citedSentencesMax) break;
	}
	return {
		title: article.title,
		sourceUrl: article.sourceUrl,
		sentences: sentences.slice(0, VERIFY_TEXT_LIMITS.citedSentencesMax).map(toText),
	};
}

function toText({ text, evidenceId, concept }: CitedSentence): SourceSentence {
	return { text, evidenceId, names: [concept.title, ...concept.aliases] };
}

type JudgedClaim = z.infer<typeof citationCheckOutput>["data"]["claims"][number];

/** Each claim against the whole source; whatever waits comes between two comparisons. */
function* judgeAll(
	claims: readonly TextClaim[],
	{ sentences }: Source,
): Steps<readonly JudgedClaim[]> {
	const pieces = sentences.flatMap((sentence) =>
		toComparedPieces(sentence.text).map((text) => ({ text, sentence })),
	);
	const judged: JudgedClaim[] = [];
	for (const { claim } of claims) judged.push(yield* judge(claim, pieces));
	return judged;
}

/** The sentence that says most of a claim decides: one that takes a side before one that takes none. */
function* judge(
	claim: AtomicClaim,
	pieces: readonly { readonly text: string; readonly sentence: SourceSentence }[],
): Steps<JudgedClaim> {
	let best: (Comparison & { readonly sentence: SourceSentence }) | undefined;
	for (const { text, sentence } of pieces) {
		const comparison = compareClaim(claim, text, { names: sentence.names });
		if (!best || weightOf(comparison) > weightOf(best)) best = { ...comparison, sentence };
		yield* restOfTurn();
	}
	return {
		claim: claim.text,
		stance: best?.stance ?? "neutral",
		score: roundScore(best?.score ?? 0),
		reasons: [...(best?.reasons ?? [])],
		evidence_id: best?.sentence.evidenceId ?? null,
		excerpt: best?.sentence.text ?? "",
	};
}

function weightOf({ stance, score }: Comparison): number {
	return stance === "neutral" ? score : 1 + score;
}

/** A sentence is as good as its worst claim. */
function together(claims: readonly JudgedClaim[]): Pick<JudgedClaim, "stance" | "score"> {
	const scores = claims.map(({ score }) => score);
	const refuting = claims.filter(({ stance }) => stance === "refutes");
	if (refuting.length > 0)
		return { stance: "refutes", score: Math.max(...refuting.map(({ score }) => score)) };
	const isSupported = claims.length > 0 && claims.every(({ stance }) => stance === "supports");
	const score = scores.length > 0 ? Math.min(...scores) : 0;
	return { stance: isSupported ? "supports" : "neutral", score };
}
