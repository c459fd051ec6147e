import { AgentCard } from "@a2a-js/sdk";
import { z } from "zod";
import {
	AGENT_ROWS,
	OPERATION_OF_SKILL,
	type PriceList,
	pricesByGraph,
	SKILL_IDS,
	type Skill,
	type SkillCatalog,
	type SkillId,
} from "../src/contract/contract.js";
import { formatUsd } from "../src/kernel/kernel.js";

/** What other agents read first: the card, the offers in it, and the signature under it. */

/** Where the A2A interfaces answer, below the base address. */
export const A2A_PATHS = {
	card: "/.well-known/agent-card.json",
	/** Where clients from before 0.3 look. */
	olderCard: "/.well-known/agent.json",
	keys: "/.well-known/jwks.json",
	jsonRpc: "/a2a/jsonrpc",
	rest: "/a2a/rest",
} as const;

/** The unsigned card: all transports in both protocol versions, every skill that can answer here, every price. */
export function buildAgentCard(input: {
	/** Public base address without a trailing slash. */
	readonly baseUrl: string;
	/** Host and port of gRPC, where it is offered: what its clients take for an address. */
	readonly grpcUrl?: string | undefined;
	readonly skills: SkillCatalog;
	readonly prices: PriceList;
	/** Software version. */
	readonly version: string;
	readonly name?: string;
	readonly organization?: string;
	/** Present when payments on a chain are configured. */
	readonly x402?: X402Terms | undefined;
}): AgentCard {
	const { baseUrl, grpcUrl, skills, prices, version, x402 } = input;
	return AgentCard.fromJSON({
		name: input.name ?? "tollgraph",
		description:
			"Sells curated knowledge graphs call by call: ranked, cited rows for a question in plain language. Unpaid calls are answered with HTTP 402 and every way to pay; answers without rows cost nothing.",
		version,
		provider: { organization: input.organization ?? "tollgraph", url: baseUrl },
		documentationUrl: `${baseUrl}/openapi.json`,
		supportedInterfaces: ["1.0", "0.3"].flatMap((protocolVersion) => [
			{ url: `${baseUrl}${A2A_PATHS.jsonRpc}`, protocolBinding: "JSONRPC", protocolVersion },
			{ url: `${baseUrl}${A2A_PATHS.rest}`, protocolBinding: "HTTP+JSON", protocolVersion },
			...(grpcUrl ? [{ url: grpcUrl, protocolBinding: "GRPC", protocolVersion }] : []),
		]),
		capabilities: {
			streaming: true,
			pushNotifications: true,
			extendedAgentCard: false,
			extensions: [
				{
					uri: SKILL_OFFERS_URI,
					description: "Price, billing type and input JSON Schema of every skill.",
					required: false,
					params: createSkillOffers(skills, prices),
				},
				...(x402 ? [createX402Extension(x402)] : []),
			],
		},
		securitySchemes: SECURITY_SCHEMES,
		securityRequirements: Object.keys(SECURITY_SCHEMES).map((scheme) => ({
			schemes: { [scheme]: { list: [] } },
		})),
		defaultInputModes: ["application/json", "text/plain"],
		defaultOutputModes: ["application/json", "text/plain"],
		skills: offeredSkills(skills).map((id) => toCardSkill(id, skills[OPERATION_OF_SKILL[id]])),
	});
}

/** Any one of them is enough. Spec: Authentication. */
const SECURITY_SCHEMES = {
	apiKey: {
		apiKeySecurityScheme: {
			location: "header",
			name: "X-API-Key",
			description: "Account API key (sk_…)",
		},
	},
	bearer: {
		httpAuthSecurityScheme: {
			scheme: "Bearer",
			description: "Account API key (sk_…) or Shared Payment Token (spt_…)",
		},
	},
	paymentSPT: {
		apiKeySecurityScheme: {
			location: "header",
			name: "X-Pay-SPT",
			description: "Shared Payment Token (spt_…): a prepaid balance, charged per answered call",
		},
	},
} as const;

function toCardSkill(id: SkillId, { title, description, tags, examples }: Skill) {
	return { id, name: title, description, tags, examples };
}

/** Names the card extension that says what each skill costs and takes; it asks nothing of a caller. */
export const SKILL_OFFERS_URI = "urn:tollgraph:skill-offers:v1";

/** Skill that answers a message without a data part. */
export const DEFAULT_TEXT_SKILL: SkillId = "answer_question";

/** The extension's params: how to address a skill, and one offer for each. */
function createSkillOffers(skills: SkillCatalog, prices: PriceList) {
	return {
		currency: "USD",
		text_skill: DEFAULT_TEXT_SKILL,
		message:
			'Send one data part {"skill": <id>, "input": <value of input_schema>}, or text alone for text_skill. Answers without rows are not charged. Work that takes longer (start_deep_dive) is a task that goes on: stream it, ask for it, cancel it, or name an address to be told under.',
		offers: offeredSkills(skills).map((id) =>
			createOffer(id, skills[OPERATION_OF_SKILL[id]], prices),
		),
	};
}

/** Skills the catalog holds something for: an agent that chose another would only learn that no one answers. */
function offeredSkills(skills: SkillCatalog): readonly SkillId[] {
	return SKILL_IDS.filter((id) => skills[OPERATION_OF_SKILL[id]].isOffered?.() !== false);
}

/** Price (decimal USD string), billing type and input (JSON Schema) of one skill. */
function createOffer(id: SkillId, skill: Skill, prices: PriceList) {
	const price = prices.priceOf(skill.operationId);
	return {
		id,
		...aliasesOf(id),
		price_usd: formatUsd(price.amountMicros),
		billing_type: price.billingType,
		...kindsOf(skill, prices),
		...(skill.units && { price_per: skill.units.name }),
		...byGraphOf(skill, prices),
		input_schema: z.toJSONSchema(skill.input, { io: "input" }),
		example_input: skill.exampleInput,
	};
}

/** Older names that are still understood. */
function aliasesOf(id: SkillId) {
	const aliases = AGENT_ROWS.find(([name]) => name === id)?.[2] ?? [];
	return aliases.length > 0 && { aliases };
}

/** Where it is sold in several kinds: the price of each, by the value of a field of its input. */
function kindsOf({ pricedBy }: Skill, prices: PriceList) {
	if (!pricedBy) return undefined;
	const kinds = Object.entries(pricedBy.as);
	const usd = kinds.map(([kind, id]) => [kind, formatUsd(prices.priceOf(id).amountMicros)]);
	return { price_by: pricedBy.field, prices: Object.fromEntries(usd) };
}

/** Prices of its own in some graphs, by graph id. */
function byGraphOf(skill: Skill, prices: PriceList) {
	const graph_prices = pricesByGraph(prices, skill);
	return graph_prices && { graph_prices };
}

/** The A2A extension for payments on a chain, in the version this server speaks; its URI declares and activates it. */
export const X402_EXTENSION_URI =
	"https://github.com/google-agentic-commerce/a2a-x402/blob/main/spec/v0.2";

/** Where payments settle, as the card says it. */
export interface X402Terms {
	/** CAIP-2, e.g. `eip155:84532`. */
	readonly network: string;
	/** Address of the token that is paid in. */
	readonly asset: string;
}

/** The card's entry; never required, because callers with a key or a token need none of it. */
function createX402Extension({ network, asset }: X402Terms) {
	return {
		uri: X402_EXTENSION_URI,
		description:
			"Pays for a message with x402: an unpaid message becomes a task in input-required, the next message of that task carries the signed payment. Versions 1 and 2 of x402.",
		required: false,
		params: { x402Versions: [2, 1], schemes: ["exact"], network, asset },
	};
}
