import { ANSWER_LIMITS, type SkillServices } from "../../src/contract/contract.js";
import {
	type CitedSentence,
	createMomentum,
	toEvidencePassages,
} from "../../src/evidence/evidence.js";
import { toIsoDay, toIsoTime } from "../../src/kernel/kernel.js";
import { type Graph, toTrendId } from "../../src/knowledge/knowledge.js";
import type { HybridSearch, JudgedSearch } from "../../src/search/search.js";
import {
	type CitationList,
	type ComposedAnswer,
	composeTopic,
	createCitationList,
	extractiveWriter,
	passagesOf,
	type Writer,
	writeFromPassages,
} from "../answers/answers.js";
import {
	type BriefingMemory,
	findChanges,
	findRemoved,
	rememberTopic,
	sentenceHash,
	type TopicChange,
	type TopicConcept,
} from "./briefing-changes.js";
import { SCHEDULE_LIMITS } from "./schedule-limits.js";
import type { BriefingWire } from "./schedule-wire.js";

interface BriefingServices extends Pick<SkillServices, "catalog" | "clock"> {
	readonly search: HybridSearch & JudgedSearch;
	readonly writer: Writer;
}

export interface BriefingRequest {
	readonly topic: string;
	readonly frequency: "daily" | "weekly";
	/** What the briefing before remembered; undefined for the first. */
	readonly before: BriefingMemory | undefined;
	readonly signal: AbortSignal;
}

export interface Briefing {
	readonly briefing: BriefingWire;
	/** What the next one is compared with. */
	readonly memory: BriefingMemory;
	/** False when it says nothing: then no one pays for it (D3). */
	readonly isWorth: boolean;
}

export type ComposeBriefing = (request: BriefingRequest) => Promise<Briefing>;

/**
 * What the graphs say on a topic: first what changed since the briefing before, then passages that it did not show. Each stands once;
 * what a language model writes of them passed the citation gate. When nothing changed, it says so and nothing else.
 */
export function createBriefings(deps: BriefingServices): ComposeBriefing {
	const { search, catalog, clock } = deps;
	return async (request) => {
		const { topic, frequency, before, signal } = request;
		const graphs = catalog.list();
		const at = clock.now();
		const found = await findTopic(search, { graphs, topic, signal });
		const citations = createCitationList();
		const parts = await writeParts(deps, { ...request, ...found, citations, graphs });
		const isWorth = parts.top.length + parts.changes.length > 0;
		const cited = citations.toWire();
		const shown = cited.map(({ excerpt: text }) => sentenceHash({ text }));
		const quoted = [...(before?.quoted ?? []), ...shown];
		return {
			isWorth,
			// What was quoted before stays known where nothing is quoted now.
			memory:
				found.isCovered || !before ? rememberTopic(found.compared, { graphs, at, quoted }) : before,
			briefing: {
				topic,
				frequency,
				as_of: toIsoTime(at),
				since: before ? toIsoTime(before.at) : null,
				is_first: before === undefined,
				is_nothing_new: !isWorth,
				...parts,
				citations: [...cited],
				warnings: [...parts.warnings, ...gapsOf(found.composed)],
			},
		};
	};
}

type QuotedPassage = readonly CitedSentence[];

/** What the graphs say on a topic; nothing where they do not answer it: a briefing is as much for sale as an answer is. */
interface FoundTopic {
	readonly composed: ComposedAnswer;
	readonly isCovered: boolean;
	/** Concepts that the answer quotes: only what changes there is news on the topic. */
	readonly quoted: readonly TopicConcept[];
	/** Those, and what may be quoted next time: what is merely ranked higher then is no news. */
	readonly compared: readonly TopicConcept[];
}

async function findTopic(
	search: BriefingServices["search"],
	{
		graphs,
		topic,
		signal,
	}: Pick<BriefingRequest, "topic" | "signal"> & { readonly graphs: readonly Graph[] },
): Promise<FoundTopic> {
	const { conceptsCompared: limit, tokens } = SCHEDULE_LIMITS;
	const { partConcepts: conceptsMax } = ANSWER_LIMITS;
	const asked = { question: topic, graphs, tokens, conceptsMax, signal };
	const composed = await composeTopic(search, asked);
	if (composed.verdict === "not_in_graphs") {
		return { composed, isCovered: false, quoted: [], compared: [] };
	}
	const near = await search.find({ graphs, query: topic, limit, effort: "fast", signal });
	const said = new Map(
		passagesOf(composed)
			.flat()
			.map(({ graph, concept }) => [concept, { graph, concept }]),
	);
	const ranked = new Map(composed.outcome.rows.map((row) => [row.concept, row]));
	const quoted = [...ranked.keys(), ...said.keys()].flatMap((concept) => said.get(concept) ?? []);
	const compared = new Map(
		[...near.rows, ...composed.outcome.rows, ...quoted].map((one) => [one.concept, one]),
	);
	return {
		composed,
		isCovered: true,
		quoted: [...new Set(quoted)],
		compared: [...compared.values()],
	};
}

function gapsOf({ verdict, outcome, gaps }: ComposedAnswer): readonly string[] {
	if (verdict === "not_in_graphs") return ["No graph on sale covers this topic yet."];
	const { missing } = outcome;
	return [
		...gaps.map(({ question }) => `Nothing answers "${question}".`),
		...(missing.length > 0 ? [`No graph covers: ${missing.join(", ")}.`] : []),
	];
}

type Parts = Pick<
	BriefingWire,
	"changes" | "top" | "movers" | "numbers" | "watch_list" | "writer" | "warnings"
>;

const NOTHING: Parts = {
	...{ changes: [], top: [], movers: [], numbers: [], watch_list: [] },
	writer: "extractive",
	warnings: [],
};

interface Material extends BriefingRequest, FoundTopic {
	readonly graphs: readonly Graph[];
	readonly citations: CitationList;
}

async function writeParts(deps: BriefingServices, material: Material): Promise<Parts> {
	const { composed, quoted, isCovered, citations, graphs, before } = material;
	const changes = before ? findChanges(quoted, before) : [];
	const removed = before ? findRemoved(before, graphs) : [];
	const isNew = !before || changes.length + removed.length > 0;
	if (!isNew || !isCovered) return NOTHING;
	const passages = passagesOf(composed);
	const changed = changes.slice(0, SCHEDULE_LIMITS.changesMax).map((change) => ({
		...subjectOf(change),
		change: change.change,
		points: pointsOf(change, passages, citations),
		new_sources: change.newSources
			.slice(0, SCHEDULE_LIMITS.topMax)
			.map(({ title, sourceUrl: url, publishedAt: day = null }) => {
				return { title, url, published_at: day };
			}),
	}));
	const gone = removed.slice(0, SCHEDULE_LIMITS.changesMax - changed.length).map(toRemoved);
	const earlier = new Set(before?.quoted ?? []);
	const fresh = passages.filter(
		(passage) =>
			!passage.some(citations.has) && !passage.every((one) => earlier.has(sentenceHash(one))),
	);
	const { top, writer, warnings } = await writeTop(deps, material, fresh);
	const rest = fresh.filter((passage) => !passage.some(citations.has));
	const today = toIsoDay(deps.clock.now());
	return {
		changes: [...changed, ...gone],
		top,
		movers: moversOf(quoted, today),
		numbers: numbersOf(rest, citations),
		watch_list: watchListOf(quoted, today),
		writer,
		warnings,
	};
}

/** The subjects of passages, the first passage's first, and what is said of each. */
async function writeTop(
	deps: BriefingServices,
	material: Material,
	passages: readonly QuotedPassage[],
) {
	const subjects = new Map<unknown, QuotedPassage[]>();
	for (const passage of passages) {
		const key = passage[0]?.concept;
		subjects.set(key, [...(subjects.get(key) ?? []), passage]);
	}
	const top: BriefingWire["top"] = [];
	const warnings = new Set<string>();
	let writer = deps.writer.name;
	const written = [...subjects.values()].slice(0, SCHEDULE_LIMITS.topMax);
	// A run has so much time for all of them together.
	const limitMs = Math.floor(SCHEDULE_LIMITS.writingMs / Math.max(1, written.length));
	for (const said of written) {
		const shown = said.slice(0, SCHEDULE_LIMITS.passagesOfOne);
		const prose = await writeSubject(deps, { ...material, limitMs }, shown);
		top.push(...prose.items);
		writer = prose.writer;
		for (const warning of prose.warnings) warnings.add(warning);
	}
	return { top, writer, warnings: [...warnings] };
}

/** Its passages, or what a language model writes of them. */
async function writeSubject(
	{ writer, search }: BriefingServices,
	{ topic: question, citations, signal, limitMs }: Material & { readonly limitMs: number },
	passages: readonly QuotedPassage[],
) {
	const offered = passages.flat();
	const purpose = "Say in one sentence what it is, and in another why it matters for the topic.";
	const counts = { sentencesMax: 2, quotedMax: passages.length };
	const task = { purpose, question, offered, passages, signal, limitMs, ...counts };
	const prose = await writeFromPassages(task, { writer, judge: search.judge });
	const text = offered.map((sentence) => sentence.text).join(" ");
	const isQuoted = prose.writer === extractiveWriter.name;
	const [what, why] = isQuoted ? [{ text, evidence: offered }] : prose.sentences;
	const [subject] = offered;
	const items =
		subject && what
			? [
					{
						...subjectOf(subject),
						what: citations.cite(what),
						why_it_matters: why ? citations.cite(why) : null,
					},
				]
			: [];
	return { items, writer: prose.writer, warnings: prose.warnings };
}

/** The passages that hold what is new, those that answer the topic first; of a new title or status the first one. */
function pointsOf(
	{ graph, concept, newSentences }: TopicChange,
	quoted: readonly QuotedPassage[],
	citations: CitationList,
) {
	const fresh = new Set(newSentences.map(({ evidenceId }) => evidenceId));
	const answering = new Set(quoted.flat().map(({ evidenceId }) => evidenceId));
	const all = toEvidencePassages(graph, concept);
	const holding = all.filter(({ sentences }) => sentences.some((one) => fresh.has(one.evidenceId)));
	return (holding.length > 0 ? holding : all.slice(0, 1))
		.sort((a, b) => Number(answering.has(b.passageId)) - Number(answering.has(a.passageId)))
		.slice(0, SCHEDULE_LIMITS.pointsMax)
		.map(({ text, sentences }) => citations.cite({ text, evidence: sentences }));
}

function toRemoved(trendId: string): BriefingWire["changes"][number] {
	const graphId = trendId.slice(0, trendId.indexOf(":"));
	const subject = { trend_id: trendId, graph_id: graphId, title: trendId };
	return { ...subject, change: "removed", points: [], new_sources: [] };
}

/** The concepts of which more, or less, is published than a year before, the largest changes first. */
function moversOf(shown: readonly TopicConcept[], today: string): BriefingWire["movers"] {
	const momentumOf = createMomentum(today);
	return shown
		.map((subject) => ({ subject, momentum: momentumOf(subject.concept.evidence) }))
		.filter(({ momentum }) => momentum.score !== 0)
		.sort((a, b) => Math.abs(b.momentum.score) - Math.abs(a.momentum.score))
		.slice(0, SCHEDULE_LIMITS.moversMax)
		.map(({ subject, momentum: { score, recent, before } }) => ({
			...subjectOf(subject),
			momentum: score,
			recent,
			before,
		}));
}

/** A figure that is no part of a name such as "EIP-712", and no lone year. */
const FIGURE = /(?<![\w-])[$€£]?\d+(?:[.,]\d+)*(?:\s?%|\s?percent\b|\s?[a-z]+)?(?![\w-])/giu;
const YEAR = /^(?:1[89]|20)\d\d$/;

/** Of what stands nowhere else, sentences with figures. */
function numbersOf(
	passages: readonly QuotedPassage[],
	citations: CitationList,
): BriefingWire["numbers"] {
	return passages
		.flatMap((passage) => passage.filter(({ text }) => hasFigure(text)))
		.slice(0, SCHEDULE_LIMITS.numbersMax)
		.map((sentence) => citations.cite({ text: sentence.text, evidence: [sentence] }));
}

function hasFigure(text: string): boolean {
	return (text.match(FIGURE) ?? []).some((figure) => !YEAR.test(figure.trim()));
}

const DAY_MS = 86_400_000;

type WatchReason = BriefingWire["watch_list"][number]["reason"] | undefined;

/** What may soon be otherwise: stale, withdrawn, unfinished, or carried by one source. */
function watchListOf(shown: readonly TopicConcept[], today: string): BriefingWire["watch_list"] {
	const soon = toIsoDay(Date.parse(today) + SCHEDULE_LIMITS.watchDays * DAY_MS);
	const reasonOf = ({ status, staleAfter, evidence }: TopicConcept["concept"]): WatchReason => {
		if (staleAfter !== undefined && staleAfter < today) return "stale";
		if (staleAfter !== undefined && staleAfter <= soon) return "stale_soon";
		if (status === "deprecated" || status === "draft") return status;
		return evidence.length === 1 ? "single_source" : undefined;
	};
	return shown
		.flatMap((subject) => {
			const reason = reasonOf(subject.concept);
			const date = subject.concept.staleAfter ?? null;
			return reason ? [{ ...subjectOf(subject), reason, date }] : [];
		})
		.sort((a, b) => Number(a.reason === "single_source") - Number(b.reason === "single_source"))
		.slice(0, SCHEDULE_LIMITS.watchMax);
}

/** How a briefing names a concept. */
function subjectOf({ graph, concept }: TopicConcept) {
	const { id } = graph.record;
	return { trend_id: toTrendId(id, concept.id), graph_id: id, title: concept.title };
}
