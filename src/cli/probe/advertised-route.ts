/** The probe: asks any server, unpaid, whether the prices it advertises are answered by valid challenges. */

/** One way in that a server says costs money. */
export interface AdvertisedRoute {
	/** Documents that name it, e.g. ["/.well-known/x402", "/openapi.json"]. */
	readonly sources: readonly string[];
	/** What a person calls it: method and path template, or a skill. */
	readonly label: string;
	/** Undefined where the document names an address alone. */
	readonly method: "GET" | "POST" | undefined;
	/** Absolute; undefined with `unready` saying why no request can be made. */
	readonly url: string | undefined;
	readonly unready?: string | undefined;
	readonly body?: string | undefined;
	readonly headers?: Readonly<Record<string, string>> | undefined;
	/** Decimal USD by document; two documents may disagree. */
	readonly pricesUsd: Readonly<Record<string, string>>;
	/** True when the document says that x402 pays for it. */
	readonly takesX402: boolean;
	/** True when every document that names it says that it takes a credential, too. */
	readonly mayAskWho?: boolean | undefined;
}

/** A JSON document as it was found. */
export type Wire = Readonly<Record<string, unknown>>;

export function isWire(value: unknown): value is Wire {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function wiresOf(value: unknown): readonly Wire[] {
	return Array.isArray(value) ? value.filter(isWire) : [];
}

export function textOf(value: unknown): string | undefined {
	return typeof value === "string" && value !== "" ? value : undefined;
}

/** A price as documents write it (0.5, "0.50", "$0.50"), in decimal USD; undefined for anything else. */
export function usdOf(value: unknown): string | undefined {
	const text = typeof value === "number" ? String(value) : textOf(value)?.replace(/^\$/, "");
	return text !== undefined && /^\d{1,12}(\.\d{1,6})?$/.test(text) ? text : undefined;
}

/** One route that several documents name is asked once; the first document says how, all say for how much. */
export function mergeRoutes(routes: readonly AdvertisedRoute[]): readonly AdvertisedRoute[] {
	const merged = new Map<string, AdvertisedRoute>();
	for (const route of routes) {
		const known = merged.get(route.label);
		merged.set(route.label, known ? join(known, route) : route);
	}
	return [...merged.values()];
}

function join(first: AdvertisedRoute, second: AdvertisedRoute): AdvertisedRoute {
	const how = first.url === undefined ? second : first;
	return {
		...how,
		sources: [...new Set([...first.sources, ...second.sources])],
		pricesUsd: { ...first.pricesUsd, ...second.pricesUsd },
		takesX402: first.takesX402 || second.takesX402,
		mayAskWho: first.mayAskWho && second.mayAskWho,
	};
}
