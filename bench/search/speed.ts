import { atLeast, atMost, type Bar } from "./bars.js";
import { exponentOf } from "./exponent.js";
import type { HybridCost } from "./hybrid-cost.js";
import { KEYWORD_ENGINES, type KeywordCost, type KeywordInput, TEXTS } from "./keyword-cost.js";
import { runTask } from "./measured-process.js";
import type { PartOutcome, PartTools } from "./part.js";

type WithPeak<T> = T & { readonly peak_rss_mb: number };

interface SpeedReport {
	readonly concepts: number;
	/** By kind of text, words alone. */
	readonly keywords: Readonly<Record<string, Readonly<Record<string, WithPeak<KeywordCost>>>>>;
	/** Whole hybrid answers over the texts that read as prose. */
	readonly hybrid: WithPeak<HybridCost>;
}

const OUR_QUERIES = 2_500;
/** The others take milliseconds to seconds a query. */
const OTHERS_QUERIES = 100;
/** Above, the others take gigabytes and minutes, and texts are short and their vectors sums of those of words. */
const OTHERS_CONCEPTS_MAX = 100_000;
/** One of the others indexes and answers for more than ten minutes at the largest size it is asked at. */
const LONGEST_MS = 2_400_000;
/** How many times cheaper than these the lexical side has to be. */
const TIMES_CHEAPER: Readonly<Record<string, number>> = {
	minisearch: 20,
	"minisearch-exact": 20,
	orama: 10,
};
/** Measured exponents scatter by some hundredths from run to run. */
const LINEAR = 1.05;

/**
 * What a query costs at each size, each engine in a process of its own, on the same texts. The queries that the others are measured
 * with are the first ones of ours; every fifth holds a typo.
 */
export async function measureSpeed(tools: PartTools): Promise<PartOutcome> {
	const report: SpeedReport[] = [];
	for (const concepts of tools.sizes.speed) {
		tools.say(`  ${concepts} concepts`);
		report.push({
			concepts,
			keywords: await measureAllKeywords(concepts, tools),
			hybrid: await measureHybridAt(concepts, tools),
		});
	}
	return { report, bars: [...report.flatMap(comparisons), ...exponents(report)] };
}

async function measureAllKeywords(
	concepts: number,
	{ say }: PartTools,
): Promise<SpeedReport["keywords"]> {
	const isLarge = concepts > OTHERS_CONCEPTS_MAX;
	const byTexts: Record<string, Record<string, WithPeak<KeywordCost>>> = {};
	for (const texts of isLarge ? (["prose"] as const) : TEXTS) {
		const costs: Record<string, WithPeak<KeywordCost>> = {};
		for (const engine of isLarge ? (["lexical", "ours"] as const) : KEYWORD_ENGINES) {
			say(`    ${texts}: ${engine}`);
			const cost = await measureEngine({ engine, texts, concepts }, say);
			if (cost) costs[engine] = cost;
		}
		byTexts[texts] = costs;
	}
	return byTexts;
}

/** Undefined when another engine does not bear this size: ours has to. */
async function measureEngine(
	asked: Omit<KeywordInput, "queries">,
	say: PartTools["say"],
): Promise<WithPeak<KeywordCost> | undefined> {
	const isOurs = asked.engine === "ours" || asked.engine === "lexical";
	const input = { ...asked, queries: isOurs ? OUR_QUERIES : OTHERS_QUERIES };
	try {
		const { result, peakRssMb } = await runTask("keywords", input, { timeoutMs: LONGEST_MS });
		return { ...result, peak_rss_mb: peakRssMb };
	} catch (error) {
		if (isOurs) throw error;
		say(`    no figure: ${String(error)}`);
		return undefined;
	}
}

async function measureHybridAt(
	concepts: number,
	{ prepared, model, say }: PartTools,
): Promise<WithPeak<HybridCost>> {
	const isLarge = concepts > OTHERS_CONCEPTS_MAX;
	const data = isLarge ? { shortTexts: concepts } : { folder: await prepared.of(concepts) };
	say("    hybrid");
	const input = { model, data, queries: OUR_QUERIES };
	const { result, peakRssMb } = await runTask("hybrid", input, { timeoutMs: LONGEST_MS });
	return { ...result, peak_rss_mb: peakRssMb };
}

function comparisons({ concepts, keywords }: SpeedReport): readonly Bar[] {
	return Object.entries(keywords).flatMap(([texts, costs]) => {
		const ours = costs["lexical"]?.cpu_ms_per_query ?? Number.NaN;
		return Object.entries(TIMES_CHEAPER).flatMap(([engine, times]) => {
			const theirs = costs[engine]?.cpu_ms_per_query;
			if (theirs === undefined) return [];
			const figure = `words of ${texts}, ${concepts} concepts, times cheaper than ${engine}`;
			return [atLeast(figure, Math.round((theirs / ours) * 10) / 10, times)];
		});
	});
}

function exponents(report: readonly SpeedReport[]): readonly Bar[] {
	if (report.length < 2) return [];
	const bar = (name: string, costOf: (one: SpeedReport) => number) => {
		const exponent = exponentOf(report.map((one) => [one.concepts, costOf(one)]));
		return atMost(`${name} cost grows with concepts to the power of`, exponent, LINEAR);
	};
	return [
		bar(
			"lexical",
			({ keywords }) => keywords["prose"]?.["lexical"]?.cpu_ms_per_query ?? Number.NaN,
		),
		bar("hybrid", ({ hybrid }) => hybrid.cpu_ms_per_query),
	];
}
