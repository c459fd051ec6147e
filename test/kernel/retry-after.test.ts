import t from "tap";
import { readRetryAfterMs } from "../../src/kernel/outbound.js";

const NOW = Date.parse("2026-11-22T12:00:00Z");
const HOUR_MS = 3_600_000;

function read(retryAfter: string | undefined, status = 503): number | undefined {
	const headers = new Headers(retryAfter === undefined ? {} : { "retry-after": retryAfter });
	return readRetryAfterMs({ status, headers }, { now: NOW, maxMs: HOUR_MS });
}

t.test("a wait is read in seconds and as a date of each form", async (t) => {
	t.equal(read("120"), 120_000);
	t.equal(read(" 7 ", 429), 7_000);
	t.equal(read("Sun, 22 Nov 2026 12:05:00 GMT"), 300_000);
	t.equal(read("Sunday, 22-Nov-26 12:05:00 GMT"), 300_000);
	t.equal(read("Sun Nov 22 12:05:00 2026"), 300_000);
});

t.test("no wait is accepted beyond the limit", async (t) => {
	for (const long of ["3601", "9999999999", "Sun, 22 Nov 2099 12:05:00 GMT"]) {
		t.equal(read(long), HOUR_MS, long);
	}
});

t.test("what is no wait, or not asked for by who takes no more, is none", async (t) => {
	const none = ["", "0", "-5", "1.5", "1e3", "soon", "99999999999", "2026-11-22T13:00:00Z"];
	for (const text of [undefined, ...none, "Sun, 22 Nov 2026 11:00:00 GMT", "Sun, GMT"]) {
		t.equal(read(text), undefined, String(text));
	}
	for (const status of [200, 301, 404, 500]) t.equal(read("120", status), undefined);
});
