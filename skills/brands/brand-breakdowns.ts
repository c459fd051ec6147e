import { daysOf, toArticleAddress } from "../../src/evidence/evidence.js";
import { groupSources } from "../answers/answers.js";
import { findPublisher } from "../verify/verify.js";
import type { Brand } from "./brand-index.js";
import { BRAND_LIMITS } from "./brand-limits.js";
import { articlesOf, type DatedMention, textsRead } from "./brand-reading.js";
import {
	countTones,
	sharesOf,
	TONE_METHOD,
	type ToneCount,
	toneOf,
	wilsonInterval,
} from "./brand-tone.js";

/** How much of what is said of some brands is said of each, a mention of two counting for both; greatest first. */
export function shareVoice(
	readings: readonly { readonly brand: Brand; readonly mentions: readonly DatedMention[] }[],
) {
	const counts = readings.map(({ mentions }) => mentions.length);
	const n = counts.reduce((sum, count) => sum + count, 0);
	const shares = sharesOf(counts);
	return readings
		.map(({ brand, mentions }, place) => ({
			brand: brand.key,
			name: brand.name,
			share: shares[place] ?? 0,
			mentions: mentions.length,
			n,
			interval: wilsonInterval(mentions.length, n),
			is_small_sample: n < BRAND_LIMITS.smallSample,
		}))
		.sort((a, b) => b.mentions - a.mentions);
}

/** Of those that are read, the newest. */
export function toneOfMentions(mentions: readonly DatedMention[]) {
	const count = countTones(textsRead(mentions));
	return { ...count, is_small_sample: count.n < BRAND_LIMITS.smallSample, method: TONE_METHOD };
}

/** Counts alone, for stretches and publishers. */
export function toneCounts({ net, positive, neutral, negative, n }: ToneCount) {
	return { net, positive, neutral, negative, n };
}

/** Who carries most first; a mention with sources of several publishers counts for each. */
export function groupByPublisher(mentions: readonly DatedMention[]) {
	const byPublisher = new Map<string, DatedMention[]>();
	for (const mention of mentions) {
		const publishers = new Set(mention.sources.map((source) => findPublisher(source).owner));
		for (const publisher of publishers) {
			byPublisher.set(publisher, [...(byPublisher.get(publisher) ?? []), mention]);
		}
	}
	return [...byPublisher]
		.map(([publisher, own]) => toPublisher(publisher, own))
		.sort((a, b) => b.mentions.length - a.mentions.length || (a.publisher < b.publisher ? -1 : 1));
}

/** One publisher's pages, as far as they carry what is said of a brand; its mentions newest first. */
function toPublisher(publisher: string, mentions: readonly DatedMention[]) {
	const own = mentions.map((mention) => {
		const sources = mention.sources.filter((source) => findPublisher(source).owner === publisher);
		return { ...mention, sources, sentence: { ...mention.sentence, sources } };
	});
	const sources = own.flatMap((mention) => mention.sources);
	const hosts = sources.map(({ sourceUrl }) => toArticleAddress(sourceUrl)?.host ?? "");
	const { oldest, newest } = daysOf(sources.map(({ publishedAt }) => publishedAt));
	return {
		publisher,
		hosts: [...new Set(hosts)].sort(),
		articles: articlesOf(sources),
		first_seen: oldest,
		last_seen: newest,
		graphs: [...new Set(own.map(({ sentence }) => sentence.graph.record.id))].sort(),
		mentions: own,
		sentiment: countTones(textsRead(own)),
	};
}

type RiskKind = "security" | "legal" | "lifecycle" | "operations";

const KINDS: readonly (readonly [kind: RiskKind, words: RegExp])[] = [
	[
		"security",
		/\b(?:vulnerab|exploit|ransomware|malware|attack|breach|overflow|injection|insecure|compromis|zero-day|spoof|phish|backdoor)/i,
	],
	[
		"legal",
		/\b(?:lawsuit|sued|fined|penalt|antitrust|infring|sanction|regulator|unlawful|illegal)/i,
	],
	[
		"lifecycle",
		/\b(?:deprecat|end of life|end-of-life|obsolet|discontinu|abandon|withdrawn|sunset|retired)/i,
	],
	["operations", /\b(?:outage|downtime|recall|shortage|delayed|incident|failure|data loss|crash)/i],
];

/**
 * Sentences with a word of danger whose tone is not positive: what says that there is no such thing is turned around by its
 * negation. By independent sources, then newest first.
 */
export function findRisks(mentions: readonly DatedMention[]) {
	const risks: { kind: RiskKind; mention: DatedMention; sourcesIndependent: number }[] = [];
	const told = new Set<string>();
	for (const mention of mentions) {
		if (!mention.isRead) continue;
		const { text } = mention.sentence;
		const kind = KINDS.find(([, words]) => words.test(text))?.[0];
		if (!kind || told.has(text) || toneOf(text) === "positive") continue;
		told.add(text);
		risks.push({ kind, mention, sourcesIndependent: groupSources(mention.sources).length });
	}
	return risks
		.sort((a, b) => b.sourcesIndependent - a.sourcesIndependent)
		.slice(0, BRAND_LIMITS.risksTold);
}
