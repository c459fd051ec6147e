import {
	OPERATION_OF_SKILL,
	type PriceList,
	SKILL_IDS,
	type Skill,
	type SkillCatalog,
} from "../contract/contract.js";
import { formatUsd, type Micros } from "../kernel/kernel.js";

/** What an application could buy, as a user is told before agreeing to it. */
export interface PriceTable {
	readonly rows: readonly { readonly title: string; readonly price: string }[];
	readonly leastMicros: Micros;
	readonly mostMicros: Micros;
}

/** Every skill at today's price; where it is sold in several kinds, from the least to the most. */
export function toPriceTable(prices: PriceList, skills: SkillCatalog): PriceTable {
	const amounts: Micros[] = [];
	const rows = SKILL_IDS.map((id) => {
		const skill: Skill = skills[OPERATION_OF_SKILL[id]];
		const kinds = Object.values(skill.pricedBy?.as ?? {});
		const own = [skill.operationId, ...kinds].map((kind) => prices.priceOf(kind).amountMicros);
		const [least, most] = [leastOf(own), mostOf(own)];
		amounts.push(least, most);
		const price = least === most ? formatUsd(least) : `${formatUsd(least)}–${formatUsd(most)}`;
		return { title: skill.title, price: skill.units ? `${price} per ${skill.units.name}` : price };
	});
	return { rows, leastMicros: leastOf(amounts), mostMicros: mostOf(amounts) };
}

function leastOf(amounts: readonly Micros[]): Micros {
	return inOrder(amounts).at(0) ?? 0n;
}

function mostOf(amounts: readonly Micros[]): Micros {
	return inOrder(amounts).at(-1) ?? 0n;
}

function inOrder(amounts: readonly Micros[]): readonly Micros[] {
	return [...amounts].sort((a, b) => Number(a - b));
}
