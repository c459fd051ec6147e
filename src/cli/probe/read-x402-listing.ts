import {
	type AdvertisedRoute,
	isWire,
	textOf,
	usdOf,
	type Wire,
	wiresOf,
} from "./advertised-route.js";

const SOURCE = "/.well-known/x402";

/** Paid routes of `/.well-known/x402`: our own items, entries that are objects, or a plain list of addresses. */
export function readX402Listing(listing: Wire, origin: string): readonly AdvertisedRoute[] {
	const items = wiresOf(listing["items"]);
	if (items.length > 0) return items.flatMap((item) => fromItem(item, origin));
	const resources: readonly unknown[] = Array.isArray(listing["resources"])
		? listing["resources"]
		: [];
	return resources.flatMap((resource) => {
		if (isWire(resource)) return fromItem(resource, origin);
		const url = toUrl(resource, origin);
		return url ? [toRoute({ url, method: undefined, label: `* ${url.pathname}` })] : [];
	});
}

function fromItem(item: Wire, origin: string): readonly AdvertisedRoute[] {
	const url = toUrl(item["url"] ?? item["resource"] ?? item["path"], origin);
	if (!url) return [];
	const method = item["method"] === "GET" ? "GET" : item["method"] === "POST" ? "POST" : undefined;
	const template = toUrl(item["url_template"], origin) ?? url;
	const input = item["example_input"];
	return [
		{
			...toRoute({ url, method, label: `${method ?? "*"} ${decode(template.pathname)}` }),
			...(isWire(input) && method !== "GET" && { body: JSON.stringify(input) }),
			pricesUsd: priceOf(usdOf(item["price_usd"] ?? item["price"])),
			takesX402: takesX402(item["accepts"]),
		},
	];
}

function toRoute({
	url,
	method,
	label,
}: {
	readonly url: URL;
	readonly method: "GET" | "POST" | undefined;
	readonly label: string;
}): AdvertisedRoute {
	return { sources: [SOURCE], label, method, url: url.href, pricesUsd: {}, takesX402: true };
}

/** As a person writes it, where it can be read at all. */
function decode(path: string): string {
	try {
		return decodeURI(path);
	} catch {
		return path;
	}
}

/** Without a list of requirements the document's name says it; an empty list says no. */
function takesX402(accepts: unknown): boolean {
	if (Array.isArray(accepts)) return accepts.length > 0;
	if (!isWire(accepts)) return true;
	return Object.values(accepts).some((list) => Array.isArray(list) && list.length > 0);
}

function priceOf(usd: string | undefined): Readonly<Record<string, string>> {
	return usd === undefined ? {} : { [SOURCE]: usd };
}

function toUrl(value: unknown, origin: string): URL | undefined {
	const text = textOf(value);
	return text !== undefined && URL.canParse(text, origin) ? new URL(text, origin) : undefined;
}
