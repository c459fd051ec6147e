import { createMomentum, type RankedSentence } from "../../src/evidence/evidence.js";
import { toIsoDay } from "../../src/kernel/kernel.js";
import { toTrendId } from "../../src/knowledge/knowledge.js";
import type { CitationList } from "../answers/answers.js";
import type { TopicConcept } from "./briefing-changes.js";
import { SCHEDULE_LIMITS } from "./schedule-limits.js";
import type { BriefingWire } from "./schedule-wire.js";

/** The concepts of which more, or less, is published than a year before, the largest changes first. */
export function moversOf(told: readonly TopicConcept[], today: string): BriefingWire["movers"] {
	const momentumOf = createMomentum(today);
	return told
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

interface NumbersOf {
	readonly sentences: readonly RankedSentence[];
	readonly told: readonly TopicConcept[];
	readonly citations: CitationList;
}

/** A figure that is no part of a name such as "EIP-712", and no lone year. */
const FIGURE = /(?<![\w-])[$€£]?\d+(?:[.,]\d+)*(?:\s?%|\s?percent\b|\s?[a-z]+)?(?![\w-])/giu;
const YEAR = /^(?:1[89]|20)\d\d$/;

/** Sentences with figures, those that bear most on the topic first. */
export function numbersOf({ sentences, told, citations }: NumbersOf): BriefingWire["numbers"] {
	const subjects = new Set(told.map(({ concept }) => concept));
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
export function watchListOf(
	told: readonly TopicConcept[],
	today: string,
): BriefingWire["watch_list"] {
	const soon = toIsoDay(Date.parse(today) + SCHEDULE_LIMITS.watchDays * DAY_MS);
	const reasonOf = ({ status, staleAfter, evidence }: TopicConcept["concept"]): WatchReason => {
		if (staleAfter !== undefined && staleAfter < today) return "stale";
		if (staleAfter !== undefined && staleAfter <= soon) return "stale_soon";
		if (status === "deprecated" || status === "draft") return status;
		return evidence.length === 1 ? "single_source" : undefined;
	};
	return told
		.flatMap((subject) => {
			const reason = reasonOf(subject.concept);
			const date = subject.concept.staleAfter ?? null;
			return reason ? [{ ...subjectOf(subject), reason, date }] : [];
		})
		.sort((a, b) => Number(a.reason === "single_source") - Number(b.reason === "single_source"))
		.slice(0, SCHEDULE_LIMITS.watchMax);
}

/** How a briefing names a concept. */
export function subjectOf({ graph, concept }: TopicConcept) {
	const { id } = graph.record;
	return { trend_id: toTrendId(id, concept.id), graph_id: id, title: concept.title };
}
