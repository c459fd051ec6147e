import { atLeast, atMost, type Bar, below } from "./bars.js";
import { calibrate } from "./calibrate.js";
import { measureColdStart } from "./cold-start.js";
import { writeDecision } from "./decision-file.js";
import { readDevelopmentSet } from "./development-set.js";
import { exponentOf } from "./exponent.js";
import { readLabelledHalf } from "./labelled-half.js";
import { measureLanguages } from "./languages.js";
import { learnWeights } from "./learn-weights.js";
import { runTask } from "./measured-process.js";
import { MULTI_HOP_SETS, type MultiHopReport, measureMultiHop } from "./multi-hop.js";
import type { PartOutcome, PartTools } from "./part.js";
import { measureQuality, type QualityReport } from "./quality.js";
import { decisionBars, developmentBars, fusionBars, labelledBars } from "./quality-bars.js";
import type { QuestionSet } from "./question-set.js";
import { measureHttpRate, measureLoopDelay } from "./server-load.js";
import { measureSpeed } from "./speed.js";

const LONGEST_MS = 600_000;
/** Measured exponents scatter by some hundredths from run to run. */
const LINEAR = 1.05;

export const PARTS = {
	quality: reportQuality,
	speed: measureSpeed,
	async start({ prepared, model, sizes }: PartTools): Promise<PartOutcome> {
		const report = await measureColdStart(await prepared.of(sizes.usual), model);
		return {
			report,
			bars: [
				atMost("first hybrid answer of the engine, ms", report.engine_ms, 1_000),
				atMost("first hybrid answer of the server, ms", report.server_ms, 1_000),
			],
		};
	},
	async rate({ prepared, model, sizes }: PartTools): Promise<PartOutcome> {
		const data = { folder: await prepared.of(sizes.usual) };
		const { result, peakRssMb, isPinned } = await runTask(
			"hybrid",
			{ model, data, queries: 3_000 },
			{ timeoutMs: LONGEST_MS, isPinned: true },
		);
		const report = { ...result, is_pinned_to_one_core: isPinned, peak_rss_mb: peakRssMb };
		const rate = isPinned
			? result.crowd_queries_per_second
			: Math.round(1_000 / result.crowd_cpu_ms_per_query);
		return { report, bars: [atLeast("hybrid queries a second on one core", rate, 500)] };
	},
	async http({ prepared, model, sizes }: PartTools): Promise<PartOutcome> {
		const report = await measureHttpRate(await prepared.of(sizes.usual), model);
		return {
			report,
			bars: [atLeast("unpaid searches a second over HTTP", report.requests_per_second, 300)],
		};
	},
	async events({ prepared, model, sizes }: PartTools): Promise<PartOutcome> {
		const report = await measureLoopDelay(await prepared.of(sizes.usual), model);
		return {
			report,
			bars: [below("event loop delay while embedding, p99 ms", report.p99_ms, 20)],
		};
	},
	async change({ prepared, model, sizes }: PartTools): Promise<PartOutcome> {
		const input = { folder: await prepared.of(sizes.many), model, changes: 10 };
		const { result } = await runTask("changes", input, { timeoutMs: LONGEST_MS });
		const { changed_ms, added_ms, removed_ms } = result;
		return {
			report: result,
			bars: [
				below("a changed concept is found, longest ms", changed_ms.longest, 1_000),
				below("an added concept is found, longest ms", added_ms.longest, 1_000),
				below("a removed concept is gone, longest ms", removed_ms.longest, 1_000),
			],
		};
	},
	async languages({ model }: PartTools): Promise<PartOutcome> {
		return { report: await measureLanguages(model), bars: [] };
	},
	async "multi-hop"({ model }: PartTools): Promise<PartOutcome> {
		const report: MultiHopReport[] = [];
		for (const set of MULTI_HOP_SETS) report.push(await measureMultiHop(model, set));
		const judged = report.filter(({ set }) => set !== "bridges-fit");
		const bars = judged.map(({ set, gain_points: points }) =>
			atLeast(`recall@5 over links, points above words and vectors, ${set}`, points, 10),
		);
		return { report, bars };
	},
	async learn({ model }: PartTools): Promise<PartOutcome> {
		return { report: await learnWeights(await readLabelledHalf("tune"), model), bars: [] };
	},
	async calibrate({ model, judge, imports, isWriting }: PartTools): Promise<PartOutcome> {
		const report = await calibrate(model, { judge, ...(imports !== undefined && { imports }) });
		if (isWriting) {
			const { read, hybrid, keyword } = report;
			writeDecision({ read: read.model, hybrid: hybrid.model, keyword: keyword.model });
		}
		return { report, bars: [] };
	},
	async scale({ model, sizes }: PartTools): Promise<PartOutcome> {
		const input = { model, rows: sizes.rows };
		const { result, peakRssMb } = await runTask("dense", input, { timeoutMs: LONGEST_MS });
		const exponent = exponentOf(result.map(({ rows, median_ms }) => [rows, median_ms]));
		const last = result.at(-1);
		return {
			report: { dense: result, exponent, peak_rss_mb: peakRssMb },
			bars: [
				atLeast(
					`recall@10 of ${last?.rows} rows, those as close as the tenth counted (strict ${last?.recall_at_10_strict})`,
					last?.recall_at_10 ?? 0,
					0.99,
				),
				below(`scan of ${last?.rows} rows, median ms`, last?.median_ms ?? Number.NaN, 25),
				atMost("scan cost grows with rows to the power of", exponent, LINEAR),
			],
		};
	},
} as const;

export type PartName = keyof typeof PARTS;

/** All but what takes minutes and gigabytes. */
export const DEFAULT_PARTS: readonly PartName[] = [
	"quality",
	"speed",
	"start",
	"rate",
	"http",
	"events",
	"change",
];

export function isPart(name: string): name is PartName {
	return Object.hasOwn(PARTS, name);
}

async function reportQuality({
	model,
	judge: judgeModel,
	questions,
	say,
}: PartTools): Promise<PartOutcome> {
	const report: Record<string, QualityReport | { readonly skipped: string }> = {};
	const bars: Bar[] = [];
	const measureSet = async (set: QuestionSet, barsOf: typeof labelledBars) => {
		say(`  ${set.name}, ${set.questions.length} questions`);
		const figures = await measureQuality(set, model, judgeModel);
		report[set.name] = figures;
		bars.push(...fusionBars(set.name, figures), ...barsOf(set.name, figures));
	};
	await measureSet(await readLabelledHalf("tune"), () => []);
	await measureSet(await readLabelledHalf("test"), labelledBars);
	await measureSet(await readLabelledHalf("fresh"), (set, figures) => [
		...labelledBars(set, figures),
		...decisionBars(set, figures),
	]);
	const development = readDevelopmentSet(questions);
	if (development) await measureSet(development, developmentBars);
	else {
		const skipped =
			"There is no development set in ../shared/data/dev: its goals are not measured.";
		report["development"] = { skipped };
		say(`  ${skipped}`);
	}
	return { report, bars };
}
