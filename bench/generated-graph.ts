/** Synthetic text for benchmarks and load, labelled as such; never part of a catalog that is shipped. */
import type { Concept, Graph } from "../src/knowledge/model/graph.js";
import { measuredGraph } from "./measured-graph.js";

/** A small seeded generator (mulberry32): the same seed, the same graph and queries. */
export function createSeededNumbers(seed: number): () => number {
	let state = seed >>> 0;
	return () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
	};
}

const SUBJECTS =
	"payment token ledger journal agent protocol header cache signature certificate index vector query graph storage snapshot replica consensus scheduler container kernel compiler parser browser socket stream packet router firewall identity session consent audit policy licence energy carbon market currency inflation harvest turbine battery reactor vaccine genome protein neuron enzyme orbit telescope glacier monsoon delta harbour railway bridge tunnel cement alloy polymer solvent catalyst sensor actuator drone satellite antenna spectrum laser magnet".split(
		" ",
	);
const VERBS =
	"settles verifies signs rotates expires throttles compresses partitions merges replays encrypts routes schedules measures predicts balances recycles delays amplifies filters".split(
		" ",
	);
const QUALITIES =
	"durable idle nested public sparse dense static regional seasonal rural urban coastal deep shallow early late broken quiet rapid slow cheap costly rare common hidden open".split(
		" ",
	);

/** A graph of `size` generated concepts of about sixty words each. */
export function generateGraph(id: string, size: number, seed = 1): Graph {
	const next = createSeededNumbers(seed);
	const pick = (words: readonly string[]): string => words[Math.floor(next() * words.length)] ?? "";
	const sentence = () =>
		`The ${pick(QUALITIES)} ${pick(SUBJECTS)} ${pick(VERBS)} a ${pick(QUALITIES)} ${pick(SUBJECTS)} near the ${pick(SUBJECTS)} ${Math.floor(next() * 900)}.`;
	const concepts = Array.from({ length: size }, (_, index): Concept => {
		const name = `${pick(QUALITIES)} ${pick(SUBJECTS)} ${pick(SUBJECTS)} ${index}`;
		return {
			id: `generated.c${index}`,
			path: `generated/c${index}.md`,
			type: "Concept",
			title: name,
			summary: `${sentence()} ${sentence()}`,
			body: `${sentence()} ${sentence()} ${sentence()} ${sentence()}`,
			tags: [pick(SUBJECTS)],
			aliases: [],
			evidence: [
				{
					articleId: `a${index}`,
					title: `Generated source ${index}`,
					sourceUrl: `https://example.org/generated/${index}`,
					publishedAt: "2020-01-01",
					datePrecision: "day",
				},
			],
			edges: [],
			trust: "unverified",
			status: "stable",
			generatedAt: undefined,
			staleAfter: undefined,
		};
	});
	return measuredGraph({ id, concepts, contentHash: `generated-${seed}-${size}` });
}

/** `count` queries, no two alike, about what the graph's concepts speak of. */
export function generateQueries(count: number, seed = 2): string[] {
	const next = createSeededNumbers(seed);
	const pick = (words: readonly string[]): string => words[Math.floor(next() * words.length)] ?? "";
	return Array.from(
		{ length: count },
		(_, index) =>
			`${pick(QUALITIES)} ${pick(SUBJECTS)} that ${pick(VERBS)} the ${pick(SUBJECTS)} ${index}`,
	);
}
