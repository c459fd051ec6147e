import type { CitedSentence } from "../../src/evidence/evidence.js";
import { createCitationList, createSourceList, groupSources } from "../answers/answers.js";
import { addToList } from "../entities/entities.js";
import {
	type EvidenceCiter,
	findGaps,
	noMentionsGap,
	toBucketWire,
	toSignalWire,
} from "./brand-answer.js";
import { round, shareVoice, toneOf, toneOfMentions } from "./brand-figures.js";
import type { Brand } from "./brand-grouping.js";
import { BRAND_LIMITS } from "./brand-index.js";
import {
	articlesOf,
	type BrandReading,
	type BrandWindow,
	type DatedMention,
	measureFootprint,
	toBrandHead,
} from "./brand-reading.js";
import type { BrandIntelligence } from "./brand-report-wire.js";
import type { RiskReading } from "./brand-risks.js";
import {
	type BrandSignal,
	findCoMentions,
	findTrends,
	toBuckets,
	toSignals,
} from "./brand-signals.js";
import { tokensOfText } from "./brand-summary.js";

/** What all text of one reply may take. */
const PROSE_TOKENS = 1_500;

interface Reported {
	readonly reading: BrandReading;
	readonly compared: readonly BrandReading[];
	readonly window: BrandWindow;
	readonly summary: readonly (readonly CitedSentence[])[];
	readonly risks: RiskReading;
}

/** Everything that is sold of a brand: every figure names the mentions that it is counted from, every sentence is printed once. */
export async function toBrandReport(
	reported: Reported,
): Promise<Omit<BrandIntelligence, "report_id" | "kept_until">> {
	const { reading, compared, window, summary, risks } = reported;
	const { brand, mentions } = reading;
	const listed = listMentions(brand, mentions);
	const cited = createPrinter();
	const signals = toSignals(mentions, window).slice(0, BRAND_LIMITS.signalsMax);
	const { first_seen: firstSeen } = measureFootprint(mentions);
	const quoted = summary.map((passage) => listed.sources.quote(passage));
	for (const passage of summary) for (const sentence of passage) cited.print(sentence);
	const riskWire = risks.risks.map(
		({ kind, claim, supports, mentions: own, sourcesIndependent }) => {
			// Its text stands here, so that it is not cited again; what the summary has is not said again.
			const first = own.find(({ sentence }) => cited.print(sentence));
			const { date, basis } = first ?? own[0];
			return {
				...{ kind, claim, confidence: round(supports) },
				statement: first?.sentence.text ?? null,
				...{ date, date_basis: basis },
				sources_independent: sourcesIndependent,
				evidence: cited.ofMentions(own),
				mention_ids: listed.numbersOf(own),
			};
		},
	);
	cited.ofMentions(mentions.filter(({ day }) => day !== null && day === firstSeen).slice(0, 1));
	const trends = await findTrends(brand, mentions, window);
	const data = {
		trends: trends.map(({ trendId, name, role, momentum: { asOf, ...counts }, sentences }) => ({
			...{ trend_id: trendId, name, role },
			momentum: { ...counts, as_of: asOf },
			evidence: cited.idsOf(sentences),
		})),
		signals: signals.map((signal: BrandSignal) => ({
			...toSignalWire(signal, cited),
			mention_ids: listed.numbersOf(signal.mentions),
		})),
		co_mentions: findCoMentions(brand, mentions).map(({ brand: other, mentions: own, share }) => ({
			...{ brand: other.key, name: other.name, mentions: own.length, share },
			evidence: cited.ofMentions(own),
			mention_ids: listed.numbersOf(own),
		})),
		timeline: toBuckets(mentions, window)
			.buckets.filter((bucket) => bucket.mentions.length > 0)
			.map((bucket) => ({
				...toBucketWire(bucket, cited),
				mention_ids: listed.numbersOf(bucket.mentions),
			})),
	};
	const citations = cited.toWire();
	return {
		brand: toBrandHead(brand),
		summary: quoted,
		window,
		footprint: toFootprint(reading, listed),
		share_of_voice: toShares(reading, compared),
		sentiment: { ...toneOfMentions(mentions), ...toTones(mentions, listed) },
		...data,
		risks: riskWire,
		gaps: [...findGaps(reading, window), ...toRiskGaps(risks), ...silentAmong(compared)],
		mentions: listed.toWire(),
		sources: listed.sources.toWire(),
		citations,
		prose_tokens: cited.tokens(),
	};
}

type Listed = ReturnType<typeof listMentions>;

/** Mentions that are read, by their numbers, with the sources they are cited with. */
function listMentions(brand: Brand, mentions: readonly DatedMention[]) {
	const sources = createSourceList();
	const read = mentions.filter(({ isRead }) => isRead);
	const numbers = new Map(read.map(({ sentence }, at) => [sentence.evidenceId, at + 1]));
	const items = read.map((mention, at) => {
		const { sentence, date, basis } = mention;
		const link = mention.links.get(brand);
		return {
			...{ n: at + 1, evidence_id: sentence.evidenceId, graph_id: sentence.graph.record.id },
			...{ document: sentence.concept.title, date, date_basis: basis },
			...{ by: link?.by ?? "name", score: round(link?.score ?? 0) },
			sources: mention.sources.map(sources.numberOf),
		};
	});
	return {
		sources,
		numbersOf: (own: readonly DatedMention[]): number[] =>
			own.flatMap(({ sentence }) => numbers.get(sentence.evidenceId) ?? []),
		toWire: () => items,
	};
}

/** Takes what figures point to in the order of its weight, and prints as much of it as fits, nothing twice. */
function createPrinter() {
	const texts = new Set<string>();
	const wanted: CitedSentence[] = [];
	let used = 0;
	const print = ({ text }: CitedSentence): boolean => {
		if (texts.has(text)) return false;
		texts.add(text);
		used += tokensOfText(text);
		return true;
	};
	const idsOf = (sentences: readonly CitedSentence[]): string[] => {
		const own = sentences.slice(0, BRAND_LIMITS.evidencePerItem);
		wanted.push(...own);
		return own.map(({ evidenceId }) => evidenceId);
	};
	return {
		print,
		idsOf,
		ofMentions: (own: readonly DatedMention[]) => idsOf(own.map(({ sentence }) => sentence)),
		toWire() {
			const list = createCitationList();
			for (const sentence of wanted) {
				const fits = used + tokensOfText(sentence.text) <= PROSE_TOKENS;
				if (fits && print(sentence)) list.numberOf(sentence);
			}
			return [...list.toWire()];
		},
		tokens: () => used,
	} satisfies EvidenceCiter & Record<string, unknown>;
}

function toFootprint({ mentions }: BrandReading, listed: Listed): BrandIntelligence["footprint"] {
	const byGraph = new Map<string, DatedMention[]>();
	for (const mention of mentions) addToList(byGraph, mention.sentence.graph.record.id, mention);
	const footprint = measureFootprint(mentions);
	const first = mentions.find(({ day }) => day !== null && day === footprint.first_seen);
	const owners = groupSources(mentions.flatMap(({ sources }) => sources)).map(
		({ publisher, sources }) => {
			const urls = new Set(sources.map(({ sourceUrl }) => sourceUrl));
			const own = mentions.filter((mention) =>
				mention.sources.some(({ sourceUrl }) => urls.has(sourceUrl)),
			);
			return { owner: publisher, mentions: own.length, mention_ids: listed.numbersOf(own) };
		},
	);
	return {
		...footprint,
		first_seen_mention: (first && listed.numbersOf([first])[0]) ?? null,
		is_complete: mentions.every(({ isRead }) => isRead),
		by_graph: [...byGraph]
			.map(([graphId, own]) => ({
				graph_id: graphId,
				title: own[0]?.sentence.graph.record.title ?? graphId,
				mentions: own.length,
				share: round(own.length / mentions.length),
				articles: articlesOf(own.flatMap(({ sources }) => sources)),
				last_seen: measureFootprint(own).last_seen,
				mention_ids: listed.numbersOf(own),
			}))
			.sort((a, b) => b.mentions - a.mentions)
			.slice(0, BRAND_LIMITS.graphsMax),
		owners: owners.sort((a, b) => b.mentions - a.mentions),
	};
}

function toShares(reading: BrandReading, compared: readonly BrandReading[]) {
	const byKey = new Map(compared.map(({ brand, mentions }) => [brand.key, mentions]));
	return shareVoice([reading, ...compared]).map((share) => {
		const others = byKey.get(share.brand);
		return others
			? { ...share, evidence: others.map(({ sentence }) => sentence.evidenceId) }
			: share;
	});
}

function toTones(mentions: readonly DatedMention[], listed: Listed) {
	const read = mentions.filter(({ isRead }) => isRead);
	const numbersOf = (tone: ReturnType<typeof toneOf>) =>
		listed.numbersOf(read.filter(({ sentence }) => toneOf(sentence.text) === tone));
	return { positive_mentions: numbersOf("positive"), negative_mentions: numbersOf("negative") };
}

function toRiskGaps({ problem, unread }: RiskReading): BrandIntelligence["gaps"] {
	const message = problem
		? `Risks were not looked for: ${problem}`
		: `${unread} mentions with a word of danger were not read for risks.`;
	return problem !== undefined || unread > 0 ? [{ kind: "risks_not_read", message }] : [];
}

function silentAmong(compared: readonly BrandReading[]): BrandIntelligence["gaps"] {
	return compared
		.filter(({ mentions }) => mentions.length === 0)
		.map(({ brand }) => noMentionsGap(brand.name));
}
