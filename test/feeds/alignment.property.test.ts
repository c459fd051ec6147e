import fc from "fast-check";
import t from "tap";
import {
	alignSeries,
	coarsestOf,
	correlate,
	transformRows,
} from "../../skills/feeds/compare-series.js";
import { exactDifference, isPublishedNumber, shiftPoint } from "../../skills/feeds/feed-reading.js";
import type { Frequency } from "../../skills/feeds/feed-registry.js";
import { FREQUENCIES } from "../../skills/feeds/feed-wire.js";
import { changeOf } from "../../skills/feeds/observed-feed.js";
import { nextPeriod, periodStart, toPeriod } from "../../skills/feeds/period.js";
import { anySeries, isWithin, START } from "./any-series.js";

t.test("aligned rows are in order, lie within the series, and hold what the series say", (t) => {
	fc.assert(
		fc.property(fc.array(anySeries, { minLength: 2, maxLength: 6 }), (all) => {
			const frequency = coarsestOf(all.map((one) => one.frequency));
			const rows = alignSeries(all, frequency);
			const periods = rows.map(({ period }) => period);
			const isOrdered = periods.every(
				(period, place) =>
					toPeriod(period, frequency) === period && (periods[place - 1] ?? "") < period,
			);
			const isFull = rows.every((row) => row.values.some((value) => value !== null));
			return isOrdered && isFull && rows.every((row) => isWithin(row, { all, frequency }));
		}),
		{ numRuns: 100 },
	);
	t.end();
});

t.test(
	"a series at its own frequency is returned as it is, and a part of a period is no mean",
	(t) => {
		fc.assert(
			fc.property(anySeries, ({ frequency, observations }) => {
				const same = alignSeries([{ frequency, observations }], frequency);
				return same.every(
					({ period, values: [value] }, place) =>
						period === observations[place]?.[0] && value === Number(observations[place]?.[1]),
				);
			}),
			{ numRuns: 50 },
		);
		const monthly = {
			frequency: "monthly" as const,
			observations: ["2025-11", "2025-12", "2026-01", "2026-02", "2026-03", "2026-04"].map(
				(period, place) => [period, String(place + 1)] as const,
			),
		};
		t.same(alignSeries([monthly], "quarterly"), [{ period: "2026-Q1", values: [4] }]);
		t.same(alignSeries([monthly], "annual"), []);
		t.end();
	},
);

t.test("days are compared with the whole week of a weekly series", (t) => {
	const dayAfter = (days: number) =>
		new Date(Date.UTC(2026, 0, 1 + days)).toISOString().slice(0, 10);
	const daily = Array.from({ length: 28 }, (_, day) => [dayAfter(day), String(day)] as const);
	const saturdays = [2, 9, 16, 23].map((day) => [dayAfter(day), String(day * 10)] as const);
	const rows = alignSeries(
		[
			{ frequency: "daily", observations: daily },
			{ frequency: "weekly", observations: saturdays },
		],
		"weekly",
	);
	t.same(rows, [
		{ period: "2026-01-03", values: [null, 20] },
		{ period: "2026-01-10", values: [6, 90] },
		{ period: "2026-01-17", values: [13, 160] },
		{ period: "2026-01-24", values: [20, 230] },
	]);
	const fridayForOnce = saturdays.map(
		([day, value], week) => [week === 2 ? "2026-01-16" : day, value] as const,
	);
	t.same(
		alignSeries(
			[
				{ frequency: "weekly", observations: saturdays },
				{ frequency: "weekly", observations: fridayForOnce },
			],
			"weekly",
		).map(({ values }) => values),
		[20, 90, 160, 230].map((value) => [value, value]),
		"a week is the same one when a holiday moved its day",
	);
	t.end();
});

t.test("periods are read in every way sources write them, and no other", (t) => {
	const cases: readonly (readonly [string, Frequency, string | undefined])[] = [
		["2025", "annual", "2025"],
		["2025-03-31", "annual", "2025"],
		["2025-Q3", "quarterly", "2025-Q3"],
		["2025 Q3", "quarterly", "2025-Q3"],
		["2025-08-01", "quarterly", "2025-Q3"],
		["2025M08", "monthly", "2025-08"],
		["2025-M08", "monthly", "2025-08"],
		["2025-8", "monthly", "2025-08"],
		["2025 AUG", "monthly", "2025-08"],
		["20250831", "daily", "2025-08-31"],
		["2025-08-31T00:00:00", "daily", "2025-08-31"],
		["31 Aug 2025", "daily", "2025-08-31"],
		["31/08/2025", "daily", undefined],
		["2025", "monthly", undefined],
		["2025-Q3", "monthly", undefined],
		["2025-13", "monthly", undefined],
		["2025-02-29", "daily", undefined],
		["0000", "annual", undefined],
		["", "annual", undefined],
	];
	for (const [text, frequency, wanted] of cases) t.equal(toPeriod(text, frequency), wanted, text);
	t.equal(toPeriod("31/08/2025", "daily", "dmy"), "2025-08-31");
	t.equal(toPeriod("08/31/2025", "daily", "mdy"), "2025-08-31");
	fc.assert(
		fc.property(fc.constantFrom(...FREQUENCIES), fc.nat(400), (frequency, steps) => {
			let period = START[frequency];
			for (let step = 0; step < steps; step += 1) {
				const next = nextPeriod(period, frequency);
				if (next <= period || periodStart(next) <= periodStart(period)) return false;
				period = next;
			}
			return toPeriod(period, frequency) === period;
		}),
		{ numRuns: 30 },
	);
	t.end();
});

t.test(
	"digits are kept: no number is rounded when its point is moved or a difference is taken",
	(t) => {
		fc.assert(
			fc.property(
				fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n }),
				fc.integer({ min: -15, max: 15 }),
				(digits, places) =>
					shiftPoint(shiftPoint(String(digits), places), -places) === String(digits),
			),
		);
		t.equal(shiftPoint("1951923942083.32", -12), "1.95192394208332");
		t.equal(shiftPoint("0.5", 2), "50");
		t.equal(exactDifference("0.3", "0.1"), 0.2);
		t.equal(exactDifference("83.76", "85.40"), -1.64);
		for (const bad of [
			"NaN",
			"Infinity",
			"1e400",
			"1e18",
			"0x10",
			"1,5",
			"--1",
			"",
			"1".repeat(60),
		]) {
			t.notOk(isPublishedNumber(bad), bad);
		}
		for (const good of ["0", "-1.50", ".5", "1e-3", "+2"]) t.ok(isPublishedNumber(good), good);
		t.end();
	},
);

t.test("changes, transforms and correlations say what they are documented to", (t) => {
	const monthly = (count: number, value: (place: number) => number) =>
		Array.from({ length: count }, (_, place) => {
			const month = String((place % 12) + 1).padStart(2, "0");
			return [`${2020 + Math.floor(place / 12)}-${month}`, value(place).toFixed(1)] as const;
		});
	const price = { frequency: "monthly" as const, unit: "US dollars" };
	t.same(
		changeOf(
			price,
			monthly(14, (place) => 100 + place),
		),
		{
			abs: 1,
			pct: 0.8929,
			yoy: 11.8812,
			yoy_unit: "percent",
		},
	);
	t.same(
		changeOf(
			{ ...price, unit: "percent" },
			monthly(14, (place) => place / 10),
		),
		{
			abs: 0.1,
			pct: null,
			yoy: 1.2,
			yoy_unit: "percentage_points",
		},
	);
	t.same(changeOf(price, [["2020-01", "-1"]]), {
		abs: null,
		pct: null,
		yoy: null,
		yoy_unit: "percent",
	});
	const rows = [1, 2, 4].map((value, place) => ({
		period: `202${place}`,
		values: [value, place === 0 ? null : -value],
	}));
	t.same(
		transformRows(rows, "pct_change").map((row) => row.values),
		[
			[100, null],
			[100, null],
		],
	);
	t.same(
		transformRows(rows, "index").map((row) => row.values[0]),
		[50, 100, 200],
	);
	t.match(correlate(rows, 2), [{ pair: [0, 1], r: null, n: 2, isSmallSample: true }]);
	const opposed = Array.from({ length: 12 }, (_, x) => ({
		period: `${x}`,
		values: [x, -2 * x, 7],
	}));
	t.match(correlate(opposed, 3), [
		{ pair: [0, 1], r: -1, n: 12, isSmallSample: false },
		{ pair: [0, 2], r: null },
		{ pair: [1, 2], r: null },
	]);
	t.end();
});
