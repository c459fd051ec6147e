import fc from "fast-check";
import type { AlignedRow, DatedSeries } from "../../skills/feeds/compare-series.js";
import type { Frequency } from "../../skills/feeds/feed-registry.js";
import { FREQUENCIES } from "../../skills/feeds/feed-wire.js";
import { nextPeriod, toCoarser, toWeek } from "../../skills/feeds/period.js";

/** Where a series of each frequency begins. */
export const START: Readonly<Record<Frequency, string>> = {
	daily: "2019-11-17",
	weekly: "2019-11-17",
	monthly: "2019-11",
	quarterly: "2019-Q4",
	annual: "2019",
};

const values = fc.array(fc.integer({ min: -1000, max: 100_000 }), { minLength: 2, maxLength: 60 });

/** A series of any frequency, without gaps. */
export const anySeries = fc.constantFrom(...FREQUENCIES).chain((frequency) =>
	values.map((numbers) => {
		let period = START[frequency];
		const observations = numbers.map((number) => {
			const observation = [period, (number / 100).toFixed(2)] as const;
			period = nextPeriod(period, frequency);
			return observation;
		});
		return { frequency, observations };
	}),
);

/** Whether no mean in an aligned row is beyond what it is the mean of. */
export function isWithin(
	{ period, values: row }: AlignedRow,
	{ all, frequency }: { readonly all: readonly DatedSeries[]; readonly frequency: Frequency },
): boolean {
	return all.every(({ observations }, column) => {
		const value = row[column] ?? null;
		const numbers = observations
			.filter(
				([own]) => (frequency === "weekly" ? toWeek(own, 0) : toCoarser(own, frequency)) === period,
			)
			.map(([, text]) => Number(text));
		const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
		return value === null || (value >= least - 1e-6 && value <= most + 1e-6);
	});
}
