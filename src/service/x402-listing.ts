import type { Offer, Quote } from "../../payments/challenge.js";
import type { PriceList } from "../../payments/price-list.js";
import { formatUsd } from "../core/money.js";
import { OPERATION_OF_SKILL, SKILL_IDS, type SkillId } from "../core/operations.js";
import type { Skill } from "../core/skill.js";
import type { Json } from "./free-operations.js";
import { OPERATION_ADDRESSES } from "./operation-addresses.js";
import { toRequestPath } from "./request-path.js";
import type { ServiceInfo, SkillCatalog } from "./service.js";

export interface X402ListingDeps {
	readonly info: Pick<ServiceInfo, "baseUrl">;
	readonly environment: "live" | "test";
	readonly skills: SkillCatalog;
	readonly prices: PriceList;
	readonly offersOf: (quote: Quote) => readonly Offer[];
}

/**
 * `/.well-known/x402`: every paid route with its price, the very requirements its 402 would carry, and an input that
 * works. `resources` is the plain list that crawlers read; only what x402 can pay stands in it.
 */
export function toX402Listing(deps: X402ListingDeps): Json {
	const items = SKILL_IDS.flatMap((id) => toItem(deps, id) ?? []);
	return {
		version: 1,
		resources: items.filter(({ accepts }) => accepts.v2.length > 0).map(({ url }) => url),
		base_url: deps.info.baseUrl(),
		currency: "USD",
		environment: deps.environment,
		items,
	};
}

/** One paid route; undefined for one that is free here. */
function toItem({ info, skills, prices, offersOf }: X402ListingDeps, skillId: SkillId) {
	const skill: Skill = skills[skillId];
	const operationId = OPERATION_OF_SKILL[skillId];
	const { amountMicros, billingType } = prices.priceOf(operationId);
	if (amountMicros === 0n) return undefined;
	const { method, path } = OPERATION_ADDRESSES[operationId];
	const example = toRequestPath(path, skill.exampleInput);
	const resourceUrl = `${info.baseUrl()}${example.path}`;
	const description = skill.title;
	const offers = offersOf({ operationId, amountMicros, billingType, resourceUrl, description });
	return {
		operation: operationId,
		skill: skillId,
		title: skill.title,
		description: skill.description,
		method,
		url_template: `${info.baseUrl()}${path}`,
		url: resourceUrl,
		price_usd: formatUsd(amountMicros),
		billing_type: billingType,
		accepts: {
			v2: offers.flatMap(({ x402 }) => (Array.isArray(x402?.["accepts"]) ? x402["accepts"] : [])),
			v1: offers.flatMap(({ accepts }) => accepts),
		},
		example_input: example.body,
	};
}
