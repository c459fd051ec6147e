import { ANSWER_LIMITS } from "../../src/contract/contract.js";
import {
	type CitedSentence,
	type EvidencePassage,
	toEvidencePassages,
} from "../../src/evidence/evidence.js";
import { composeAnswer, passagesOf } from "../answers/answers.js";
import type { BrandServices } from "./brand-mentions.js";
import type { BrandReading } from "./brand-reading.js";

/** What the summary may take of the prose of a reply. */
const SUMMARY_TOKENS = 500;
/** Characters that count as a token. */
const TOKEN_CHARS = 4;
/** Documents that speak of a brand and are searched for what it is, those that speak of it most. */
const DOCUMENTS_MOST = 200;

export function tokensOfText(text: string): number {
	return Math.ceil(text.length / TOKEN_CHARS);
}

type Quoted = readonly CitedSentence[];

/**
 * What a brand is and does, in passages of the documents that mention it: what its own document begins with, then what the answer engine
 * finds there. Each passage once, the own ones alone where the engine finds no answer.
 */
export async function summarizeBrand(
	search: BrandServices["search"],
	{ brand, mentions }: BrandReading,
	signal: AbortSignal,
): Promise<readonly Quoted[]> {
	const counts = new Map<string, number>();
	for (const { sentence } of mentions) {
		counts.set(sentence.concept.id, (counts.get(sentence.concept.id) ?? 0) + 1);
	}
	const own = brand.nodes.map(({ concept }) => concept.id);
	const often = [...counts].sort(([, a], [, b]) => b - a).map(([id]) => id);
	const ids = [...new Set([...own, ...often])].slice(0, DOCUMENTS_MOST);
	const graphs = [...brand.nodes, ...mentions.map(({ sentence }) => sentence)].map(
		({ graph }) => graph,
	);
	const composed = await composeAnswer(search, {
		question: `What is ${brand.name} and what does it do?`,
		graphs: [...new Set(graphs)],
		tokens: SUMMARY_TOKENS,
		conceptsMax: ANSWER_LIMITS.partConcepts,
		filter: { ids },
		signal,
	});
	const linked = new Set(mentions.map(({ sentence }) => sentence.evidenceId));
	// A document that mentions several is quoted for what it says of this one.
	const found = passagesOf(composed).filter((passage) =>
		passage.some(({ evidenceId }) => linked.has(evidenceId)),
	);
	const [lead, ...rest] = ownPassages({ brand });
	return chooseWithin([...(lead ? [lead] : []), ...(found.length > 0 ? found : rest)]);
}

function ownPassages({ brand: { nodes } }: Pick<BrandReading, "brand">): readonly Quoted[] {
	return nodes
		.flatMap(({ graph, concept }) => toEvidencePassages(graph, concept))
		.filter(({ standsAlone }: EvidencePassage) => standsAlone)
		.map(({ sentences }) => sentences);
}

function chooseWithin(passages: readonly Quoted[]): readonly Quoted[] {
	const printed = new Set<string>();
	const chosen: Quoted[] = [];
	let left = SUMMARY_TOKENS;
	for (const passage of passages) {
		const tokens = passage.reduce((sum, { text }) => sum + tokensOfText(text), 0);
		if (tokens > left || passage.some(({ text }) => printed.has(text))) continue;
		for (const { text } of passage) printed.add(text);
		chosen.push(passage);
		left -= tokens;
	}
	return chosen;
}
