import { z } from "zod";
import {
	answer,
	keptUntil,
	paidOperation,
	type SkillServices,
	toReply,
} from "../../src/contract/contract.js";
import { toIsoDay } from "../../src/kernel/kernel.js";
import { toMarks } from "../answers/answers.js";
import { toBrandMeta } from "./brand-answer.js";
import {
	BRAND_LIMITS,
	brandIndexOf,
	exampleBrand,
	type FoundBrand,
	getBrand,
	hasBrands,
} from "./brand-index.js";
import { type BrandServices, mentionsByBrand } from "./brand-mentions.js";
import { assertSold, countOf } from "./brand-minimum.js";
import {
	type BrandReading,
	getBrands,
	readBrands,
	toWindow,
	type WindowRequest,
} from "./brand-reading.js";
import { toBrandReport } from "./brand-report.js";
import { intelligenceOutput } from "./brand-report-wire.js";
import { findRisks } from "./brand-risks.js";
import { summarizeBrand } from "./brand-summary.js";
import {
	BRAND_BILLING,
	BRAND_MINIMUM,
	BRAND_RULE,
	brandField,
	intelligenceBody,
	intelligenceInput,
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
				"What an organization or product is and does, and what all graphs say of it: mentions, owners, share of voice, timeline, risks.",
			fields: { brand: "Name, domain or ticker", window: "How far back, e.g. 90d, 12m, 2y" },
		},
	},
	summary: "Brand intelligence",
	description: `What an organization or product is and does in a few cited passages, then its footprint, share of voice, tone, signals, trends, co-mentions, timeline and risks over all graphs. Every figure names the mentions that it is counted from, and all mentions are listed; who is meant by a name is decided by what stands around it. ${BRAND_RULE} The path takes a key, name, other name, domain or ticker symbol. ${BRAND_BILLING} So does one with too little to sell: ${BRAND_MINIMUM}.`,
	params: z.strictObject({ brand: brandField }),
	body: intelligenceBody,
	reply: toReply("BrandIntelligenceReply", intelligenceOutput),
	about: `What an organization or product is and does, and what all graphs say of it: mentions and their independent owners, first and last seen, share of voice, tone by rules, dated signals, trends, who it is named with, a timeline, and risks as a model reads them, each figure with its mentions. An unknown brand is not charged; ${BRAND_MINIMUM}, not charged either.`,
	tags: ["brands", "share of voice", "signals"],
	examples: ["What is Apple, what is said of it, and which risks does it have?"],
	input: intelligenceInput,
	output: intelligenceOutput,
	queryOf: ({ brand }) => brand,
	toText: ({ data: { brand, summary, footprint, risks, sources, window } }) => {
		const cited = new Set(summary.flatMap((passage) => passage.sources));
		return [
			...summary.map((passage) => `${passage.text} ${toMarks(passage.sources)}`),
			`${brand.name}: ${countOf(footprint.mentions, "mention")} in ${countOf(footprint.graphs, "graph")}, by ${countOf(footprint.sources_independent, "independent owner")} of sources, up to ${window.to}.`,
			...risks.map(({ claim, statement }) =>
				statement === null ? claim : `${claim} "${statement}"`,
			),
			...sources
				.filter(({ n }) => cited.has(n))
				.map(({ n, title, source_url: url }) => `[${n}] ${title} ${url}`),
		].join("\n");
	},
	create: (services: BrandServices & Pick<SkillServices, "research">) => ({
		exampleInput: () => ({ brand: exampleBrand(services.catalog) }),
		isOffered: () => hasBrands(services.catalog),
		async prepare({ brand, window, compare_with: others = [] }) {
			await getBrands(services.catalog, [brand, ...others]);
			await readAsked(services, brand, window);
		},
		async run({ brand: clue, window: asked, compare_with: others }, context) {
			const { catalog, search, clock, research } = services;
			const { signal } = context;
			const startedMs = clock.monotonicMs();
			const { reading, window } = await readAsked(services, clue, asked);
			const peers = others ? await getBrands(catalog, others) : await peersOf(services, reading);
			const compared = await readBrands(services, peers, window);
			signal.throwIfAborted();
			const read = reading.mentions.filter(({ isRead }) => isRead);
			const [summary, risks] = await Promise.all([
				summarizeBrand(search, reading, signal),
				findRisks(search, reading.brand, read, signal),
			]);
			const data = {
				report_id: research.resultIds("brd", context),
				kept_until: keptUntil(clock, context),
				...(await toBrandReport({ reading, compared, window, summary, risks })),
			};
			const keep = { kind: "brand" as const, id: data.report_id, data };
			const meta = toBrandMeta(reading.mentions, {
				query: clue,
				as_of: window.to,
				warnings: data.gaps.map(({ message }) => message),
				execution_time_ms: clock.monotonicMs() - startedMs,
			});
			const result = { ok: true as const, data, meta };
			return answer(result, data.kept_until === null ? {} : { keep });
		},
	}),
	example: { params: { brand: "Apple" }, body: {} },
});

/** Throws NOT_FOUND below the minimum: before payment, and where the graphs have changed since then. */
async function readAsked(services: BrandServices, clue: string, asked: WindowRequest) {
	const window = toWindow(asked, toIsoDay(services.clock.now()));
	const found = await getBrand(services.catalog, clue);
	const [reading] = (await readBrands(services, [found], window)) as [BrandReading];
	assertSold(reading, window, await mentionsByBrand(services));
	return { reading, window };
}

/** Those of which most is said: of the brands of one kind in the same graphs, or of all of that kind where it is alone there. */
async function peersOf(
	services: BrandServices,
	{ brand }: FoundBrand,
): Promise<readonly FoundBrand[]> {
	const graphs = new Set(brand.nodes.map(({ graph }) => graph.record.id));
	const { brands } = await brandIndexOf(services.catalog);
	const all = brands.filter((other) => other !== brand && other.kind === brand.kind);
	const beside = all.filter(({ nodes }) => nodes.some(({ graph }) => graphs.has(graph.record.id)));
	const near = beside.length > 0 ? beside : all;
	const mentions = await mentionsByBrand(services);
	const ranked = near
		.map((other) => ({ other, total: mentions.get(other)?.length ?? 0 }))
		.sort((a, b) => b.total - a.total);
	const most = ranked.slice(0, BRAND_LIMITS.compareWithMax);
	return most.map(({ other }) => ({ brand: other, others: [] }));
}
