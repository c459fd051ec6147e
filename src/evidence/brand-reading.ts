import { BRAND_LIMITS } from "../core/brand-limits.js";
import { ServiceError } from "../core/errors.js";
import { type BrandMentions, mentionsOf } from "./brand-mentions.js";
import { domainsOf, type FoundBrand, findBrand, nearBrands } from "./brand-names.js";
import { type BrandWindow, type DatedMention, withinWindow } from "./brand-window.js";
import type { Brand } from "./brands.js";
import type { Graphs } from "./catalog-index.js";

/** One brand and what is said of it in a window. */
export interface BrandReading extends FoundBrand {
	/** Newest first. */
	readonly mentions: readonly DatedMention[];
	/** Mentions at any time, and how many of them were read. */
	readonly total: number;
	readonly read: number;
}

/** A span such as 90d, or days; absent ones are open. */
export type WindowRequest =
	| string
	| { readonly from?: string | undefined; readonly to?: string | undefined }
	| undefined;

const DAY_MS = 86_400_000;
const DAYS_OF = { d: 1, w: 7, m: 30, y: 365 };

/** A span ends today and counts today: 1d is today alone; months have 30 days, years 365. */
export function toWindow(request: WindowRequest, today: string): BrandWindow {
	if (request === undefined) return { from: null, to: today };
	if (typeof request !== "string") return { from: request.from ?? null, to: request.to ?? today };
	const unit = DAYS_OF[request.slice(-1) as keyof typeof DAYS_OF];
	const days = Math.min(Number.parseInt(request, 10) * unit, BRAND_LIMITS.windowDaysMax);
	const from = new Date(Date.parse(today) - (days - 1) * DAY_MS).toISOString().slice(0, 10);
	return { from, to: today };
}

/** Throws NOT_FOUND, with near names. */
export async function getBrand(catalog: Graphs, clue: string): Promise<FoundBrand> {
	const found = await findBrand(catalog, clue);
	if (found) return found;
	const near = (await nearBrands(catalog, clue)).join(", ");
	throw new ServiceError(
		"NOT_FOUND",
		`No brand is called "${clue.slice(0, 80)}"; ${near === "" ? "GET /v1/brands lists them" : `near it ${near}`}.`,
	);
}

/** Reads what is read once for each revision of the catalog, before anybody pays. Throws NOT_FOUND as `getBrand` does. */
export async function makeBrandsReady(catalog: Graphs, clues: readonly string[]): Promise<void> {
	for (const clue of clues) await getBrand(catalog, clue);
	await mentionsOf(catalog, []);
}

/** In the order they were asked for. */
export async function readBrands(
	catalog: Graphs,
	brands: readonly FoundBrand[],
	window: BrandWindow,
): Promise<readonly BrandReading[]> {
	const all = await mentionsOf(
		catalog,
		brands.map(({ brand }) => brand),
	);
	return brands.map((found, place) => {
		const own: BrandMentions = all[place] ?? { mentions: [], total: 0 };
		const mentions = withinWindow(own, window);
		return { ...found, mentions, total: own.total, read: own.mentions.length };
	});
}

/** Who it is, without what is said. */
export function toBrandHead(brand: Brand) {
	const { key, name, nodes } = brand;
	const others = nodes.flatMap(({ concept: { title, aliases } }) => [title, ...aliases]);
	const aliases = [...new Set(others)].filter((other) => other !== name);
	return {
		id: key,
		name,
		aliases: aliases.slice(0, BRAND_LIMITS.namesTold),
		domains: domainsOf(brand).slice(0, BRAND_LIMITS.namesTold),
		kind: nodes[0]?.concept.type ?? "",
	};
}
