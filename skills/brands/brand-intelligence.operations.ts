import { z } from "zod";
import { paidOperation, type SkillServices, toReply } from "../../src/contract/contract.js";
import type { Graphs } from "../../src/evidence/evidence.js";
import { toIsoDay } from "../../src/kernel/kernel.js";
import { answerIf } from "../graphs/graphs.js";
import {
	createBrandCitations,
	findGaps,
	noMentionsGap,
	toBrandMeta,
	toBucketWire,
	toFootprint,
	toSignalWire,
} from "./brand-answer.js";
import { findRisks, shareVoice, toneOfMentions } from "./brand-figures.js";
import {
	BRAND_LIMITS,
	brandIndexOf,
	exampleBrand,
	type FoundBrand,
	hasBrands,
} from "./brand-index.js";
import {
	type BrandReading,
	type BrandWindow,
	getBrands,
	makeBrandsReady,
	mentionsByBrand,
	readBrands,
	toBrandHead,
	toWindow,
} from "./brand-reading.js";
import { findCoMentions, findTrends, toBuckets, toSignals } from "./brand-signals.js";
import {
	BRAND_BILLING,
	type BrandIntelligence,
	brandField,
	intelligenceBody,
	intelligenceInput,
	intelligenceOutput,
} from "./brand-wire.js";

/** What all graphs say of one brand. Spec: Endpoints, paid operations. */
export const brandIntelligence = paidOperation({
	id: "brand_intelligence",
	at: "POST /v1/brand-intelligence/{brand}",
	price: { usd: "30.00", billingType: "brand_flat" },
	agent: {
		name: "brand_intelligence",
		tool: {
			title: "Brand intelligence",
			description:
				"Footprint of a brand, product or standard over all graphs: share of voice, signals, trends, co-mentions, timeline, risks.",
			fields: { brand: "Name as people write it", window: "How far back, e.g. 90d, 12m, 2y" },
		},
	},
	summary: "Brand intelligence",
	description: `Footprint, share of voice, tone, signals, trends, co-mentions, timeline and risks of a brand over all graphs, each with its evidence. The path takes a key, name, other name, domain or ticker symbol. ${BRAND_BILLING}`,
	params: z.strictObject({ brand: brandField }),
	body: intelligenceBody,
	reply: toReply("BrandIntelligenceReply", intelligenceOutput),
	about:
		"The footprint of a brand over all graphs: mentions, articles and independent sources, share of voice, tone by rules, dated signals, trends it has a part in, who it is named with, a timeline and risks, each with its evidence; small samples are flagged. A brand nobody knows, or without a mention in the window, is not charged.",
	tags: ["brands", "share of voice", "signals"],
	examples: ["What do the graphs say about the Linux kernel, and how much of the talk is its?"],
	input: intelligenceInput,
	output: intelligenceOutput,
	queryOf: ({ brand }) => brand,
	toText: ({ data: { brand, footprint, sentiment, window } }) =>
		`${brand.name}: ${footprint.mentions} mentions in ${footprint.graphs} graphs up to ${window.to}, net tone ${sentiment.net} (n = ${sentiment.n}).`,
	create: ({ catalog, clock }: Pick<SkillServices, "catalog" | "clock">) => ({
		exampleInput: () => ({ brand: exampleBrand(catalog) }),
		isOffered: () => hasBrands(catalog),
		prepare: ({ brand, compare_with: others = [] }) => makeBrandsReady(catalog, [brand, ...others]),
		async run({ brand: clue, window: asked, compare_with: others }, { signal }) {
			const startedMs = clock.monotonicMs();
			const window = toWindow(asked, toIsoDay(clock.now()));
			const [found, ...named] = await getBrands(catalog, [clue, ...(others ?? [])]);
			const brand = found as FoundBrand;
			const [own] = await readBrands(catalog, [brand], window);
			const reading = own as BrandReading;
			// Without a mention nothing is charged, so nothing is returned of others either.
			const isSaid = reading.mentions.length > 0;
			const peers = !isSaid ? [] : others ? named : await peersOf(catalog, brand);
			const compared = await readBrands(catalog, peers, window);
			signal.throwIfAborted();
			const data = await (isSaid
				? toIntelligence(reading, compared, window)
				: toSilence(reading, window));
			const meta = toBrandMeta(reading.mentions, {
				query: clue,
				as_of: window.to,
				warnings: data.gaps.map(({ message }) => message),
				execution_time_ms: clock.monotonicMs() - startedMs,
			});
			return answerIf(isSaid, { ok: true, data, meta });
		},
	}),
	example: { params: { brand: "MCP" }, body: { window: "2y", compare_with: ["Linux kernel"] } },
});

/** Those of which most is said: of the brands in the same graphs, or of all where it is alone there. */
async function peersOf(catalog: Graphs, { brand }: FoundBrand): Promise<readonly FoundBrand[]> {
	const graphs = new Set(brand.nodes.map(({ graph }) => graph.record.id));
	const { brands } = await brandIndexOf(catalog);
	const all = brands.filter((other) => other !== brand);
	const beside = all.filter(({ nodes }) => nodes.some(({ graph }) => graphs.has(graph.record.id)));
	const near = beside.length > 0 ? beside : all;
	const mentions = await mentionsByBrand(catalog);
	const ranked = near
		.map((other) => ({ other, total: mentions.get(other)?.length ?? 0 }))
		.sort((a, b) => b.total - a.total);
	const most = ranked.slice(0, BRAND_LIMITS.compareWithMax);
	return most.map(({ other }) => ({ brand: other, others: [] }));
}

/** Who was asked for, and that nothing is said. */
function toSilence(reading: BrandReading, window: BrandWindow): BrandIntelligence {
	return {
		brand: toBrandHead(reading.brand),
		window,
		footprint: toFootprint(reading),
		share_of_voice: [],
		sentiment: toneOfMentions([]),
		signals: [],
		trends: [],
		co_mentions: [],
		timeline: [],
		risks: [],
		gaps: [noMentionsGap(reading.brand.name)],
		citations: [],
	};
}

async function toIntelligence(
	reading: BrandReading,
	compared: readonly BrandReading[],
	window: BrandWindow,
): Promise<BrandIntelligence> {
	const { brand, mentions } = reading;
	const citations = createBrandCitations();
	const signals = toSignals(mentions, window).slice(0, BRAND_LIMITS.signalsMax);
	const trends = await findTrends(brand, mentions, window);
	const silent = compared.filter((other) => other.mentions.length === 0);
	return {
		brand: toBrandHead(brand),
		window,
		footprint: toFootprint(reading),
		share_of_voice: shareVoice([reading, ...compared]),
		sentiment: toneOfMentions(mentions),
		signals: signals.map((signal) => toSignalWire(signal, citations)),
		trends: trends.map(({ trendId, name, role, momentum: { asOf, ...counts }, sentences }) => ({
			trend_id: trendId,
			name,
			role,
			momentum: { ...counts, as_of: asOf },
			evidence: citations.idsOf(sentences),
		})),
		co_mentions: findCoMentions(brand, mentions).map((other) => ({
			brand: other.brand.key,
			name: other.brand.name,
			mentions: other.mentions.length,
			share: other.share,
			evidence: citations.ofMentions(other.mentions),
		})),
		timeline: toBuckets(mentions, window)
			.buckets.filter((bucket) => bucket.mentions.length > 0)
			.map((bucket) => toBucketWire(bucket, citations)),
		risks: findRisks(mentions).map(({ kind, mention, sourcesIndependent }) => ({
			kind,
			statement: mention.sentence.text,
			date: mention.day,
			sources_independent: sourcesIndependent,
			evidence: citations.ofMentions([mention]),
		})),
		gaps: [...findGaps(reading, window), ...silent.map((other) => noMentionsGap(other.brand.name))],
		citations: [...citations.toWire()],
	};
}
