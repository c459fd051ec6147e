import type {
	AdviceStance,
	Decision,
	SkillServices,
	TrustTier,
} from "../../src/contract/contract.js";
import {
	type CitedSentence,
	contentTerms,
	contentWords,
	coverageOf,
	isSpokenOf,
	namesOwnMatter,
	toArticleAddress,
} from "../../src/evidence/evidence.js";
import type { Graph } from "../../src/knowledge/knowledge.js";
import {
	composeAnswer,
	decisionOf,
	passagesOf,
	type Writer,
	type WrittenSentence,
	writeFromPassages,
} from "../answers/answers.js";
import { CONSULT_LIMITS } from "./consult-wire.js";
import { corpusFilterOf, type Expert } from "./expert-index.js";

interface TwinServices extends Pick<SkillServices, "search" | "catalog"> {
	readonly writer: Writer;
}

interface ConsultationTask {
	readonly expert: Expert;
	readonly question: string;
	/** What an earlier answer was about, where the question leaves that open. */
	readonly subject?: string | undefined;
	/** `YYYY-MM-DD`. */
	readonly today: string;
	readonly signal: AbortSignal;
}

/** What a twin has to say, from its own corpus alone. */
export interface Consultation {
	readonly decision: Decision;
	readonly mode: "hybrid" | "keyword";
	/** Undefined when the corpus does not answer. */
	readonly answer: ReturnType<typeof toAnswer> | undefined;
	/** Words of the question that the corpus does not cover. */
	readonly notCovered: readonly string[];
	/** Other graphs that may know, where something is not covered. */
	readonly elsewhere: readonly Graph[];
	readonly writer: string;
	readonly warnings: readonly string[];
}

/** Asks a twin. Its search sees its own corpus and no other; what that does not cover is said, not filled in. */
export async function consultTwin(
	deps: TwinServices,
	task: ConsultationTask,
): Promise<Consultation> {
	const { search, writer } = deps;
	const { expert, signal } = task;
	const question = [task.question, task.subject ?? []].flat().join(" ");
	const { conceptsMax, answerTokens: tokens, answerSentences } = CONSULT_LIMITS;
	const graphs = [expert.graph];
	const filter = corpusFilterOf(expert);
	const found = await composeAnswer(search, {
		question,
		graphs,
		filter,
		conceptsMax,
		tokens,
		signal,
	});
	const { mode } = found.outcome;
	const passages = passagesOf(found);
	const offered = passages.flat();
	const missing = [...new Set([...found.outcome.missing, ...found.missing])];
	const elsewhere = missing.length > 0 || offered.length === 0 ? await knowers(deps, task) : [];
	const told = { mode, notCovered: missing, elsewhere };
	const none = { ...told, decision: "ABSTAIN", answer: undefined } as const;
	if (offered.length === 0 || !isAbout(task, offered)) {
		return { ...none, writer: writer.name, warnings: [] };
	}
	const purpose = "Answer the question as these notes of one desk do.";
	const counts = { sentencesMax: answerSentences, quotedMax: answerSentences };
	const writing = { purpose, question, offered, passages, signal, ...counts };
	const {
		sentences,
		rest,
		writer: by,
		warnings,
	} = await writeFromPassages(writing, { writer, judge: search.judge });
	if (sentences.length === 0) return { ...none, writer: by, warnings };
	const decision = decisionOf(found);
	const keyPoints = rest.slice(0, CONSULT_LIMITS.keyPoints);
	const answer = toAnswer({ question, decision, today: task.today }, { sentences, keyPoints });
	return { ...told, decision, answer, writer: by, warnings };
}

/** With its subject put beside it, a follow-up finds evidence on that whatever it asks: what it names itself has to be in it. */
function isAbout({ question, subject }: ConsultationTask, offered: readonly CitedSentence[]) {
	return subject === undefined || !namesOwnMatter(question) || isSpokenOf(question, offered);
}

function toAnswer(
	found: Pick<ConfidenceRequest, "question" | "decision" | "today">,
	{ sentences, keyPoints }: Readonly<Record<"sentences" | "keyPoints", readonly WrittenSentence[]>>,
) {
	const told = [...sentences, ...keyPoints];
	const cited = told.flatMap(({ evidence }) => evidence);
	const titleOf = ({ evidence: [first] }: WrittenSentence) => first?.concept.title ?? "";
	const texts = told.map((sentence) => ({ text: sentence.text, title: titleOf(sentence) }));
	return {
		sentences,
		/** What else is worth knowing, word for word: passages that the answer does not rest on already. */
		keyPoints,
		stance: stanceOf(found.question, texts),
		/** 0..1, see confidenceOf. */
		confidence: confidenceOf({ ...found, cited }),
		limits: limitsOf({ ...found, cited }),
	};
}

/** Names only: which other graphs would answer the question. */
async function knowers(
	{ search, catalog }: TwinServices,
	{ expert, question, signal }: ConsultationTask,
): Promise<readonly Graph[]> {
	const graphs = catalog.list().filter((graph) => graph !== expert.graph);
	if (graphs.length === 0) return [];
	const limit = CONSULT_LIMITS.elsewhere;
	const { graphs: promised } = await search.route({ graphs, query: question, limit, signal });
	return promised.map(({ graph }) => graph);
}

const TRUST: Readonly<Record<TrustTier, number>> = {
	"human-reviewed": 1,
	"machine-confirmed": 0.9,
	unverified: 0.75,
};
const PARTIAL = 0.75;
const STALE = 0.9;

interface ConfidenceRequest {
	readonly question: string;
	readonly decision: Decision;
	/** What the answer cites. */
	readonly cited: readonly CitedSentence[];
	/** `YYYY-MM-DD`. */
	readonly today: string;
}

/**
 * How well an answer is carried, 0..1: share of the question's content words that what it cites covers × (hosts + 1) / (hosts + 2),
 * by distinct hosts of its sources, × mean trust, × 0.75 when the search found part of an answer, × 0.9 when something cited
 * was to be checked again by now. An order, no probability: it is not calibrated against outcomes.
 */
export function confidenceOf({ question, decision, cited, today }: ConfidenceRequest): number {
	if (cited.length === 0) return 0;
	const texts = cited.flatMap(({ text, concept }) => [text, concept.title, ...concept.aliases]);
	const covered = coverageOf(contentWords(question), contentTerms(texts.join("\n")));
	const hosts = hostsOf(cited).size;
	const independence = (hosts + 1) / (hosts + 2);
	const trust = cited.reduce((sum, { concept }) => sum + TRUST[concept.trust], 0) / cited.length;
	const part = decision === "ANSWER" ? 1 : PARTIAL;
	const age = cited.some(({ concept }) => isStale(concept.staleAfter, today)) ? STALE : 1;
	return Math.round(covered * independence * trust * part * age * 1000) / 1000;
}

/** What a reader should know of what an answer rests on, as whole sentences. */
function limitsOf({ decision, cited, today }: Omit<ConfidenceRequest, "question">) {
	const limits: string[] = [];
	if (decision !== "ANSWER") limits.push("The corpus covers the question in part.");
	if (hostsOf(cited).size === 1) limits.push("All sources cited are of one publisher.");
	const concepts = [...new Set(cited.map(({ concept }) => concept))];
	const counted: [string, number][] = [
		["drafts", concepts.filter(({ status }) => status === "draft").length],
		["deprecated", concepts.filter(({ status }) => status === "deprecated").length],
		["not verified by anybody", concepts.filter(({ trust }) => trust === "unverified").length],
		[
			"due to be checked again",
			concepts.filter(({ staleAfter }) => isStale(staleAfter, today)).length,
		],
	];
	for (const [what, count] of counted) {
		if (count > 0) limits.push(`Of ${concepts.length} notes cited ${count} are ${what}.`);
	}
	return limits;
}

function hostsOf(cited: readonly CitedSentence[]): ReadonlySet<string> {
	const sources = cited.flatMap((sentence) => sentence.sources);
	return new Set(sources.map(({ sourceUrl }) => toArticleAddress(sourceUrl)?.host ?? sourceUrl));
}

function isStale(staleAfter: string | undefined, today: string): boolean {
	return staleAfter !== undefined && staleAfter < today;
}

const ADVICE =
	/\b(?:should|must|shall|recommend(?:s|ed)?|prefer(?:s|red)?|advis(?:e|es|ed) to|best practice|is required|make sure|worth)\b|\baction:|^(?:use|choose|adopt|enable|publish|set|rotate|treat|return|send|sign|staple|keep|require|negotiate|give|list|add|serve|raise|monitor|verify|start|accept|answer|make)\b/i;
const WARNING =
	/\b(?:avoid(?:s|ed)?|never|do not|does not recommend|don['’]t|must not|should not|shall not|not recommended|advis(?:e|es|ed) against|discourage[sd]?|deprecate[sd]?|obsoletes?|obsolete|insecure|unsafe|forbid(?:s|den)?|reject(?:s|ed)?|withdrawn|prohibit(?:s|ed)?|remove the|(?:leave|keep|turn|switch) \S+(?: \S+)? off)\b/i;
const CONDITION =
	/\b(?:if|unless|depends?|only (?:if|when|where)|otherwise|except|provided that)\b/i;
/** Asks what to do, not what is. */
const ASKS_ADVICE =
	/\b(?:should|shall|how (?:do|should|can|must|to|would)|recommend|advise|best|better|safe|worth|avoid|deploy|adopt|use|enable|choose|prefer|need to|have to|ought|ok to|okay to|good idea|may (?:i|we|a)|can (?:i|we))\b/i;
/** Is answered by yes or no: then advice on something else is no yes. */
const YES_OR_NO = /^\s*(?:should|shall|is|are|can|may|do|does|must|would|could|will)\b/i;
const YES_SHARE = 0.5;
/** Say what is to be done, not what with. */
const ACTIONS =
	/\b(?:use|using|deploy|adopt|enable|choose|pick|prefer|send|add|need|best|better|good|idea|safe|worth|recommend(?:ed)?|allowed|okay?)\b/gi;
const CLAUSE_END = /[;:,.]|\b(?:but|while|whereas|and)\b/i;

/** A sentence and the title it stands under. */
type TitledText = Readonly<Record<"text" | "title", string>>;

/** What a text says of a subject: a warning counts where its own clause is about the subject, advice also where its title is. */
function polaritiesOf(
	{ text, title }: TitledText,
	{ subject, isYesOrNo }: { subject: readonly (readonly string[])[]; isYesOrNo: boolean },
) {
	const found = new Set<"for" | "against" | "conditional">();
	const isAbout = (part: string, least = 0) => {
		const share = coverageOf(subject, contentTerms(part));
		return share > 0 && share >= least;
	};
	const warned = text.split(CLAUSE_END).filter((clause) => WARNING.test(clause));
	if (warned.some((clause) => isAbout(clause))) found.add("against");
	const rest = text.replace(new RegExp(WARNING, "gi"), " ");
	if (ADVICE.test(rest.trim()) && isAbout(`${text}\n${title}`, isYesOrNo ? YES_SHARE : 0))
		found.add("for");
	if (found.size > 0 && CONDITION.test(text)) found.add("conditional");
	return found;
}

/** Least weight of advice that is one, and how much one side must outweigh the other. */
const LEAST = 0.3;
const CLEAR = 2;
/** Share of conditional advice from which it depends. */
const CONDITIONAL_SHARE = 0.7;
/** Words of the question that a title must hold for its advice to count. */
const TITLE_SHARE = 0.3;

/**
 * What sentences, best first, and the titles they stand under come to for a question: each counts 1 / rank for or against.
 * More than twice as much on one side decides, unless most of it is tied to conditions; a question that asks for no advice has none.
 */
export function stanceOf(question: string, sentences: readonly TitledText[]): AdviceStance {
	if (!ASKS_ADVICE.test(question)) return "neutral";
	const named = contentWords(question.replace(ACTIONS, " "));
	const subject = named.length > 0 ? named : contentWords(question);
	const asked = { subject, isYesOrNo: YES_OR_NO.test(question) };
	const counted = { for: 0, against: 0, conditional: 0 };
	const count = (sentence: TitledText, weight: number) => {
		for (const polarity of polaritiesOf(sentence, asked)) counted[polarity] += weight;
	};
	const titles = sentences.map(({ title }) => title);
	const heading = titles.find((one) => coverageOf(subject, contentTerms(one)) >= TITLE_SHARE);
	if (heading !== undefined) count({ text: heading, title: "" }, 1);
	for (const [rank, sentence] of sentences.entries()) count(sentence, 1 / (rank + 1));
	const total = counted.for + counted.against;
	if (total < LEAST) return "neutral";
	if (counted.conditional / total >= CONDITIONAL_SHARE) return "depends";
	if (counted.against > CLEAR * counted.for) return "advises against";
	return counted.for > CLEAR * counted.against ? "recommends" : "depends";
}
