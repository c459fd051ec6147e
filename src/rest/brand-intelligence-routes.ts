import { z } from "zod";
import {
	brandField,
	brandSignalsOutput,
	brandSourceSchema,
	brandSourcesOutput,
	brandTimelineOutput,
	bucketField,
	checkWindow,
	comparedBrandSchema,
	compareFields,
	compareOutput,
	intelligenceFields,
	intelligenceOutput,
	intelligenceSchema,
	signalSchema,
	windowQueryFields,
} from "../../skills/brands/brands.js";
import type { PaidOperationId } from "../contract/contract.js";
import { replyComponent, requestComponent, toDataReply, toReply } from "../contract/contract.js";
import {
	BRAND_BUCKET,
	BRAND_CITATIONS,
	BRAND_COMPARISON,
	BRAND_HEAD,
	BRAND_INTELLIGENCE,
	BRAND_META,
	BRAND_PUBLISHER,
	BRAND_SIGNAL,
	BRAND_WINDOW,
} from "./brand-examples.js";
import { createReadings } from "./reading-routes.js";
import type { PaidRoute } from "./route.js";

type BrandReadingId = Extract<PaidOperationId, "brand_intelligence" | `brands.${string}`>;

replyComponent("BrandIntelligence", intelligenceSchema);
replyComponent("BrandSignal", signalSchema);
replyComponent("BrandPublisher", brandSourceSchema);
replyComponent("ComparedBrand", comparedBrandSchema);

const nothing = z.strictObject({});
const path = z.strictObject({ brand: brandField });
const { bucket, ...windowQuery } = { ...windowQueryFields, bucket: bucketField.optional() };
const head = { brand: BRAND_HEAD, window: BRAND_WINDOW };
const BILLING =
	"Paid per call; an unknown brand, and one of which nothing is said in the window, cost nothing.";

const reading = createReadings<BrandReadingId>({ path, billing: BILLING });

/** What all graphs say of brands. Spec: Endpoints, paid operations; the readings are additive to the contract. */
export const BRAND_READING_ROUTES: Readonly<Record<BrandReadingId, PaidRoute>> = {
	brand_intelligence: reading("brand_intelligence", {
		summary: "Brand intelligence",
		description:
			"Footprint, share of voice, tone, signals, trends, co-mentions, timeline and risks of a brand over all graphs, each with its evidence. The path takes a key, name, other name, domain or ticker symbol.",
		body: requestComponent("BrandIntelligenceRequest", z.strictObject(intelligenceFields)),
		reply: toReply("BrandIntelligenceReply", intelligenceOutput),
		example: {
			path: { brand: "MCP" },
			body: { window: "2y", compare_with: ["Linux kernel"] },
			reply: toDataReply(BRAND_INTELLIGENCE, BRAND_META),
		},
	}),
	"brands.signals": reading("brands.signals", {
		summary: "Signals of a brand",
		description:
			"Dated events and signals that mention it, and stretches in which unusually much was said, strongest first.",
		query: checkWindow(z.strictObject(windowQuery)),
		reply: toReply("BrandSignalsReply", brandSignalsOutput),
		example: {
			path: { brand: "MCP" },
			query: { window: "2y" },
			reply: toDataReply(
				{ ...head, items: [BRAND_SIGNAL], citations: BRAND_CITATIONS },
				BRAND_META,
			),
		},
	}),
	"brands.timeline": reading("brands.timeline", {
		summary: "Timeline of a brand",
		description: "How much is said of it and in which tone, stretch by stretch, in order of time.",
		query: checkWindow(z.strictObject({ ...windowQuery, bucket })),
		reply: toReply("BrandTimelineReply", brandTimelineOutput),
		example: {
			path: { brand: "MCP" },
			query: { window: "2y", bucket: "month" },
			reply: toDataReply(
				{ ...head, bucket: "month", items: [BRAND_BUCKET], citations: BRAND_CITATIONS },
				BRAND_META,
			),
		},
	}),
	"brands.sources": reading("brands.sources", {
		summary: "Who speaks of a brand",
		description:
			"Publishers whose pages carry what is said of it: how much, since when, in which tone.",
		query: checkWindow(z.strictObject(windowQuery)),
		reply: toReply("BrandSourcesReply", brandSourcesOutput),
		example: {
			path: { brand: "MCP" },
			query: { window: "2y" },
			reply: toDataReply(
				{
					...head,
					items: [BRAND_PUBLISHER],
					is_complete: true,
					citations: BRAND_CITATIONS,
				},
				BRAND_META,
			),
		},
	}),
	"brands.compare": reading("brands.compare", {
		summary: "Compare brands",
		description:
			"Share of voice of up to six brands with its intervals, footprints and tone side by side, and what is said of two of them in one sentence.",
		path: nothing,
		body: requestComponent("BrandCompareRequest", z.strictObject(compareFields)),
		reply: toReply("BrandCompareReply", compareOutput),
		example: {
			body: { brands: ["MCP", "Linux kernel"], window: "2y" },
			reply: toDataReply(BRAND_COMPARISON, BRAND_META),
		},
	}),
};
