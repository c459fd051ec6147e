import { z } from "zod";
import { paidOperation, toReply } from "../../src/contract/contract.js";
import { toIsoDay } from "../../src/kernel/kernel.js";
import { answerIf } from "../graphs/graphs.js";
import {
	type BrandCitations,
	createBrandCitations,
	findGaps,
	noMentionsGap,
	toBrandMeta,
	toBucketWire,
	toSignalWire,
} from "./brand-answer.js";
import {
	groupByPublisher,
	shareVoice,
	TONE_METHOD,
	toneCounts,
	toneOfMentions,
} from "./brand-figures.js";
import { BRAND_LIMITS, exampleBrand, getBrand, hasBrands } from "./brand-index.js";
import type { BrandServices } from "./brand-mentions.js";
import {
	type BrandReading,
	type BrandWindow,
	getBrands,
	makeBrandsReady,
	measureFootprint,
	readBrands,
	toBrandHead,
	toWindow,
} from "./brand-reading.js";
import { toBuckets, toSignals } from "./brand-signals.js";
import {
	BRAND_BILLING,
	brandField,
	brandReadingInput,
	brandSignalsOutput,
	brandSourcesOutput,
	brandTimelineInput,
	brandTimelineOutput,
	compareInput,
	compareOutput,
	timelineQuery,
	windowQuery,
} from "./brand-wire.js";

type ReadingInput = z.output<typeof brandTimelineInput>;

/** One brand in one window, with the evidence cited so far. */
interface Reading {
	readonly reading: BrandReading;
	readonly window: BrandWindow;
	readonly citations: BrandCitations;
}

/** A reading of one brand in one window. Where nothing is said there is no answer, and no figure of one. */
async function readBrand<Said extends { readonly items: readonly unknown[] }>(
	services: BrandServices,
	{ brand: clue, window: span, from, to, bucket }: ReadingInput,
	sayOf: (reading: Reading) => Said,
) {
	const { catalog, clock } = services;
	const startedMs = clock.monotonicMs();
	const window = toWindow(span ?? { from, to }, toIsoDay(clock.now()));
	const found = await getBrand(catalog, clue);
	const [reading = { ...found, mentions: [] }] = await readBrands(services, [found], window);
	const citations = createBrandCitations();
	const said = sayOf({ reading, window, citations });
	const isAnswer = said.items.length > 0;
	const gaps = isAnswer ? findGaps(reading, window, bucket) : [];
	const meta = toBrandMeta(isAnswer ? reading.mentions : [], {
		query: clue,
		as_of: window.to,
		warnings: isAnswer
			? gaps.map(({ message }) => message)
			: [`Nothing of this kind is told of ${reading.brand.name} in the window.`],
		execution_time_ms: clock.monotonicMs() - startedMs,
	});
	const brand = toBrandHead(reading.brand);
	const data = { brand, window, ...said, citations: [...citations.toWire()] };
	return answerIf(isAnswer, { ok: true as const, data, meta });
}

/** What every reading of one brand has in common. */
const reading = {
	params: z.strictObject({ brand: brandField }),
	queryOf: ({ brand }: ReadingInput) => brand,
} as const;
const workOf = (services: BrandServices) => ({
	exampleInput: () => ({ brand: exampleBrand(services.catalog) }),
	isOffered: () => hasBrands(services.catalog),
	prepare: ({ brand }: ReadingInput) => makeBrandsReady(services, [brand]),
});

const UNPAID = "Not charged for a brand nobody knows, or of which nothing is said in the window.";
const params = { brand: "Apple" };

/** Dated events of a brand. Additive to the contract. */
export const brandSignals = paidOperation({
	...reading,
	id: "brands.signals",
	at: "GET /v1/brands/{brand}/signals",
	summary: "Signals of a brand",
	description: `Dated events and signals that mention it, and stretches in which unusually much was said, strongest first. ${BRAND_BILLING}`,
	query: windowQuery,
	reply: toReply("BrandSignalsReply", brandSignalsOutput),
	about: `Dated events and signals that mention a brand, and stretches in which unusually much was said, strongest first. ${UNPAID}`,
	tags: ["brands", "signals"],
	examples: ["What happened to this product in the last two years?"],
	input: brandReadingInput,
	output: brandSignalsOutput,
	create: (services: BrandServices) => ({
		...workOf(services),
		run: (input) =>
			readBrand(services, input, ({ reading, window, citations }) => ({
				items: toSignals(reading.mentions, window)
					.slice(0, BRAND_LIMITS.signalsListed)
					.map((signal) => toSignalWire(signal, citations)),
			})),
	}),
	example: { params },
});

/** How much is said of a brand over time. Additive to the contract. */
export const brandTimeline = paidOperation({
	...reading,
	id: "brands.timeline",
	at: "GET /v1/brands/{brand}/timeline",
	summary: "Timeline of a brand",
	description: `How much is said of it and in which tone, stretch by stretch, in order of time. ${BRAND_BILLING}`,
	query: timelineQuery,
	reply: toReply("BrandTimelineReply", brandTimelineOutput),
	about: `How much is said of a brand, and in which tone, stretch by stretch, in order of time; no more than ${BRAND_LIMITS.bucketsMax} stretches, the last ones. ${UNPAID}`,
	tags: ["brands", "timeline", "sentiment"],
	examples: ["Is more said of this product than a year ago?"],
	input: brandTimelineInput,
	output: brandTimelineOutput,
	create: (services: BrandServices) => ({
		...workOf(services),
		run: (input) =>
			readBrand(services, input, ({ reading, window, citations }) => {
				const { size, buckets } = toBuckets(reading.mentions, window, input.bucket);
				return { bucket: size, items: buckets.map((one) => toBucketWire(one, citations)) };
			}),
	}),
	example: { params, query: { bucket: "year" } },
});

/** Who publishes what is said of a brand. Additive to the contract. */
export const brandSources = paidOperation({
	...reading,
	id: "brands.sources",
	at: "GET /v1/brands/{brand}/sources",
	summary: "Who speaks of a brand",
	description: `Publishers whose pages carry what is said of it: how much, since when, in which tone. ${BRAND_BILLING}`,
	query: windowQuery,
	reply: toReply("BrandSourcesReply", brandSourcesOutput),
	about: `Publishers whose pages carry what is said of a brand: how much, since when, in which tone. ${UNPAID}`,
	tags: ["brands", "sources"],
	examples: ["Which sources speak of this product, and how?"],
	input: brandReadingInput,
	output: brandSourcesOutput,
	create: (services: BrandServices) => ({
		...workOf(services),
		run: (input) =>
			readBrand(services, input, ({ reading, citations }) => {
				const publishers = groupByPublisher(reading.mentions);
				const items = publishers
					.slice(0, BRAND_LIMITS.sourcesListed)
					.map(({ mentions, sentiment, ...publisher }) => ({
						...publisher,
						mentions: mentions.length,
						sentiment: toneCounts(sentiment),
						evidence: citations.ofMentions(mentions.slice(0, 2)),
						citation_ids: citations.numbersOf(mentions.slice(0, 2)),
					}));
				return { items, is_complete: items.length === publishers.length };
			}),
	}),
	example: { params },
});

/** Several brands side by side. Additive to the contract. */
export const brandComparison = paidOperation({
	id: "brands.compare",
	at: "POST /v1/brands/compare",
	summary: "Compare brands",
	description: `Share of voice of up to six brands with its intervals, footprints and tone side by side, and what is said of two of them in one sentence. ${BRAND_BILLING}`,
	body: compareInput,
	reply: toReply("BrandCompareReply", compareOutput),
	about: `Share of voice of 2 to ${BRAND_LIMITS.comparedMax} brands with its intervals, their footprints and tone side by side, and what is said of two of them in one sentence. Not charged when one is unknown, or nothing is said of any in the window.`,
	tags: ["brands", "share of voice", "comparison"],
	examples: ["Of which of these two products is more said, and how?"],
	output: compareOutput,
	queryOf: ({ brands }) => brands.join("\n"),
	create: (services: BrandServices) => ({
		exampleInput: () => ({
			brands: [exampleBrand(services.catalog), exampleBrand(services.catalog, 1)],
		}),
		isOffered: () => hasBrands(services.catalog, 2),
		prepare: ({ brands }) => makeBrandsReady(services, brands),
		async run({ brands: clues, window: asked }) {
			const { catalog, clock } = services;
			const startedMs = clock.monotonicMs();
			const window = toWindow(asked, toIsoDay(clock.now()));
			const readings = await readBrands(services, await getBrands(catalog, clues), window);
			const citations = createBrandCitations();
			const silent = readings.filter(({ mentions }) => mentions.length === 0);
			const all = readings.flatMap(({ mentions }) => mentions);
			const data = {
				window,
				share_of_voice: shareVoice(readings),
				brands: readings.map((reading) => toCompared(reading, citations)),
				together: findTogether(readings, citations),
				sentiment_method: TONE_METHOD,
				gaps: silent.map(({ brand }) => noMentionsGap(brand.name)),
				citations: [...citations.toWire()],
			};
			const meta = toBrandMeta(all, {
				query: clues.join(", "),
				as_of: window.to,
				warnings: data.gaps.map(({ message }) => message),
				execution_time_ms: clock.monotonicMs() - startedMs,
			});
			return answerIf(all.length > 0, { ok: true, data, meta });
		},
	}),
	example: { body: { brands: ["Apple", "Visa"] } },
});

function toCompared({ brand, mentions }: BrandReading, citations: BrandCitations) {
	const { method, ...sentiment } = toneOfMentions(mentions);
	return {
		brand: brand.key,
		name: brand.name,
		...measureFootprint(mentions),
		sentiment,
		evidence: citations.ofMentions(mentions.slice(0, 3)),
	};
}

function findTogether(readings: readonly BrandReading[], citations: BrandCitations) {
	const pairs = readings.flatMap((one, place) =>
		readings.slice(place + 1).map((other) => ({
			brands: [one.brand.key, other.brand.key],
			both: one.mentions.filter(({ links }) => links.has(other.brand)),
		})),
	);
	return pairs.flatMap(({ brands, both }) =>
		both.length === 0
			? []
			: [{ brands, mentions: both.length, evidence: citations.ofMentions(both) }],
	);
}
