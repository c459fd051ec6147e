import type { z } from "zod";
import { parseUsd } from "../../kernel/kernel.js";
import { type AdvertisedRoute, isWire, type Wire, wiresOf } from "./advertised-route.js";
import {
	challengeV1,
	challengeV2,
	isAddressOf,
	type Requirement,
	toRequirements,
} from "./challenge-shapes.js";

/** What came back when the route was asked without paying. */
export interface UnpaidReply {
	readonly status: number;
	readonly headers: Headers;
	/** The body where it was JSON. */
	readonly body: unknown;
}

export interface Verdict {
	/** Ways to pay that were offered, e.g. ["x402 v2", "x402 v1", "spt"]. */
	readonly ways: readonly string[];
	/** Whole sentences; empty when the advertised price is answered by a valid challenge. */
	readonly problems: readonly string[];
}

/** Compares what a server advertises with how it answers an unpaid call. */
export function judgeChallenge(
	route: Pick<AdvertisedRoute, "pricesUsd" | "takesX402" | "url">,
	reply: UnpaidReply,
): Verdict {
	const disagreement = judgePrices(route.pricesUsd);
	if (reply.status !== 402) {
		return { ways: [], problems: [...disagreement, toStatusProblem(reply)] };
	}
	const envelope = findEnvelope(reply.body);
	const v2 = readV2(reply.headers);
	const v1 = readV1(envelope);
	const requirements = [...v2.requirements, ...v1.requirements];
	const others = otherWays(reply.headers, envelope);
	const ways = [...new Set(requirements.map(({ version }) => `x402 v${version}`)), ...others];
	return {
		ways,
		problems: [
			...disagreement,
			...v2.problems,
			...v1.problems,
			...judgeWays(route, ways),
			...requirements.flatMap(judgeRequirement),
			...judgeAmounts(route.pricesUsd, requirements, envelope),
			...judgeResource(route.url, v2.resource),
			...judgeCaching(reply.headers),
		],
	};
}

function toStatusProblem({ status }: UnpaidReply): string {
	if (status >= 200 && status < 300) return `It is answered ${status} without payment.`;
	if (status >= 300 && status < 400) return `It is answered ${status}, a redirect, and not 402.`;
	return `An unpaid call with its example input is answered ${status}, not 402.`;
}

function judgePrices(prices: Readonly<Record<string, string>>): string[] {
	const distinct = new Set(Object.values(prices).map((price) => parseUsd(price)));
	if (distinct.size < 2) return [];
	const told = Object.entries(prices).map(([source, price]) => `${price} USD in ${source}`);
	return [`Its documents disagree about the price: ${told.join(", ")}.`];
}

interface Found {
	readonly requirements: readonly Requirement[];
	readonly problems: readonly string[];
	readonly resource?: string;
}

const NOTHING: Found = { requirements: [], problems: [] };

function readV2(headers: Headers): Found {
	const header = headers.get("PAYMENT-REQUIRED");
	if (header === null) return NOTHING;
	let decoded: unknown;
	try {
		decoded = JSON.parse(Buffer.from(header, "base64").toString("utf8"));
	} catch {
		return { ...NOTHING, problems: ["PAYMENT-REQUIRED is not base64-encoded JSON."] };
	}
	const parsed = challengeV2.safeParse(decoded);
	if (!parsed.success) return { ...NOTHING, problems: [complaint("PAYMENT-REQUIRED", parsed)] };
	return {
		requirements: toRequirements(parsed.data),
		problems: [],
		resource: parsed.data.resource.url,
	};
}

function readV1(body: Wire): Found {
	// Version 2 servers repeat their challenge in the body; an empty list says that x402 is not offered.
	const isV1 = body["x402Version"] === 1 && Array.isArray(body["accepts"]);
	if (!isV1 || wiresOf(body["accepts"]).length === 0) return NOTHING;
	const parsed = challengeV1.safeParse(body);
	if (!parsed.success) {
		return { ...NOTHING, problems: [complaint("The body's x402 challenge", parsed)] };
	}
	return { requirements: toRequirements(parsed.data), problems: [] };
}

function complaint(what: string, { error }: z.ZodSafeParseError<unknown>): string {
	const [issue] = error.issues;
	const at = issue?.path.join(".");
	return `${what} is not valid${at ? ` at "${at}"` : ""}: ${issue?.message ?? "unknown"}.`;
}

/** The challenge's body, or what a JSON-RPC error carries of it. */
function findEnvelope(body: unknown): Wire {
	if (!isWire(body)) return {};
	const { error } = body;
	return body["jsonrpc"] === "2.0" && isWire(error) && isWire(error["data"]) ? error["data"] : body;
}

function otherWays(headers: Headers, envelope: Wire): string[] {
	const mpp = /(^|,)\s*Payment\s/i.test(headers.get("WWW-Authenticate") ?? "") ? ["mpp"] : [];
	const others = wiresOf(envelope["continuations"])
		.map(({ type }) => String(type))
		.filter((type) => type !== "x402" && type !== "mpp");
	return [...new Set([...mpp, ...others])];
}

function judgeWays({ takesX402 }: Pick<AdvertisedRoute, "takesX402">, ways: readonly string[]) {
	if (ways.length === 0) return ["The 402 names no way to pay."];
	const hasX402 = ways.some((way) => way.startsWith("x402"));
	return takesX402 && !hasX402
		? ["x402 is advertised, but the 402 carries no x402 challenge."]
		: [];
}

function judgeRequirement({ version, network, asset, payTo }: Requirement): string[] {
	const wrong = Object.entries({ asset, payTo }).filter(([, text]) => !isAddressOf(network, text));
	return wrong.map(
		([field, text]) =>
			`x402 v${version}: ${field} "${text.slice(0, 60)}" is no address on ${network}.`,
	);
}

/** The amount is judged for assets of a dollar with six decimals, told by their name, and where the body names a price. */
function judgeAmounts(
	prices: Readonly<Record<string, string>>,
	requirements: readonly Requirement[],
	envelope: Wire,
): string[] {
	const [advertised] = Object.values(prices);
	if (advertised === undefined) return [];
	const expected = parseUsd(advertised);
	const told = isWire(envelope["price"]) ? envelope["price"]["amount_usd"] : undefined;
	const isOther = typeof told === "string" && /^\d+(\.\d{1,6})?$/.test(told);
	return [
		...requirements
			.filter(
				({ assetName, amount }) => /usd/i.test(assetName ?? "") && BigInt(amount) !== expected,
			)
			.map(
				({ version, amount }) =>
					`x402 v${version} asks for ${amount} atomic units; the advertised ${advertised} USD are ${expected}.`,
			),
		...(isOther && parseUsd(told) !== expected
			? [`The 402 names the price ${told} USD; advertised are ${advertised} USD.`]
			: []),
	];
}

function judgeResource(asked: string | undefined, named: string | undefined): string[] {
	if (asked === undefined || named === undefined || !URL.canParse(named, asked)) return [];
	const [wanted, told] = [new URL(asked).pathname, new URL(named, asked).pathname];
	return wanted === told ? [] : [`The challenge is for ${told}, not for ${wanted}.`];
}

function judgeCaching(headers: Headers): string[] {
	const isStored = !/\bno-store\b/i.test(headers.get("Cache-Control") ?? "");
	return isStored ? ['The 402 lacks "Cache-Control: no-store", so a cache may answer for it.'] : [];
}
