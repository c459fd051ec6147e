import t from "tap";
import { createFeedFetcher, createHostPace } from "../../skills/feeds/feed-fetcher.js";
import { FEED_LIMITS } from "../../skills/feeds/feed-limits.js";
import { type Clock, systemClock } from "../../src/kernel/clock.js";
import { manualClock } from "../support/manual-clock.js";
import { asText, feedAt, GOOD, NOON, openTestFeeds, startSource } from "./feed-source.js";

t.test(
	"a host that says when to come back is left alone until then, by all its feeds",
	async (t) => {
		const clock = manualClock(NOON);
		const source = await startSource(t, (_request, response) => {
			response.writeHead(429, { "Retry-After": "1800" }).end();
		});
		const ids = ["eia:brent", "eia:wti"];
		const { feeds } = openTestFeeds(
			ids.map((id) => feedAt(source.origin, id)),
			{ clock },
		);
		const look = (id: string) => feeds.observe({ feedIds: [id], limit: 5 });
		t.match((await look("eia:brent")).skipped, [{ reason: /status 429/ }]);
		t.match((await look("eia:wti")).skipped, [{ reason: /asks to be left alone/ }]);
		clock.advance(1_800_000 - 1);
		t.match((await look("eia:brent")).skipped, [{ reason: /asks to be left alone/ }]);
		t.equal(source.requests.length, 1);
		source.answer = asText(GOOD);
		clock.advance(1);
		t.match(await look("eia:brent"), { skipped: { length: 0 } });
		t.equal(source.requests.length, 2);

		source.answer = (_request, response) => {
			response.writeHead(503, { "Retry-After": "999999" }).end();
		};
		await look("eia:wti");
		source.answer = asText(GOOD.replaceAll("MCOILBRENTEU", "MCOILWTICO"));
		clock.advance(FEED_LIMITS.retryMaxMs);
		t.match(
			await look("eia:wti"),
			{ skipped: { length: 0 } },
			"an hour is the most it may ask for",
		);
	},
);

t.test("nor is it asked by those who waited for their turn when it said so", async (t) => {
	const timers: { readonly atMs: number; readonly run: () => void }[] = [];
	let nowMs = Date.parse(NOON);
	const clock: Clock = {
		...systemClock,
		now: () => nowMs,
		monotonicMs: () => nowMs,
		after: (delayMs, run) => {
			timers.push({ atMs: nowMs + delayMs, run });
			return () => undefined;
		},
	};
	let asked = 0;
	const fetchFeed = createFeedFetcher({
		clock,
		userAgent: "test",
		egress: {
			request: async () => {
				asked += 1;
				return new Response("", { status: 429, headers: { "Retry-After": "1800" } });
			},
		},
	});
	const feed = feedAt("https://host.example", "eia:brent", { intervalMs: 1_000 });
	const fetched = [1, 2, 3].map(() => fetchFeed(feed, {}).catch(({ code }) => code));
	while (asked === 0) await new Promise(setImmediate);
	for (const { atMs, run } of timers.sort((a, b) => a.atMs - b.atMs).slice(0, 2)) {
		nowMs = Math.max(nowMs, atMs);
		run();
		await new Promise(setImmediate);
	}
	const [first, ...others] = await Promise.all(fetched);
	t.not(first, "RATE_LIMITED", "it was asked, and said so");
	t.same(others, ["RATE_LIMITED", "RATE_LIMITED"], "which is no failure of theirs");
	t.equal(asked, 1);
});

t.test("of two spans a host asks for, the one that ends later counts", async (t) => {
	const clock = manualClock(NOON);
	const pace = createHostPace(clock);
	pace.hold("host.example", 3_600_000);
	pace.hold("host.example", 10);
	clock.advance(3_600_000 - 1);
	t.ok(pace.isHeld("host.example"));
	pace.hold("host.example", 10);
	clock.advance(9);
	t.ok(pace.isHeld("host.example"));
	clock.advance(1);
	t.notOk(pace.isHeld("host.example"));
	pace.hold("host.example", 3_600_000);
	clock.advance(-7_200_000);
	pace.hold("host.example", 10);
	t.ok(pace.isHeld("host.example"), "what a clock promised that was set back counts no more");
	clock.advance(10);
	t.notOk(pace.isHeld("host.example"));
});
