import { createHash } from "node:crypto";
import { z } from "zod";
import {
	type Json,
	LIMITS,
	OPERATION_ADDRESSES,
	OPERATION_OF_SKILL,
	PAID_OPERATION_IDS,
	type PaidOperationId,
	type Price,
	type PricedOperationId,
	type PriceList,
	pricesByGraph,
	SKILL_IDS,
	type Skill,
	type SkillCatalog,
	toGraphPrices,
} from "../contract/contract.js";
import { formatUsd } from "../kernel/kernel.js";

interface OfferingDeps {
	readonly prices: PriceList;
	readonly skills: SkillCatalog;
}

const VERSION_CHARS = 12;

/** Everything that can be bought today: nothing is listed before it answers. Spec: free operations, /v1/offerings. */
export function toOfferings(deps: OfferingDeps): Json {
	return {
		offerings: PAID_OPERATION_IDS.map((id) => toOffering(deps, id)),
		tools: toTools(deps),
		plans: toPlans(deps.prices),
	};
}

/** Built skills as tools: what an agent chooses by name, with the input each one takes. */
export function toResearchOfferings(deps: OfferingDeps): Json {
	return { items: toTools(deps) };
}

/** The whole price book; operations that are priced but not built say so. Spec: free operations, /v1/research/pricing. */
export function toPricing({ prices, skills }: OfferingDeps): Json {
	const book = Object.entries(prices.all()) as [PricedOperationId, Price][];
	const graphs = prices.graphs().map((graph) => [graph.graphId, toGraphPrices(graph)] as const);
	const entries = book.map(([id, price]) => {
		const skill: Skill | undefined = skills[id as PaidOperationId];
		const available = skill !== undefined || isKind(skills, id);
		return [id, { ...toWire(price), ...toUnit(skill), available }];
	});
	return {
		currency: "USD",
		version: createHash("sha256")
			.update(JSON.stringify(graphs.length > 0 ? [entries, graphs] : entries))
			.digest("hex")
			.slice(0, VERSION_CHARS),
		prices: Object.fromEntries(entries),
		...(graphs.length > 0 && { graphs: Object.fromEntries(graphs) }),
	};
}

function toOffering({ prices, skills }: OfferingDeps, operation: PaidOperationId) {
	const skill: Skill = skills[operation];
	const { title, description } = skill;
	return {
		id: operation,
		title,
		description,
		...toWire(prices.priceOf(operation)),
		...toUnit(skill),
		...toKinds(skill, prices),
		...toGraphPricesOf(skill, prices),
		...OPERATION_ADDRESSES[operation],
	};
}

function toGraphPricesOf(skill: Skill, prices: PriceList) {
	const graph_prices = pricesByGraph(prices, skill);
	return graph_prices && { graph_prices };
}

function toTools(deps: OfferingDeps) {
	return SKILL_IDS.map((id) => {
		const operation = OPERATION_OF_SKILL[id];
		const skill: Skill = deps.skills[operation];
		return {
			...toOffering(deps, operation),
			id,
			operation,
			input_schema: toInputSchema(skill),
			example_input: skill.exampleInput,
		};
	});
}

function toInputSchema({ input }: Skill): object {
	const { "~standard": _standard, ...schema } = z.toJSONSchema(input, { io: "input" });
	return schema;
}

function toPlans(prices: PriceList) {
	const { price_usd } = toWire(prices.priceOf("graphs.search"));
	return [
		{
			id: "free",
			title: "Free plan",
			description:
				"An account with an API key. Covers operations up to the price per call; dearer ones need a balance.",
			price_usd: "0.00",
			available: true,
			calls_per_month: LIMITS.freeCallsPerMonth,
			calls_per_day: LIMITS.freeCallsPerDay,
			max_price_per_call_usd: formatUsd(LIMITS.freeCallMaxMicros),
		},
		{
			id: "pay_per_call",
			title: "Pay per call",
			description:
				"No account: a Shared Payment Token pays each call by itself. Shown is the price of one graph search.",
			price_usd,
			available: true,
		},
	];
}

/** What the price is for, where that is not the call. */
function toUnit(skill: Skill | undefined) {
	return skill?.units && { price_per: skill.units.name };
}

/** The price of each kind it is sold in, where there are several. */
function toKinds({ pricedBy }: Skill, prices: PriceList) {
	if (!pricedBy) return undefined;
	const kinds = Object.entries(pricedBy.as);
	return {
		price_by: pricedBy.field,
		prices: Object.fromEntries(kinds.map(([kind, id]) => [kind, toWire(prices.priceOf(id))])),
	};
}

/** Whether what is priced is a kind of something that is built. */
function isKind(skills: SkillCatalog, id: PricedOperationId): boolean {
	return Object.values<Skill>(skills).some(({ pricedBy }) =>
		Object.values(pricedBy?.as ?? {}).includes(id),
	);
}

function toWire({ amountMicros, billingType }: Price) {
	return { price_usd: formatUsd(amountMicros), billing_type: billingType };
}
