import type { Graphs } from "../../src/evidence/evidence.js";
import { ServiceError } from "../../src/kernel/kernel.js";
import { runInTurns } from "../../src/knowledge/knowledge.js";
import type { Brand } from "./brand-index.js";
import { BRAND_LIMITS } from "./brand-limits.js";
import { mentionsOf } from "./brand-mentions.js";
import { domainsOf, type FoundBrand, findBrand, nearBrands } from "./brand-names.js";
import { type BrandWindow, type DatedMention, withinWindow } from "./brand-window.js";

/** One brand and what is said of it in a window. */
export interface BrandReading extends FoundBrand {
	/** All of them, newest first. */
	readonly mentions: readonly DatedMention[];
}

/** A span such as 90d, or days; absent ones are open. */
export type WindowRequest =
	| string
	| { readonly from?: string | undefined; readonly to?: string | undefined }
	| undefined;

const DAY_MS = 86_400_000;
const DAYS_OF = { d: 1, w: 7, m: 30, y: 365 };

/** A span ends today and counts today: 1d is today alone; months have 30 days, years 365. No window ends after today. */
export function toWindow(request: WindowRequest, today: string): BrandWindow {
	if (request === undefined) return { from: null, to: today };
	if (typeof request !== "string") {
		const { from = null, to = today } = request;
		return { from, to: to < today ? to : today };
	}
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

/** Throws NOT_FOUND for the first unknown one, INVALID_ARGUMENT when two names are of one brand. */
export async function getBrands(
	catalog: Graphs,
	clues: readonly string[],
): Promise<readonly FoundBrand[]> {
	const found: FoundBrand[] = [];
	for (const clue of clues) {
		const one = await getBrand(catalog, clue);
		if (found.some(({ brand }) => brand === one.brand)) {
			throw new ServiceError(
				"INVALID_ARGUMENT",
				`"${clue.slice(0, 80)}" is ${one.brand.name} once more; name each brand once.`,
			);
		}
		found.push(one);
	}
	return found;
}

/** Reads what is read once for each revision of the catalog, before anybody pays. Throws as `getBrands` does. */
export async function makeBrandsReady(catalog: Graphs, clues: readonly string[]): Promise<void> {
	await getBrands(catalog, clues);
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
	const readings: BrandReading[] = [];
	for (const [place, found] of brands.entries()) {
		const mentions = await runInTurns(withinWindow(all[place] ?? [], window));
		readings.push({ ...found, mentions });
	}
	return readings;
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
