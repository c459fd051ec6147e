import { z } from "zod";
import { fromV1Network } from "../../../payments/onchain/onchain.js";
import { parseUsd } from "../../kernel/kernel.js";
import { type AdvertisedRoute, isWire, type Wire, wiresOf } from "./advertised-routes.js";

/** What came back when the route was asked without paying. */
export interface UnpaidReply {
	readonly status: number;
	readonly headers: Headers;
	/** The body where it was JSON. */
	readonly body: unknown;
}

/** Compares what a server advertises with how it answers an unpaid call. */
export function judgeChallenge(
	route: Pick<AdvertisedRoute, "pricesUsd" | "takesX402" | "url">,
	reply: UnpaidReply,
) {
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
		/** Ways to pay that were offered, e.g. ["x402 v2", "x402 v1", "spt"]. */
		ways,
		/** Whole sentences; empty when the advertised price is answered by a valid challenge. */
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
	const stated = Object.entries(prices).map(([source, price]) => `${price} USD in ${source}`);
	return [`Its documents disagree about the price: ${stated.join(", ")}.`];
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

/** The amount is judged for assets of a dollar with six decimals, known by their name, and where the body names a price. */
function judgeAmounts(
	prices: Readonly<Record<string, string>>,
	requirements: readonly Requirement[],
	envelope: Wire,
): string[] {
	const [advertised] = Object.values(prices);
	if (advertised === undefined) return [];
	const expected = parseUsd(advertised);
	const stated = isWire(envelope["price"]) ? envelope["price"]["amount_usd"] : undefined;
	const isOther = typeof stated === "string" && /^\d+(\.\d{1,6})?$/.test(stated);
	return [
		...requirements
			.filter(
				({ assetName, amount }) => /usd/i.test(assetName ?? "") && BigInt(amount) !== expected,
			)
			.map(
				({ version, amount }) =>
					`x402 v${version} asks for ${amount} atomic units; the advertised ${advertised} USD are ${expected}.`,
			),
		...(isOther && parseUsd(stated) !== expected
			? [`The 402 names the price ${stated} USD; advertised are ${advertised} USD.`]
			: []),
	];
}

function judgeResource(asked: string | undefined, named: string | undefined): string[] {
	if (asked === undefined || named === undefined || !URL.canParse(named, asked)) return [];
	const [wanted, stated] = [new URL(asked).pathname, new URL(named, asked).pathname];
	return wanted === stated ? [] : [`The challenge is for ${stated}, not for ${wanted}.`];
}

function judgeCaching(headers: Headers): string[] {
	const isStored = !/\bno-store\b/i.test(headers.get("Cache-Control") ?? "");
	return isStored ? ['The 402 lacks "Cache-Control: no-store", so a cache may answer for it.'] : [];
}

/** What x402 clients can parse; where the protocol leaves room, so do we. Source: x402 specifications, versions 1 and 2. */

const CAIP2 = /^[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}$/;
const EVM_ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const BASE58_ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
const SOLANA_V1: ReadonlySet<string> = new Set(["solana", "solana-devnet"]);

const atomicAmount = z.string().regex(/^\d{1,78}$/, "is no whole number of atomic units");
const extra = z.record(z.string(), z.unknown()).nullish();
const common = {
	scheme: z.string().min(1),
	asset: z.string().min(1),
	payTo: z.string().min(1),
	maxTimeoutSeconds: z.number().positive(),
	extra,
};

const challengeV2 = z.looseObject({
	x402Version: z.literal(2),
	error: z.string().nullish(),
	resource: z.looseObject({ url: z.string().min(1) }),
	accepts: z
		.array(
			z.looseObject({
				...common,
				network: z.string().regex(CAIP2, "is not in CAIP-2 form"),
				amount: atomicAmount,
			}),
		)
		.min(1),
});

const challengeV1 = z.looseObject({
	x402Version: z.literal(1),
	accepts: z
		.array(
			z.looseObject({
				...common,
				network: z.string().refine(isV1Network, "is no network that version 1 clients know"),
				maxAmountRequired: atomicAmount,
				resource: z.string().min(1),
				description: z.string(),
			}),
		)
		.min(1),
});

/** One payment requirement of either version, in the words of version 2. */
type Requirement = ReturnType<typeof toRequirements>[number];

function toRequirements({
	x402Version: version,
	accepts,
}: z.infer<typeof challengeV1> | z.infer<typeof challengeV2>) {
	return accepts.map((entry) => {
		const { network, asset, payTo } = entry;
		const name = entry.extra?.["name"];
		return {
			version,
			/** CAIP-2 where it is known. */
			network: version === 1 ? (fromV1Network(network) ?? network) : network,
			amount: String(entry[version === 1 ? "maxAmountRequired" : "amount"]),
			asset,
			payTo,
			assetName: typeof name === "string" ? name : undefined,
		};
	});
}

/** Whether an address can be one of the network; networks we do not know are not judged. */
function isAddressOf(network: string, address: string): boolean {
	if (network.startsWith("eip155:")) return EVM_ADDRESS.test(address) && !/^0x0+$/.test(address);
	if (network.startsWith("solana")) return BASE58_ADDRESS.test(address);
	return true;
}

function isV1Network(name: string): boolean {
	return fromV1Network(name) !== undefined || SOLANA_V1.has(name);
}
