import { z } from "zod";
import {
	answer,
	noAnswer,
	PER_CALL,
	paidOperation,
	type SkillServices,
	toReply,
} from "../../src/contract/contract.js";
import { toIsoDay } from "../../src/kernel/kernel.js";
import {
	type BrandCitations,
	createBrandCitations,
	findGaps,
	toBrandMeta,
	toBucketWire,
	toSignalWire,
} from "./brand-answer.js";
import { groupByPublisher, toneCounts } from "./brand-breakdowns.js";
import { exampleBrand, hasBrands } from "./brand-index.js";
import { BRAND_LIMITS } from "./brand-limits.js";
import {
	type BrandReading,
	type BrandWindow,
	getBrand,
	makeBrandsReady,
	readBrands,
	toBrandHead,
	toWindow,
} from "./brand-reading.js";
import { type BucketSize, toBuckets, toSignals } from "./brand-signals.js";
import {
	BRAND_BILLING,
	brandField,
	brandReadingInput,
	brandSignalsOutput,
	brandSourcesOutput,
	brandTimelineInput,
	brandTimelineOutput,
	timelineQuery,
	windowQuery,
} from "./brand-wire.js";

interface ReadingInput {
	readonly brand: string;
	readonly window?: string | undefined;
	readonly from?: string | undefined;
	readonly to?: string | undefined;
	readonly bucket?: BucketSize | undefined;
}

/** One brand in one window, with the evidence cited so far. */
interface Reading {
	readonly reading: BrandReading;
	readonly window: BrandWindow;
	readonly citations: BrandCitations;
}

type Readings = Pick<SkillServices, "catalog" | "clock">;

/** A reading of one brand in one window. Where nothing is said there is no answer, and no figure of one. */
async function readBrand<Said extends { readonly items: readonly unknown[] }>(
	{ catalog, clock }: Readings,
	{ brand: clue, window: span, from, to, bucket }: ReadingInput,
	sayOf: (reading: Reading) => Said,
) {
	const startedMs = clock.monotonicMs();
	const window = toWindow(span ?? { from, to }, toIsoDay(clock.now()));
	const found = await getBrand(catalog, clue);
	const [reading = { ...found, mentions: [] }] = await readBrands(catalog, [found], window);
	const citations = createBrandCitations();
	const said = sayOf({ reading, window, citations });
	const isAnswer = said.items.length > 0;
	const gaps = isAnswer ? findGaps(reading, window, bucket) : [];
	const meta = toBrandMeta({
		query: clue,
		asOf: window.to,
		mentions: isAnswer ? reading.mentions : [],
		warnings: isAnswer
			? gaps.map(({ message }) => message)
			: [`Nothing of this kind is told of ${reading.brand.name} in the window.`],
		elapsedMs: clock.monotonicMs() - startedMs,
	});
	const brand = toBrandHead(reading.brand);
	const data = { brand, window, ...said, citations: [...citations.toWire()] };
	const result = { ok: true as const, data, meta };
	return isAnswer ? answer(result) : noAnswer(result);
}

/** What every reading of one brand has in common. */
const reading = {
	method: "GET",
	price: PER_CALL,
	params: z.strictObject({ brand: brandField }),
	capture: "onResult",
	queryOf: ({ brand }: ReadingInput) => brand,
	graphsOf: () => [],
} as const;
const workOf = ({ catalog }: Readings) => ({
	exampleInput: () => ({ brand: exampleBrand(catalog) }),
	isOffered: () => hasBrands(catalog),
	prepare: ({ brand }: ReadingInput) => makeBrandsReady(catalog, [brand]),
});

const UNPAID = "Not charged for a brand nobody knows, or of which nothing is said in the window.";
const params = { brand: "MCP" };

/** Dated events of a brand. Additive to the contract. */
export const brandSignals = paidOperation({
	...reading,
	id: "brands.signals",
	path: "/v1/brands/{brand}/signals",
	summary: "Signals of a brand",
	description: `Dated events and signals that mention it, and stretches in which unusually much was said, strongest first. ${BRAND_BILLING}`,
	query: windowQuery,
	reply: toReply("BrandSignalsReply", brandSignalsOutput),
	title: "Signals of a brand",
	about: `Dated events and signals that mention a brand, and stretches in which unusually much was said, strongest first. ${UNPAID}`,
	tags: ["brands", "signals"],
	examples: ["What happened to this product in the last two years?"],
	input: brandReadingInput,
	output: brandSignalsOutput,
	create: (services: Readings) => ({
		...workOf(services),
		run: (input) =>
			readBrand(services, input, ({ reading, window, citations }) => ({
				items: toSignals(reading.mentions, window)
					.slice(0, BRAND_LIMITS.signalsListed)
					.map((signal) => toSignalWire(signal, citations)),
			})),
	}),
	example: { params, query: { window: "2y" } },
});

/** How much is said of a brand over time. Additive to the contract. */
export const brandTimeline = paidOperation({
	...reading,
	id: "brands.timeline",
	path: "/v1/brands/{brand}/timeline",
	summary: "Timeline of a brand",
	description: `How much is said of it and in which tone, stretch by stretch, in order of time. ${BRAND_BILLING}`,
	query: timelineQuery,
	reply: toReply("BrandTimelineReply", brandTimelineOutput),
	title: "Timeline of a brand",
	about: `How much is said of a brand, and in which tone, stretch by stretch, in order of time; no more than ${BRAND_LIMITS.bucketsMax} stretches, the last ones. ${UNPAID}`,
	tags: ["brands", "timeline", "sentiment"],
	examples: ["Is more said of this product than a year ago?"],
	input: brandTimelineInput,
	output: brandTimelineOutput,
	create: (services: Readings) => ({
		...workOf(services),
		run: (input) =>
			readBrand(services, input, ({ reading, window, citations }) => {
				const { size, buckets } = toBuckets(reading.mentions, window, input.bucket);
				return { bucket: size, items: buckets.map((one) => toBucketWire(one, citations)) };
			}),
	}),
	example: { params, query: { window: "2y", bucket: "month" } },
});

/** Who publishes what is said of a brand. Additive to the contract. */
export const brandSources = paidOperation({
	...reading,
	id: "brands.sources",
	path: "/v1/brands/{brand}/sources",
	summary: "Who speaks of a brand",
	description: `Publishers whose pages carry what is said of it: how much, since when, in which tone. ${BRAND_BILLING}`,
	query: windowQuery,
	reply: toReply("BrandSourcesReply", brandSourcesOutput),
	title: "Who speaks of a brand",
	about: `Publishers whose pages carry what is said of a brand: how much, since when, in which tone. ${UNPAID}`,
	tags: ["brands", "sources"],
	examples: ["Which sources speak of this product, and how?"],
	input: brandReadingInput,
	output: brandSourcesOutput,
	create: (services: Readings) => ({
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
	example: { params, query: { window: "2y" } },
});
