/**
 * Synthetic concepts whose words are spread as in prose: frequencies follow Zipf's law, and each concept speaks mostly of
 * one of some hundred topics. Labelled as such; never part of a catalog that is shipped.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";
import type { Concept, Evidence, Graph } from "../../src/knowledge/model/graph.js";
import { createSeededNumbers } from "../generated-graph.js";
import { measuredGraph } from "../measured-graph.js";

/** "long": about 75 words in two passages. "short": about 20 in one, where memory is what limits. */
export type TextLength = "long" | "short";

const TOPICS = 400;
const TOPIC_WORDS = 60;
/** The most frequent words belong to no topic. */
const COMMON_WORDS = 200;
const TOPIC_SHARE = 0.45;
/** p(rank) is proportional to 1 / (rank + shift)^exponent (Mandelbrot). */
const ZIPF_SHIFT = 2.7;
const ZIPF_EXPONENT = 1.07;
const CONCEPTS_PER_SOURCE = 5;

/** Whole words and beginnings of words in the bundled model's vocabulary, the frequent ones first. */
export function readWords(): readonly string[] {
	const file = join(PACKAGE_ROOT, "models", "table", "tokenizer.json");
	const { model } = JSON.parse(readFileSync(file, "utf8")) as {
		model: { vocab: Record<string, number> };
	};
	return Object.entries(model.vocab)
		.sort(([, one], [, other]) => one - other)
		.flatMap(([word]) => (/^[a-z]{3,}$/.test(word) ? [word] : []));
}

/** Draws words: the same random numbers, the same text. */
interface WordSource {
	word(next: () => number): string;
	topicWord(topic: number, next: () => number): string;
}

function createWordSource(): WordSource {
	const words = readWords();
	const sums = new Float64Array(words.length);
	let sum = 0;
	for (let rank = 0; rank < words.length; rank++) {
		sum += 1 / (rank + ZIPF_SHIFT) ** ZIPF_EXPONENT;
		sums[rank] = sum;
	}
	const pick = createSeededNumbers(3);
	const topics = Array.from({ length: TOPICS }, () =>
		Array.from({ length: TOPIC_WORDS }, () => {
			const rank = COMMON_WORDS + Math.floor(pick() * (words.length - COMMON_WORDS));
			return words[rank] ?? "";
		}),
	);
	return {
		word(next) {
			const drawn = next() * sum;
			let [low, high] = [0, sums.length - 1];
			while (low < high) {
				const middle = (low + high) >>> 1;
				if ((sums[middle] ?? 0) < drawn) low = middle + 1;
				else high = middle;
			}
			return words[low] ?? "";
		},
		topicWord(topic, next) {
			const place = Math.floor(TOPIC_WORDS * next() ** 2);
			return topics[topic]?.[place] ?? "";
		},
	};
}

/** Concept by concept, so that not all need be in memory. */
export function createConceptSource(length: TextLength): (index: number) => Concept {
	const source = createWordSource();
	let evidence: readonly Evidence[] = [];
	let evidenceOf = -1;
	const sentence = (topic: number, words: number, next: () => number): string => {
		const drawn = Array.from({ length: words }, () =>
			next() < TOPIC_SHARE ? source.topicWord(topic, next) : source.word(next),
		);
		return `${drawn.join(" ")}.`;
	};
	return (index) => {
		const next = createSeededNumbers(1_000_003 + index);
		const topic = topicOf(index);
		const title = `${source.topicWord(topic, next)} ${source.topicWord(topic, next)} ${index}`;
		const group = Math.floor(index / CONCEPTS_PER_SOURCE);
		if (group !== evidenceOf) {
			evidence = [evidenceAt(group)];
			evidenceOf = group;
		}
		const body = () => [13, 11, 14, 12].map((words) => sentence(topic, words, next)).join(" ");
		return {
			id: `generated.c${index}`,
			path: `generated/c${index}.md`,
			type: "Concept",
			title,
			summary: sentence(topic, 18, next),
			body: length === "long" ? body() : "",
			tags: [],
			aliases: [],
			evidence,
			edges: index >= TOPICS ? [toEarlier(index, next)] : [],
			trust: "unverified",
			status: "stable",
			generatedAt: undefined,
			staleAfter: undefined,
		};
	};
}

export function generateTextGraph(id: string, size: number, length: TextLength): Graph {
	const concept = createConceptSource(length);
	const concepts = Array.from({ length: size }, (_, index) => concept(index));
	return measuredGraph({ id, concepts, contentHash: `generated-${length}-${size}` });
}

/** `count` questions, no two alike: some words of a topic and some of any, in a sentence. */
export function generateTextQueries(count: number, seed = 2): string[] {
	const source = createWordSource();
	const next = createSeededNumbers(seed);
	const queries = new Set<string>();
	while (queries.size < count) {
		const topic = Math.floor(next() * TOPICS);
		const about = () => source.topicWord(topic, next);
		queries.add(`how does ${about()} ${about()} with ${source.word(next)} for ${about()}`);
	}
	return [...queries];
}

function topicOf(index: number): number {
	return index % TOPICS;
}

/** A link to an earlier concept of the same topic. */
function toEarlier(index: number, next: () => number) {
	const back = TOPICS * (1 + Math.floor(next() * Math.floor(index / TOPICS)));
	return { type: "relates-to", target: `generated.c${index - back}`, weight: 1 };
}

function evidenceAt(group: number): Evidence {
	return {
		articleId: `s${group}`,
		title: `Generated source ${group}`,
		sourceUrl: `https://example.org/generated/${group}`,
		publishedAt: "2020-01-01",
		datePrecision: "day",
	};
}
