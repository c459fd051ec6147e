import { answer, defineSkill, noAnswer, type Skill } from "../../src/contract/contract.js";
import { toIsoDay } from "../../src/kernel/kernel.js";
import type { CatalogSkillDeps } from "../graphs/graphs.js";
import {
	type BrandCitations,
	createBrandCitations,
	findGaps,
	toBrandMeta,
	toBucketWire,
	toSignalWire,
} from "./brand-answer.js";
import { groupByPublisher, toneCounts } from "./brand-breakdowns.js";
import { createBrandCompare } from "./brand-compare.js";
import { exampleBrand, hasBrands } from "./brand-index.js";
import { brandReadingInput, brandTimelineInput } from "./brand-input-wire.js";
import { createBrandIntelligence } from "./brand-intelligence.js";
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
import { brandSignalsOutput, brandSourcesOutput, brandTimelineOutput } from "./brand-wire.js";

/** Every skill that reads what is said of brands. */
export function createBrandReadings(deps: CatalogSkillDeps) {
	return {
		brand_intelligence: createBrandIntelligence(deps),
		"brands.signals": createBrandSignals(deps),
		"brands.timeline": createBrandTimeline(deps),
		"brands.sources": createBrandSources(deps),
		"brands.compare": createBrandCompare(deps),
	};
}

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

/** What every reading of one brand shares: who may not be unknown, what the window is, and that nothing said costs nothing. */
function readingOf({ catalog, clock }: CatalogSkillDeps) {
	return {
		example: () => ({ brand: exampleBrand(catalog) }),
		isOffered: () => hasBrands(catalog),
		prepare: ({ brand }: ReadingInput) => makeBrandsReady(catalog, [brand]),
		/** Where nothing is told there is no answer, and no figure of one. */
		read: async <Told extends { readonly items: readonly unknown[] }>(
			{ brand: clue, window: span, from, to, bucket }: ReadingInput,
			tell: (reading: Reading) => Told,
		) => {
			const startedMs = clock.monotonicMs();
			const window = toWindow(span ?? { from, to }, toIsoDay(clock.now()));
			const [reading] = await readBrands(catalog, [await getBrand(catalog, clue)], window);
			const { brand } = reading as BrandReading;
			const citations = createBrandCitations();
			const told = tell({ reading: reading as BrandReading, window, citations });
			const isTold = told.items.length > 0;
			const gaps = isTold ? findGaps(reading as BrandReading, window, bucket) : [];
			const meta = toBrandMeta({
				query: clue,
				asOf: window.to,
				mentions: isTold ? (reading as BrandReading).mentions : [],
				warnings: isTold
					? gaps.map(({ message }) => message)
					: [`Nothing of this kind is told of ${brand.name} in the window.`],
				elapsedMs: clock.monotonicMs() - startedMs,
			});
			const data = {
				brand: toBrandHead(brand),
				window,
				...told,
				citations: [...citations.toWire()],
			};
			const result = { ok: true as const, data, meta };
			return isTold ? answer(result) : noAnswer(result);
		},
	};
}

const about = { capture: "onResult", graphsOf: () => [] } as const;
const UNPAID = "Not charged for a brand nobody knows, or of which nothing is said in the window.";

const createBrandSignals = (deps: CatalogSkillDeps): Skill<"brands.signals"> => {
	const { example, isOffered, prepare, read } = readingOf(deps);
	return defineSkill({
		...about,
		operationId: "brands.signals",
		title: "Signals of a brand",
		description: `Dated events and signals that mention a brand, and stretches in which unusually much was said, strongest first. ${UNPAID}`,
		tags: ["brands", "signals"],
		examples: ["What happened to this product in the last two years?"],
		get exampleInput() {
			return example();
		},
		isOffered,
		input: brandReadingInput,
		output: brandSignalsOutput,
		queryOf: ({ brand }) => brand,
		prepare,
		run: (input) =>
			read(input, ({ reading, window, citations }) => ({
				items: toSignals(reading.mentions, window)
					.slice(0, BRAND_LIMITS.signalsListed)
					.map((signal) => toSignalWire(signal, citations)),
			})),
	});
};

const createBrandTimeline = (deps: CatalogSkillDeps): Skill<"brands.timeline"> => {
	const { example, isOffered, prepare, read } = readingOf(deps);
	return defineSkill({
		...about,
		operationId: "brands.timeline",
		title: "Timeline of a brand",
		description: `How much is said of a brand, and in which tone, stretch by stretch, in order of time; no more than ${BRAND_LIMITS.bucketsMax} stretches, the last ones. ${UNPAID}`,
		tags: ["brands", "timeline", "sentiment"],
		examples: ["Is more said of this product than a year ago?"],
		get exampleInput() {
			return example();
		},
		isOffered,
		input: brandTimelineInput,
		output: brandTimelineOutput,
		queryOf: ({ brand }) => brand,
		prepare,
		run: (input) =>
			read(input, ({ reading, window, citations }) => {
				const { size, buckets } = toBuckets(reading.mentions, window, input.bucket);
				const items = buckets.map((one) => toBucketWire(one, citations));
				return { bucket: size, items };
			}),
	});
};

const createBrandSources = (deps: CatalogSkillDeps): Skill<"brands.sources"> => {
	const { example, isOffered, prepare, read } = readingOf(deps);
	return defineSkill({
		...about,
		operationId: "brands.sources",
		title: "Who speaks of a brand",
		description: `Publishers whose pages carry what is said of a brand: how much, since when, in which tone. ${UNPAID}`,
		tags: ["brands", "sources"],
		examples: ["Which sources speak of this product, and how?"],
		get exampleInput() {
			return example();
		},
		isOffered,
		input: brandReadingInput,
		output: brandSourcesOutput,
		queryOf: ({ brand }) => brand,
		prepare,
		run: (input) =>
			read(input, ({ reading, citations }) => {
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
	});
};
