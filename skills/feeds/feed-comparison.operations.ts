import type { z } from "zod";
import {
	answer,
	noAnswer,
	paidOperation,
	type SkillServices,
	toReply,
} from "../../src/contract/contract.js";
import { invalidArgument, toIsoTime } from "../../src/kernel/kernel.js";
import {
	type AlignedRow,
	alignSeries,
	coarsestOf,
	correlate,
	isFiner,
	transformRows,
} from "./compare-series.js";
import { FEED_LIMITS } from "./feed-limits.js";
import { type Frequency, isSeries, type SeriesSpec } from "./feed-registry.js";
import type { Feeds } from "./feed-service.js";
import {
	FEED_BILLING,
	feedCompareInput,
	feedCompareOutput,
	type ObservedFeedWire,
} from "./feed-wire.js";
import { periodStart } from "./period.js";

type CompareInput = z.infer<typeof feedCompareInput>;
type CompareOutput = z.infer<typeof feedCompareOutput>;

/** Series side by side. Additive to the contract. */
export const seriesComparison = paidOperation({
	id: "supplemental.compare",
	at: "POST /v1/supplemental/compare",
	summary: "Compare series",
	description: `Series at their coarsest frequency, finer ones as the mean of each whole period, with Pearson's correlation of each pair over the periods both have. ${FEED_BILLING}`,
	body: feedCompareInput,
	reply: toReply("SeriesComparisonReply", feedCompareOutput),
	about: `${FEED_LIMITS.compareMin} to ${FEED_LIMITS.compareMax} series at their coarsest frequency, finer ones as the mean of each whole period, with the correlation of each pair over the periods both have. Not charged when fewer than two have a value.`,
	tags: ["supplemental", "statistics", "time series", "correlation"],
	examples: ["Do Brent and WTI prices move together?"],
	output: feedCompareOutput,
	toText: ({ data }) =>
		data.correlations
			.map(({ feeds: pair, r, n }) => `${pair.join(" and ")}: r = ${r ?? "none"} (n = ${n})`)
			.join("\n"),
	create: ({ clock, research }: Pick<SkillServices, "clock" | "research">) => ({
		exampleInput: () => ({
			feeds: ["eia:brent", "eia:wti"],
			since: "2024",
			transform: "pct_change",
		}),
		prepare: async (input) => void (await frequencyOf(research.feeds, input)),
		async run(input) {
			const frequency = await frequencyOf(research.feeds, input);
			const { feeds: told, skipped } = await research.feeds.observe({
				feedIds: input.feeds,
				limit: FEED_LIMITS.observationsKept,
			});
			const compared = compare(told, { ...input, frequency });
			const columns = told.filter(({ feed_id }) =>
				compared.rows.some(({ values }) => typeof values[feed_id] === "number"),
			);
			const isAnswer = columns.length >= FEED_LIMITS.compareMin;
			const figures = isAnswer ? compared : { ...compared, rows: [], correlations: [] };
			const result = {
				ok: true as const,
				data: { ...figures, skipped: [...skipped] },
				meta: { mode: research.feeds.mode, as_of: toIsoTime(clock.now()) },
			};
			return isAnswer ? answer(result) : noAnswer(result);
		},
	}),
	example: { body: { feeds: ["eia:brent", "eia:wti"], since: "2026-06" } },
});

/** Throws NOT_FOUND for an unknown feed, INVALID_ARGUMENT for items and for a frequency that is too fine. */
async function frequencyOf(
	feeds: Feeds,
	{ feeds: ids, frequency }: CompareInput,
): Promise<Frequency> {
	const specs = await Promise.all(ids.map((id) => feeds.get(id)));
	const series = specs.map((spec): SeriesSpec => {
		if (isSeries(spec)) return spec;
		throw invalidArgument(
			`The feed "${spec.id}" has items, not a series; compare feeds with a frequency.`,
		);
	});
	const coarsest = coarsestOf(series.map((spec) => spec.frequency));
	if (frequency === undefined) return coarsest;
	if (!isFiner(frequency, coarsest)) return frequency;
	throw invalidArgument(`These feeds cannot be compared ${frequency}: one of them is ${coarsest}.`);
}

type Asked = Pick<CompareInput, "since" | "transform"> & { readonly frequency: Frequency };

function compare(
	told: readonly ObservedFeedWire[],
	{ since, transform, frequency }: Asked,
): Omit<CompareOutput["data"], "skipped"> {
	const aligned = alignSeries(
		told.map((feed) => ({
			frequency: feed.frequency ?? frequency,
			observations: feed.observations.map(
				({ period, value_text }) => [period, value_text] as const,
			),
		})),
		frequency,
	);
	// Changes need the period before: what is too old goes afterwards, except for an index, which begins with the first row.
	const wanted = (rows: readonly AlignedRow[]) => rowsSince(rows, since);
	const rows =
		transform === "index"
			? transformRows(wanted(aligned), transform)
			: wanted(transformRows(aligned, transform));
	const shown = rows.slice(-FEED_LIMITS.comparePeriodsMax);
	const correlations = correlate(shown, told.length).map(({ pair, r, n, isSmallSample }) => ({
		feeds: pair.map((place) => told[place]?.feed_id ?? ""),
		r,
		n,
		is_small_sample: isSmallSample,
	}));
	return {
		frequency,
		transform,
		feeds: told.map(toCompared),
		rows: shown.map(({ period, values }) => ({
			period,
			values: Object.fromEntries(
				told.map(({ feed_id }, place) => [feed_id, values[place] ?? null]),
			),
		})),
		correlations,
		notes: notesOn({
			told,
			transform,
			frequency,
			isSmall: correlations.some((it) => it.is_small_sample),
		}),
	};
}

function rowsSince(rows: readonly AlignedRow[], since: string | undefined): readonly AlignedRow[] {
	if (since === undefined) return rows;
	const from = periodStart(since);
	return rows.filter(({ period }) => periodStart(period) >= from);
}

function toCompared(feed: ObservedFeedWire) {
	const {
		last: _last,
		change: _change,
		headline: _headline,
		age_days: _ageDays,
		observations: _observations,
		items: _items,
		total: _total,
		...about
	} = feed;
	return about;
}

interface Noted {
	readonly told: readonly ObservedFeedWire[];
	readonly transform: CompareInput["transform"];
	readonly frequency: Frequency;
	readonly isSmall: boolean;
}

function notesOn({ told, transform, frequency, isSmall }: Noted): string[] {
	const isMean = told.some((feed) => feed.frequency !== null && isFiner(feed.frequency, frequency));
	return [
		...(isMean ? [`Finer series are told as the mean of each whole period (${frequency}).`] : []),
		...(transform === "pct_change"
			? []
			: [
					"Levels that grow correlate by growing; use pct_change to ask whether they move together.",
				]),
		...(isSmall
			? [
					`Fewer than ${FEED_LIMITS.correlationPairsMin} periods in common: a correlation says little.`,
				]
			: []),
	];
}
