import type { z } from "zod";
import { paidOperation, type SkillServices, toReply } from "../../src/contract/contract.js";
import {
	type CitedSentence,
	choosePassages,
	contentTerms,
	contentWords,
	coverageOf,
	findCitedSentence,
	splitSentences,
	toCitedSentences,
	toPieces,
} from "../../src/evidence/evidence.js";
import { notFound } from "../../src/kernel/kernel.js";
import { type GraphCatalog, runInTurns } from "../../src/knowledge/knowledge.js";
import type { PairJudge } from "../../src/search/search.js";
import { articleIndexOf } from "../articles/articles.js";
import { answerIf } from "../graphs/graphs.js";
import { decideStance, type PassageStance, readStances } from "./claims/stance-reading.js";
import { CLAIM_LIMITS, roundScore } from "./claims/verification.js";
import { isCheckable, readTextClaims, type TextClaim } from "./text-claims.js";
import { citationCheckInput, citationCheckOutput, VERIFY_TEXT_LIMITS } from "./verify-wire.js";

/** What a sentence is held against. */
interface Source {
	readonly title: string;
	readonly sourceUrl: string;
	readonly sentences: readonly SourceSentence[];
}

interface SourceSentence {
	readonly text: string;
	/** Numbered where it is of an excerpt. */
	readonly evidenceId: string;
	/** What it is about, where that is known. */
	readonly names: readonly string[];
	/** What is read with it. */
	readonly around: readonly SourceSentence[];
}

const UNSURE =
	"No claim of it is surely supported or refuted, and nothing is charged; the reasons say what came nearest.";
const EXAMPLE = {
	sentence: "The static table of HPACK has 61 entries.",
	excerpt: "The static table of HPACK has 61 entries, and the dynamic table starts empty.",
};

/** Whether a source carries the sentence it is cited for. Additive to the contract. */
export const citationCheck = paidOperation({
	id: "verify.citation",
	at: "POST /v1/verify/citation",
	summary: "Check a citation",
	description:
		"Whether one source supports a sentence, refutes it or says nothing of it, and why: a sentence of a graph (evidence_id), whatever graphs cite an article for (article_ref), or an excerpt. Paid per call; a sentence that states nothing, one of which nothing is surely supported or refuted, an unknown source, and a source that no model could read, cost nothing.",
	body: citationCheckInput,
	reply: toReply("CitationCheckReply", citationCheckOutput),
	about:
		"Holds a sentence against one source: a sentence of a graph, whatever graphs cite an article for, or an excerpt that is sent along. Says whether it supports or refutes the sentence, or says nothing of it, and why. Not charged when the sentence states nothing that can be checked, or nothing of it is surely supported or refuted.",
	tags: ["verification", "citations"],
	examples: ["Does this source support this sentence?"],
	output: citationCheckOutput,
	queryOf: ({ sentence }) => sentence,
	graphsOf: ({ evidence_id: id }) => (id === undefined ? [] : [id.slice(0, id.indexOf(":"))]),
	toText: ({ data }) => `${data.stance}: ${data.sentence}`,
	create: ({ catalog, search }: Pick<SkillServices, "catalog" | "search">) => ({
		exampleInput: () => EXAMPLE,
		prepare: async (input) => void (await getSource(catalog, input)),
		async run(input, { signal }) {
			const { sentence } = input;
			const source = await getSource(catalog, input);
			const read = readTextClaims(sentence, VERIFY_TEXT_LIMITS.claimsMax);
			const checkable = (await runInTurns(read, signal)).filter(isCheckable);
			const { claims, problem } = await judgeAll(search.judge, { checkable, source }, signal);
			const isDecided = problem === undefined && claims.some(({ stance }) => stance !== "neutral");
			const judged = problem === undefined ? claims : [];
			const warnings = [problem, isDecided || judged.length === 0 ? undefined : UNSURE];
			return answerIf(isDecided, {
				ok: true,
				data: {
					sentence,
					...together(judged),
					claims: isDecided ? [...judged] : judged.map(withoutSource),
					// What a source is called is sold with what it says.
					source: {
						title: isDecided ? source.title : "",
						source_url: isDecided ? source.sourceUrl : "",
						sentences: source.sentences.length,
					},
				},
				meta: {
					claims: claims.length,
					warnings: warnings.filter((one) => one !== undefined),
				},
			});
		},
	}),
	example: { body: EXAMPLE },
});

/** Throws NOT_FOUND for a sentence or an article no one has. */
async function getSource(
	catalog: GraphCatalog,
	{ evidence_id: evidenceId, article_ref: ref, excerpt = "" }: z.output<typeof citationCheckInput>,
): Promise<Source> {
	if (evidenceId !== undefined) return sentenceSource(catalog, evidenceId);
	if (ref !== undefined) return articleSource(catalog, ref);
	const texts = splitSentences(excerpt)
		.flatMap(toPieces)
		.slice(0, VERIFY_TEXT_LIMITS.excerptSentencesMax);
	// Numbers are no ids of sentences: those have a colon.
	const numbered = texts.map((text, at) => ({ text, evidenceId: `${at}`, names: [] }));
	return { title: "", sourceUrl: "", sentences: amongEach(numbered) };
}

/** Sentences that are read together where they stand next to each other. */
function amongEach(all: readonly Omit<SourceSentence, "around">[]): readonly SourceSentence[] {
	const sentences: SourceSentence[] = [];
	for (const one of all) sentences.push({ ...one, around: sentences });
	return sentences;
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
		// What stands around it was not cited.
		sentences: amongEach([toSourceSentence(sentence)]),
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
	const sentences: SourceSentence[] = [];
	for (const { graph, concept, evidence } of article.citations) {
		const cited = toCitedSentences(graph, concept).filter(({ sources }) =>
			sources.includes(evidence),
		);
		sentences.push(...amongEach(cited.map(toSourceSentence)));
		if (sentences.length >= VERIFY_TEXT_LIMITS.citedSentencesMax) break;
	}
	return {
		title: article.title,
		sourceUrl: article.sourceUrl,
		sentences: sentences.slice(0, VERIFY_TEXT_LIMITS.citedSentencesMax),
	};
}

function toSourceSentence({ text, evidenceId, concept }: CitedSentence) {
	return { text, evidenceId, names: [concept.title, ...concept.aliases] };
}

type JudgedClaim = z.infer<typeof citationCheckOutput>["data"]["claims"][number];

/** Each claim beside what comes nearest to it in the source. */
async function judgeAll(
	judge: PairJudge | undefined,
	asked: { readonly checkable: readonly TextClaim[]; readonly source: Source },
	signal: AbortSignal,
): Promise<{ readonly claims: readonly JudgedClaim[]; readonly problem: string | undefined }> {
	const claims: JudgedClaim[] = [];
	let problem: string | undefined;
	const read = await runInTurns(readTerms(asked.source.sentences), signal);
	for (const { claim } of asked.checkable) {
		const words = contentWords(claim.text);
		const ranked = read
			.map(({ sentence, terms }) => ({ sentence, coverage: coverageOf(words, terms) }))
			.sort((a, b) => b.coverage - a.coverage)
			.map(({ sentence }) => sentence);
		const near = choosePassages(
			ranked,
			({ names: [title = ""], around: sentences }) => ({ title, sentences }),
			CLAIM_LIMITS.passagesMax,
		);
		const passages = near.map((one) => ({ ...one, names: one.sentence.names }));
		const found = await readStances(judge, { claim: claim.text, passages }, signal);
		problem ??= found.problem;
		claims.push(toJudged(claim.text, found.stances));
	}
	return { claims, problem };
}

function* readTerms(sentences: readonly SourceSentence[]) {
	const read: { readonly sentence: SourceSentence; readonly terms: ReadonlySet<string> }[] = [];
	for (const sentence of sentences) {
		yield;
		read.push({ sentence, terms: contentTerms(sentence.text) });
	}
	return read;
}

/** The passage that says most of a claim decides, where it is sure enough. */
function toJudged(
	claim: string,
	stances: readonly (PassageStance & { readonly sentence: SourceSentence })[],
): JudgedClaim {
	const { stance, confidence } = decideStance(stances);
	const isOf = (one: PassageStance) => Number(one.stance === stance);
	const [best] = [...stances].sort((a, b) => isOf(b) - isOf(a) || b.score - a.score);
	const id = best?.sentence.evidenceId;
	return {
		claim,
		stance,
		score: roundScore(stance === "neutral" ? (best?.score ?? 0) : confidence),
		reasons: best ? reasonsOf(best, stance) : [],
		evidence_id: id?.includes(":") ? id : null,
		excerpt: best?.sentence.text ?? "",
	};
}

/** Why a claim is supported or refuted, or what keeps the passage that comes nearest from deciding it. */
function reasonsOf(best: PassageStance, stance: PassageStance["stance"]): string[] {
	if (best.stance === stance) return [...best.reasons];
	return [`comes nearest to what ${best.stance} it, and not surely enough`];
}

/** What the source says is sold with a verdict. */
function withoutSource(claim: JudgedClaim): JudgedClaim {
	return { ...claim, evidence_id: null, excerpt: "" };
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
