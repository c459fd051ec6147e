/** What other agents read first: the card, the offers in it, and the signature under it. */

import { AgentCard } from "@a2a-js/sdk";
import {
	OPERATION_OF_SKILL,
	type PriceList,
	type Skill,
	type SkillCatalog,
	type SkillId,
} from "../src/contract/contract.js";
import { createSkillOffers, offeredSkills, SKILL_OFFERS_URI } from "./skill-offers.js";
import { createX402Extension, type X402Terms } from "./x402-extension.js";

/** Where the A2A interfaces answer, below the base address. */
export const A2A_PATHS = {
	card: "/.well-known/agent-card.json",
	keys: "/.well-known/jwks.json",
	jsonRpc: "/a2a/jsonrpc",
	rest: "/a2a/rest",
} as const;

export interface AgentCardInput {
	/** Public base address without a trailing slash. */
	readonly baseUrl: string;
	readonly skills: SkillCatalog;
	readonly prices: PriceList;
	/** Software version. */
	readonly version: string;
	readonly name?: string;
	readonly organization?: string;
	/** Present when payments on a chain are configured. */
	readonly x402?: X402Terms | undefined;
}

/** The unsigned card: both transports in both protocol versions, every skill that can answer here, every price. */
export function buildAgentCard(input: AgentCardInput): AgentCard {
	const { baseUrl, skills, prices, version, x402 } = input;
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
			description: "Account API key (sk_live_…)",
		},
	},
	bearer: {
		httpAuthSecurityScheme: {
			scheme: "Bearer",
			description: "Account API key (sk_live_…) or Shared Payment Token (spt_…)",
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
