import { isTopicAnswered, type SkillServices } from "../../src/contract/contract.js";
import {
	createMomentum,
	gatherEvidence,
	type RankedSentence,
	toCitedSentences,
} from "../../src/evidence/evidence.js";
import { toIsoDay, toIsoTime } from "../../src/kernel/kernel.js";
import { type Graph, toTrendId } from "../../src/knowledge/knowledge.js";
import type { ReadingSearch } from "../../src/search/search.js";
import {
	type CitationList,
	createCitationList,
	type Writer,
	writeProse,
} from "../answers/answers.js";
import {
	type BriefingMemory,
	findChanges,
	findRemoved,
	rememberTopic,
	type TopicChange,
	type TopicConcept,
} from "./briefing-changes.js";
import { SCHEDULE_LIMITS } from "./schedule-limits.js";
import type { BriefingWire } from "./schedule-wire.js";

interface BriefingServices extends Pick<SkillServices, "catalog" | "clock"> {
	readonly search: ReadingSearch;
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
 * What the graphs say on a topic: first what changed since the briefing before, then the most important concepts.
 * Every sentence passed the citation gate. When nothing changed, it says so and nothing else.
 */
export function createBriefings(deps: BriefingServices): ComposeBriefing {
	const { search, catalog, clock } = deps;
	return async (request) => {
		const { topic, frequency, before, signal } = request;
		const graphs = catalog.list();
		const at = clock.now();
		const { concepts, sentences, missing } = await gatherTopic(search, { graphs, topic, signal });
		const memory = memoryOf(concepts, { before, graphs, at });
		const shown = concepts.slice(0, SCHEDULE_LIMITS.conceptsTold);
		const changes = before ? findChanges(shown, before) : [];
		const removed = before ? findRemoved(before, graphs) : [];
		const isNew = !before || changes.length + removed.length > 0;
		const citations = createCitationList();
		const parts =
			isNew && shown.length > 0
				? await writeParts(deps, { ...request, changes, removed, shown, sentences, citations })
				: NOTHING;
		const isWorth = isNew && parts.top.length + parts.changes.length > 0;
		return {
			isWorth,
			memory,
			briefing: {
				topic,
				frequency,
				as_of: toIsoTime(at),
				since: before ? toIsoTime(before.at) : null,
				is_first: before === undefined,
				is_nothing_new: !isWorth,
				changes: parts.changes,
				top: parts.top,
				movers: parts.movers,
				numbers: parts.numbers,
				watch_list: parts.watch_list,
				citations: [...citations.toWire()],
				writer: parts.writer,
				warnings: [...parts.warnings, ...gapsOf(concepts, missing)],
			},
		};
	};
}

/** Nothing where the search would not answer the topic: a briefing is as much for sale as an answer is. */
async function gatherTopic(
	search: ReadingSearch,
	{
		graphs,
		topic,
		signal,
	}: Pick<BriefingRequest, "topic" | "signal"> & { graphs: readonly Graph[] },
) {
	const { conceptsCompared: conceptsMax, sentencesMax } = SCHEDULE_LIMITS;
	const asked = { graphs, question: topic, conceptsMax, sentencesMax, signal };
	const found = await gatherEvidence(search, asked);
	const isCovered = isTopicAnswered(found.decision, topic);
	return isCovered ? found : { ...found, concepts: [], sentences: [] };
}

/** What was told before stays told where nothing is told now. */
function memoryOf(
	concepts: readonly TopicConcept[],
	{ before, ...now }: { before: BriefingMemory | undefined; graphs: readonly Graph[]; at: number },
): BriefingMemory {
	return before && concepts.length === 0 ? before : rememberTopic(concepts, now);
}

function gapsOf(concepts: readonly TopicConcept[], missing: readonly string[]): readonly string[] {
	if (concepts.length === 0) return ["No graph on sale covers this topic yet."];
	return missing.length > 0 ? [`No graph covers: ${missing.join(", ")}.`] : [];
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

interface Material extends BriefingRequest {
	readonly shown: readonly TopicConcept[];
	readonly sentences: readonly RankedSentence[];
	readonly changes: readonly TopicChange[];
	readonly removed: readonly string[];
	readonly citations: CitationList;
}

async function writeParts(deps: BriefingServices, material: Material): Promise<Parts> {
	const { shown, citations, changes, removed } = material;
	const changed = changes.slice(0, SCHEDULE_LIMITS.changesMax).map((change) => ({
		...subjectOf(change),
		change: change.change,
		points: pointsOf(change, citations),
		new_sources: change.newSources
			.slice(0, SCHEDULE_LIMITS.topMax)
			.map(({ title, sourceUrl: url, publishedAt: day = null }) => {
				return { title, url, published_at: day };
			}),
	}));
	const gone = removed.slice(0, SCHEDULE_LIMITS.changesMax - changed.length).map(toRemoved);
	const { top, writer, warnings } = await writeTop(deps, material);
	const today = toIsoDay(deps.clock.now());
	return {
		changes: [...changed, ...gone],
		top,
		movers: moversOf(shown, today),
		numbers: numbersOf(material),
		watch_list: watchListOf(shown, today),
		writer,
		warnings,
	};
}

/** The best concepts on the topic: what each is, and the sentence of it that says most beside that. */
async function writeTop(deps: BriefingServices, { topic, shown, citations, signal }: Material) {
	const top: BriefingWire["top"] = [];
	const warnings = new Set<string>();
	let writer = deps.writer.name;
	for (const subject of shown) {
		if (top.length >= SCHEDULE_LIMITS.topMax) break;
		const offered = toCitedSentences(subject.graph, subject.concept);
		if (offered.length === 0) continue;
		const purpose = "Say in one sentence what it is, and in another why it matters for the topic.";
		const task = { purpose, question: topic, offered, sentencesMax: 2, signal };
		const prose = await writeProse(task, { writer: deps.writer, judge: deps.search.judge });
		const [what, why] = prose.sentences;
		if (!what) continue;
		top.push({
			...subjectOf(subject),
			what: citations.cite(what),
			why_it_matters: why ? citations.cite(why) : null,
		});
		writer = prose.writer;
		for (const warning of prose.warnings) warnings.add(warning);
	}
	return { top, writer, warnings: [...warnings] };
}

/** The first sentences of what changed, word for word. */
function pointsOf({ graph, concept }: TopicConcept, citations: CitationList) {
	return toCitedSentences(graph, concept)
		.slice(0, 2)
		.map((sentence) => citations.cite({ text: sentence.text, evidence: [sentence] }));
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

/** Sentences with figures, those that bear most on the topic first. */
function numbersOf({ sentences, shown, citations }: Material): BriefingWire["numbers"] {
	const subjects = new Set(shown.map(({ concept }) => concept));
	return sentences
		.filter(({ concept, text }) => subjects.has(concept) && hasFigure(text))
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
