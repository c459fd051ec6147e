import type { Quote } from "../../payments/payments.js";
import {
	type Json,
	LIMITS,
	OPERATION_ADDRESSES,
	PAID_OPERATION_IDS,
	type PaidOperationId,
	type Price,
	pricesByGraph,
	type Skill,
	toRequestPath,
} from "../contract/contract.js";
import { formatUsd } from "../kernel/kernel.js";
import { priceOfCall } from "./call-price.js";
import { toListedRequest } from "./cashier.js";
import type { PaymentServices } from "./payment-services.js";
import { describeBalance, LISTED_PURCHASES } from "./spt-purchase.js";

type ListingServices = Pick<
	PaymentServices,
	"info" | "environment" | "skills" | "prices" | "offersOf"
>;

/**
 * `/.well-known/x402`: every paid route with its price, the very requirements its 402 would carry, and an input that
 * works. `resources` is the plain list that crawlers read; only what x402 can pay stands in it.
 */
export function toX402Listing(deps: ListingServices): Json {
	const items = [
		...PAID_OPERATION_IDS.flatMap((id) => toItem(deps, id) ?? []),
		...toTokenItem(deps),
	];
	return {
		version: 1,
		resources: items.filter(({ accepts }) => accepts.v2.length > 0).map(({ url }) => url),
		base_url: deps.info.baseUrl(),
		currency: "USD",
		environment: deps.environment,
		items,
	};
}

/** One paid route; undefined for one that is free here, or has nothing to sell yet. */
function toItem(deps: ListingServices, operationId: PaidOperationId) {
	const skill: Skill = deps.skills[operationId];
	// What is not offered here may have no example to price.
	if (skill.isOffered?.() === false) return undefined;
	const price = priceOfCall(deps.prices, skill, skill.exampleInput);
	if (price.amountMicros === 0n) return undefined;
	return toListed(deps, {
		...price,
		operationId,
		title: skill.title,
		description: skill.description,
		purpose: skill.title,
		priceMode: isDynamic(deps, skill) ? "dynamic" : "fixed",
		listed: toListedRequest(skill),
		example: skill.exampleInput,
	});
}

function isDynamic({ prices }: ListingServices, skill: Skill): boolean {
	return Boolean(skill.units || skill.pricedBy || pricesByGraph(prices, skill));
}

/** Buying a token is listed where it can be paid for: on a chain. Its price is the amount that is named. */
function toTokenItem(deps: ListingServices) {
	const item = toListed(deps, {
		operationId: "spt.purchase",
		amountMicros: LIMITS.sptMinMicros,
		billingType: "prepaid",
		title: "Buy a Shared Payment Token",
		description: "A prepaid balance that pays for many calls without the chain.",
		purpose: describeBalance(LIMITS.sptMinMicros),
		priceMode: "dynamic",
		listed: LISTED_PURCHASES["spt.purchase"],
		example: LISTED_PURCHASES["spt.purchase"].example,
	});
	return item.accepts.v2.length > 0 ? [item] : [];
}

interface Listed extends Price {
	readonly operationId: PaidOperationId | "spt.purchase";
	readonly title: string;
	readonly description: string;
	/** What the challenge says that the payment is for. */
	readonly purpose: string;
	/** dynamic: the price is that of the example, another input has another one. */
	readonly priceMode: "fixed" | "dynamic";
	readonly example: Readonly<Record<string, unknown>>;
	readonly listed: Quote["listed"];
}

function toListed({ info, offersOf }: ListingServices, listed: Listed) {
	const { operationId, amountMicros, billingType, title, description, priceMode } = listed;
	const address = OPERATION_ADDRESSES[operationId];
	const { method, path } = address;
	const example = toRequestPath(address, listed.example);
	const url = `${info.baseUrl()}${example.path}`;
	const resourceUrl = `${info.baseUrl()}${example.resource}`;
	const quote = {
		operationId,
		amountMicros,
		billingType,
		resourceUrl,
		description: listed.purpose,
		listed: listed.listed,
	};
	const offers = offersOf(quote);
	return {
		operation: operationId,
		title,
		description,
		method,
		url_template: `${info.baseUrl()}${path}`,
		url,
		price_usd: formatUsd(amountMicros),
		price_mode: priceMode,
		billing_type: billingType,
		accepts: {
			v2: offers.flatMap(({ x402 }) => (Array.isArray(x402?.["accepts"]) ? x402["accepts"] : [])),
			v1: offers.flatMap(({ accepts }) => accepts),
		},
		example_input: example.body,
	};
}
