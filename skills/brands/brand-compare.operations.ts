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
	noMentionsGap,
	toBrandMeta,
} from "./brand-answer.js";
import { shareVoice, toneOfMentions } from "./brand-breakdowns.js";
import { exampleBrand, hasBrands } from "./brand-index.js";
import { BRAND_LIMITS } from "./brand-limits.js";
import {
	type BrandReading,
	getBrands,
	makeBrandsReady,
	measureFootprint,
	readBrands,
	toWindow,
} from "./brand-reading.js";
import { TONE_METHOD } from "./brand-tone.js";
import { BRAND_BILLING, compareInput, compareOutput } from "./brand-wire.js";

/** Several brands side by side. Additive to the contract. */
export const brandComparison = paidOperation({
	id: "brands.compare",
	method: "POST",
	path: "/v1/brands/compare",
	price: PER_CALL,
	summary: "Compare brands",
	description: `Share of voice of up to six brands with its intervals, footprints and tone side by side, and what is said of two of them in one sentence. ${BRAND_BILLING}`,
	body: compareInput,
	reply: toReply("BrandCompareReply", compareOutput),
	title: "Compare brands",
	about: `Share of voice of 2 to ${BRAND_LIMITS.comparedMax} brands with its intervals, their footprints and tone side by side, and what is said of two of them in one sentence. Not charged when one is unknown, or nothing is said of any in the window.`,
	tags: ["brands", "share of voice", "comparison"],
	examples: ["Of which of these two products is more said, and how?"],
	input: compareInput,
	output: compareOutput,
	capture: "onResult",
	queryOf: ({ brands }) => brands.join("\n"),
	graphsOf: () => [],
	create: ({ catalog, clock }: Pick<SkillServices, "catalog" | "clock">) => ({
		exampleInput: () => ({ brands: [exampleBrand(catalog), exampleBrand(catalog, 1)] }),
		isOffered: () => hasBrands(catalog, 2),
		prepare: ({ brands }) => makeBrandsReady(catalog, brands),
		async run({ brands: clues, window: asked }) {
			const startedMs = clock.monotonicMs();
			const window = toWindow(asked, toIsoDay(clock.now()));
			const readings = await readBrands(catalog, await getBrands(catalog, clues), window);
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
			const meta = toBrandMeta({
				query: clues.join(", "),
				asOf: window.to,
				mentions: all,
				warnings: data.gaps.map(({ message }) => message),
				elapsedMs: clock.monotonicMs() - startedMs,
			});
			const result = { ok: true as const, data, meta };
			return all.length > 0 ? answer(result) : noAnswer(result);
		},
	}),
	example: { body: { brands: ["MCP", "Linux kernel"], window: "2y" } },
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
			both: one.mentions.filter(({ brands }) => brands.includes(other.brand)),
		})),
	);
	return pairs
		.filter(({ both }) => both.length > 0)
		.map(({ brands, both }) => ({
			brands,
			mentions: both.length,
			evidence: citations.ofMentions(both),
		}));
}
