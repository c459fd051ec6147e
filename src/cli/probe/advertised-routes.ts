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
	...named
}: Pick<AdvertisedRoute, "method" | "label"> & { readonly url: URL }): AdvertisedRoute {
	return { sources: [SOURCE], ...named, url: url.href, pricesUsd: {}, takesX402: true };
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

export const AGENT_CARD_PATH = "/.well-known/agent-card.json";

/** Skills of an agent card that carry a price in one of its extensions, each as one unpaid message over JSON-RPC. */
export function readAgentCard(card: Wire, origin: string): readonly AdvertisedRoute[] {
	const rpc = findRpc(card, origin);
	if (!rpc) return [];
	const capabilities = isWire(card["capabilities"]) ? card["capabilities"] : {};
	return wiresOf(capabilities["extensions"])
		.flatMap((extension) =>
			wiresOf(isWire(extension["params"]) ? extension["params"]["offers"] : undefined),
		)
		.flatMap((offer) => {
			const id = textOf(offer["id"]);
			const price = usdOf(offer["price_usd"]);
			if (id === undefined || price === undefined || Number(price) === 0) return [];
			return [
				{
					sources: [AGENT_CARD_PATH],
					label: `A2A ${id}`,
					method: "POST" as const,
					url: rpc.url,
					headers: { "A2A-Version": rpc.version },
					body: toMessage(rpc.version, { skill: id, input: offer["example_input"] ?? {} }),
					// The price of one unit is not that of an example which asks for several.
					pricesUsd: textOf(offer["price_per"]) ? {} : { [AGENT_CARD_PATH]: price },
					takesX402: false,
				},
			];
		});
}

function findRpc(card: Wire, origin: string) {
	const found = wiresOf(card["supportedInterfaces"]).find(
		(way) => way["protocolBinding"] === "JSONRPC",
	);
	const url = textOf(found ? found["url"] : card["url"]);
	if (url === undefined || !URL.canParse(url, origin)) return undefined;
	const version = textOf(found?.["protocolVersion"]) ?? "0.3";
	return { url: new URL(url, origin).href, version };
}

/** One message with a data part, as the protocol's version writes it. */
function toMessage(version: string, data: unknown): string {
	const isOld = version.startsWith("0.");
	const message = isOld
		? { kind: "message", messageId: "probe", role: "user", parts: [{ kind: "data", data }] }
		: { messageId: "probe", role: "ROLE_USER", parts: [{ data }] };
	const method = isOld ? "message/send" : "SendMessage";
	return JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { message } });
}
