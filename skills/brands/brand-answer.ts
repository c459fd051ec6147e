import type { z } from "zod";
import { type CitedSentence, findPublisher } from "../../src/evidence/evidence.js";
import { createCitationList } from "../answers/answers.js";
import { toneCounts } from "./brand-figures.js";
import { BRAND_LIMITS } from "./brand-index.js";
import {
	articlesOf,
	type BrandReading,
	type BrandWindow,
	type DatedMention,
	measureFootprint,
} from "./brand-reading.js";
import { type BrandSignal, type Bucket, type BucketSize, toBuckets } from "./brand-signals.js";
import type { BrandMeta, gapSchema } from "./brand-wire.js";

/** What answers about brands have in common: how evidence is cited, what is missing, and how figures travel. */

export type BrandCitations = ReturnType<typeof createBrandCitations>;

/** Takes what figures point to, and returns its ids. */
export type EvidenceCiter = Pick<BrandCitations, "idsOf" | "ofMentions">;

/** One sentence is cited once for each publisher it comes from. */
export function createBrandCitations() {
	const list = createCitationList(({ evidenceId, sources: [source] }) =>
		[evidenceId, source ? findPublisher(source).owner : ""].join(" "),
	);
	const few = (mentions: readonly DatedMention[]) =>
		mentions.slice(0, BRAND_LIMITS.evidencePerItem).map(({ sentence }) => sentence);
	/** evidence_id of a few sentences, each cited from now on. */
	const idsOf = (sentences: readonly CitedSentence[]): string[] => {
		const told = sentences.slice(0, BRAND_LIMITS.evidencePerItem);
		for (const sentence of told) list.numberOf(sentence);
		return told.map(({ evidenceId }) => evidenceId);
	};
	return {
		toWire: list.toWire,
		idsOf,
		ofMentions: (mentions: readonly DatedMention[]) => idsOf(few(mentions)),
		/** n of what these mentions are cited by. */
		numbersOf: (mentions: readonly DatedMention[]) => few(mentions).map(list.numberOf),
	};
}

export function toSignalWire({ mentions, ...signal }: BrandSignal, citations: EvidenceCiter) {
	return { ...signal, evidence: citations.ofMentions(mentions) };
}

export function toBucketWire({ period, mentions, sentiment }: Bucket, citations: EvidenceCiter) {
	return {
		period,
		mentions: mentions.length,
		articles: articlesOf(mentions.flatMap(({ sources }) => sources)),
		sentiment: toneCounts(sentiment),
		evidence: citations.ofMentions(mentions.slice(0, 1)),
	};
}

type Gap = z.infer<typeof gapSchema>;

/** What a reader should know of what the figures rest on. */
export function findGaps(
	{ brand, mentions, others }: BrandReading,
	window: BrandWindow,
	size?: BucketSize,
): Gap[] {
	const { buckets, isCut, earlier } = toBuckets(mentions, window, size);
	const unread = mentions.filter(({ isRead }) => !isRead).length;
	const { undated, sources_independent: groups } = measureFootprint(mentions);
	const namesakes = others
		.map(({ key }) => key)
		.slice(0, 3)
		.join(", ");
	const gaps: (readonly [isOpen: boolean, kind: Gap["kind"], message: string])[] = [
		[
			mentions.length < BRAND_LIMITS.smallSample,
			"small_sample",
			`${brand.name} has ${mentions.length} mentions in the window; below ${BRAND_LIMITS.smallSample} read shares and tone with their intervals.`,
		],
		[
			undated > 0,
			"undated",
			`${undated} mentions name no date, have no dated source and stand in no stretch of the timeline.`,
		],
		[groups === 1, "one_publisher", "All mentions rest on sources of one publisher."],
		[
			unread > 0,
			"unread",
			`The tone and dangers of the ${unread} oldest of ${mentions.length} mentions were not read.`,
		],
		[
			isCut,
			"cut",
			`The timeline tells the last ${buckets.length} stretches, from ${buckets[0]?.period} on; ${earlier} dated mentions are earlier.`,
		],
		[others.length > 0, "ambiguous", `The name is also that of ${namesakes}.`],
		[
			buckets.length === 1,
			"small_sample",
			"Every dated mention falls into one stretch of time, so nothing can be said of change.",
		],
	];
	return gaps.flatMap(([isOpen, kind, message]) => (isOpen ? [{ kind, message }] : []));
}

export function noMentionsGap(name: string): Gap {
	return { kind: "no_mentions", message: `${name} has no mention in the window.` };
}

/** Times are rounded to milliseconds. */
export function toBrandMeta(
	mentions: readonly DatedMention[],
	asked: Pick<BrandMeta, "query" | "as_of" | "warnings" | "execution_time_ms">,
): BrandMeta {
	const graphs = mentions.map(({ sentence }) => sentence.graph.record.id);
	const isAnswer = mentions.length > 0;
	return {
		query: asked.query,
		decision: isAnswer ? "ANSWER" : "ABSTAIN",
		dataStatus: isAnswer ? "ENTITY_MATCH" : "NO_MATCH",
		as_of: asked.as_of,
		graphs_used: [...new Set(graphs)].sort(),
		warnings: asked.warnings,
		execution_time_ms: Math.round(asked.execution_time_ms),
	};
}
