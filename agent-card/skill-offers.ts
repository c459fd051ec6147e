import { z } from "zod";
import {
	AGENT_ROWS,
	OPERATION_OF_SKILL,
	type PriceList,
	SKILL_IDS,
	type Skill,
	type SkillCatalog,
	type SkillId,
} from "../src/contract/contract.js";
import { formatUsd } from "../src/kernel/kernel.js";

/** Names the card extension that says what each skill costs and takes; it asks nothing of a caller. */
export const SKILL_OFFERS_URI = "urn:tollgraph:skill-offers:v1";

/** Skill that answers a message without a data part. */
export const DEFAULT_TEXT_SKILL: SkillId = "search_domain";

/** Price (decimal USD string), billing type and input (JSON Schema) of one skill. */
interface SkillOffer {
	readonly id: SkillId;
	/** Older names that are still understood. */
	readonly aliases?: readonly string[];
	readonly price_usd: string;
	readonly billing_type: string;
	/** Where it is sold in several kinds: the price of each, by the value of this field of its input. */
	readonly price_by?: string;
	readonly prices?: Readonly<Record<string, string>>;
	/** Where the price is that of one unit: what a unit is called. */
	readonly price_per?: string;
	readonly input_schema: Readonly<Record<string, unknown>>;
	readonly example_input: Readonly<Record<string, unknown>>;
}

/** The extension's params: how to address a skill, and one offer for each. */
export interface SkillOffers {
	readonly currency: "USD";
	readonly text_skill: SkillId;
	readonly message: string;
	readonly offers: readonly SkillOffer[];
}

export function createSkillOffers(skills: SkillCatalog, prices: PriceList): SkillOffers {
	return {
		currency: "USD",
		text_skill: DEFAULT_TEXT_SKILL,
		message:
			'Send one data part {"skill": <id>, "input": <value of input_schema>}, or text alone for text_skill. Answers without rows are not charged. Work that takes longer (deep_dive) is a task that goes on: stream it, ask for it, cancel it, or name an address to be told under.',
		offers: offeredSkills(skills).map((id) =>
			createOffer(id, skills[OPERATION_OF_SKILL[id]], prices),
		),
	};
}

/** Skills the catalog holds something for: an agent that chose another would only learn that nobody answers. */
export function offeredSkills(skills: SkillCatalog): readonly SkillId[] {
	return SKILL_IDS.filter((id) => skills[OPERATION_OF_SKILL[id]].isOffered?.() !== false);
}

function createOffer(id: SkillId, skill: Skill, prices: PriceList): SkillOffer {
	const price = prices.priceOf(skill.operationId);
	return {
		id,
		...aliasesOf(id),
		price_usd: formatUsd(price.amountMicros),
		billing_type: price.billingType,
		...kindsOf(skill, prices),
		...(skill.units && { price_per: skill.units.name }),
		input_schema: z.toJSONSchema(skill.input, { io: "input" }),
		example_input: skill.exampleInput,
	};
}

function aliasesOf(id: SkillId) {
	const aliases = AGENT_ROWS.find(([name]) => name === id)?.[2] ?? [];
	return aliases.length > 0 && { aliases };
}

function kindsOf({ pricedBy }: Skill, prices: PriceList) {
	if (!pricedBy) return undefined;
	const kinds = Object.entries(pricedBy.as);
	const usd = kinds.map(([kind, id]) => [kind, formatUsd(prices.priceOf(id).amountMicros)]);
	return { price_by: pricedBy.field, prices: Object.fromEntries(usd) };
}
