import t from "tap";
import { parseSourceDate } from "../../src/documents/front-matter.js";

t.test("dates are read as people write them", async (t) => {
	const cases: readonly [unknown, string, string][] = [
		["2018-08-01", "2018-08-01", "day"],
		["2018-08", "2018-08-01", "month"],
		["2018", "2018-01-01", "year"],
		[2018, "2018-01-01", "year"],
		["2026-11-20T00:00:00Z", "2026-11-20", "day"],
		["2018/8/1", "2018-08-01", "day"],
		["13-Jun-2000", "2000-06-13", "day"],
		["13 June 2000", "2000-06-13", "day"],
		["June 13, 2000", "2000-06-13", "day"],
		["June 2000", "2000-06-01", "month"],
		[new Date("2001-02-03T00:00:00Z"), "2001-02-03", "day"],
	];
	for (const [value, date, precision] of cases) {
		t.same(parseSourceDate(value), { date, precision }, String(value));
	}
});

t.test("what is no day of the calendar is no date", async (t) => {
	for (const value of ["2021-02-29", "2021-13", "soon", "31-Foo-2000", "", null, 12, {}, "0099"]) {
		t.equal(parseSourceDate(value), undefined, String(value));
	}
});
