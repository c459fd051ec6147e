import t from "tap";
import { createFeedFetcher, createHostPace } from "../../skills/feeds/feed-fetcher.js";
import { FEED_LIMITS } from "../../skills/feeds/feed-limits.js";
import { createFeedCache, createSharedFeedCache } from "../../skills/feeds/feed-values.js";
import type { Clock } from "../../src/kernel/clock.js";
import type { Egress } from "../../src/kernel/outbound.js";
import { createMemoryStore } from "../a2a/memory-store.js";
import { createMemoryDisk } from "../search/memory-disk.js";
import { manualClock } from "../support/manual-clock.js";
import { asText, BRENT, feedAt, GOOD, NOON, openTestFeeds, startSource } from "./feed-source.js";

t.test(
	"a source is asked again when it is time, and a conditional request saves what is known already",
	async (t) => {
		const clock = manualClock(NOON);
		const source = await startSource(
			t,
			asText(GOOD, { ETag: '"v1"', "Last-Modified": "Sat, 01 Aug 2026 00:00:00 GMT" }),
		);
		const { feeds } = openTestFeeds([feedAt(source.origin, "eia:brent")], { clock });
		await Promise.all([feeds.observe(BRENT), feeds.observe(BRENT)]);
		await feeds.observe(BRENT);
		t.equal(
			source.requests.length,
			1,
			"calls at once share one request, and what is fresh needs none",
		);
		t.equal(source.requests[0]?.headers["user-agent"], "tollgraph-test");

		source.answer = (_request, response) => void response.writeHead(304).end();
		clock.advance(FEED_LIMITS.freshMs.monthly);
		const { feeds: found, skipped } = await feeds.observe(BRENT);
		t.match(source.requests[1]?.headers, {
			"if-none-match": '"v1"',
			"if-modified-since": "Sat, 01 Aug 2026 00:00:00 GMT",
		});
		t.same(skipped, []);
		t.match(found, [
			{ stale: false, last: { value_text: "83.76" }, retrieved_at: "2026-11-22T18:00:00.000Z" },
		]);
		await feeds.observe(BRENT);
		t.equal(source.requests.length, 2, "no change is as good as news");
	},
);

t.test(
	"a host is never asked twice within its interval, and no caller waits for it forever",
	async (t) => {
		let nowMs = 0;
		const waiting: { readonly atMs: number; readonly run: () => void }[] = [];
		const clock = {
			monotonicMs: () => nowMs,
			after: (delayMs: number, run: () => void) => {
				waiting.push({ atMs: nowMs + delayMs, run });
				return () => undefined;
			},
		} as Partial<Clock> as Clock;
		const pace = createHostPace(clock);
		const turns: number[] = [];
		const rules = { intervalMs: 1_000, patienceMs: 2_500 };
		const asked = Array.from({ length: 5 }, async () => {
			const isTurn = await pace.turn("fred.stlouisfed.org", rules);
			if (isTurn) turns.push(nowMs);
			return isTurn;
		});
		await pace.turn("api.worldbank.org", rules);
		t.equal(waiting.length, 2, "another host has a pace of its own");
		for (const { atMs, run } of waiting) {
			nowMs = atMs;
			run();
			await new Promise(setImmediate);
		}
		t.same(await Promise.all(asked), [true, true, true, false, false]);
		t.same(turns, [0, 1_000, 2_000]);
		nowMs = 10_000;
		t.ok(await pace.turn("fred.stlouisfed.org", rules));
	},
);

t.test("a last good value survives a restart; a torn or forged file is none", async (t) => {
	const clock = manualClock(NOON);
	const source = await startSource(t, asText(GOOD));
	const specs = [feedAt(source.origin, "eia:brent")];
	const disk = createMemoryDisk();
	await openTestFeeds(specs, { disk, clock }).feeds.observe(BRENT);
	t.same([...disk.files.keys()], ["eia+brent.json"]);
	const [whole] = disk.files.values();

	source.answer = (_request, response) => void response.destroy();
	clock.advance(FEED_LIMITS.freshMs.monthly);
	const reopen = (bytes: Uint8Array | undefined) => {
		const files = new Map(bytes ? [["eia+brent.json", bytes]] : []);
		return openTestFeeds(specs, { disk: createMemoryDisk(files), clock }).feeds.observe(BRENT);
	};
	t.match(await reopen(whole), {
		feeds: [{ stale: true, last: { value_text: "83.76" } }],
		skipped: [{ shown: "last_good" }],
	});
	for (const cut of [0, 10, 70, (whole?.length ?? 0) - 5]) {
		t.match(await reopen(whole?.subarray(0, cut)), { feeds: [], skipped: [{ shown: null }] });
	}
	const forged = Buffer.from(
		Buffer.from(whole ?? [])
			.toString()
			.replace("83.76", "99.76"),
	);
	t.match(await reopen(forged), { feeds: [] }, "a flipped digit is noticed");
});

t.test("a power cut while a value is written leaves the one before", async (t) => {
	const clock = manualClock(NOON);
	const source = await startSource(t, asText(GOOD));
	const specs = [feedAt(source.origin, "eia:brent")];
	for (const survived of [0, 1, 2]) {
		source.answer = asText(GOOD);
		const before = createMemoryDisk();
		await openTestFeeds(specs, { disk: before, clock }).feeds.observe(BRENT);
		const disk = createMemoryDisk(new Map(before.files), survived);
		const { feeds, problems } = openTestFeeds(specs, { disk, clock });
		source.answer = asText(`${GOOD}2026-08-01,90.10\n`);
		clock.advance(FEED_LIMITS.freshMs.monthly);
		t.match(await feeds.observe(BRENT), { feeds: [{ last: { value_text: "90.10" } }] });
		source.answer = (_request, response) => void response.destroy();
		clock.advance(FEED_LIMITS.freshMs.monthly);
		const later = openTestFeeds(specs, { disk: createMemoryDisk(disk.files), clock });
		const [kept] = (await later.feeds.observe(BRENT)).feeds;
		t.ok(["83.76", "90.10"].includes(kept?.last?.value_text ?? ""), `cut at change ${survived}`);
		t.ok(survived > 1 || problems.length > 0, "and it is told");
	}
});

t.test("what callers ask of search feeds is never put on the disk", async (t) => {
	const source = await startSource(
		t,
		asText(
			'{"hits":[{"title":"A story","url":"https://example.org/1","created_at":"2026-11-20"}]}',
		),
	);
	const { feeds, disk } = openTestFeeds([feedAt(source.origin, "hn:search")], {
		clock: manualClock(NOON),
	});
	const ask = (topic?: string) => feeds.observe({ feedIds: ["hn:search"], topic, limit: 5 });
	t.match(await ask("secret plan"), { feeds: [{ items: [{ title: "A story" }] }], skipped: [] });
	await ask("secret plan");
	t.equal(source.requests.length, 1, "the same question is remembered");
	await ask("another plan");
	t.equal(source.requests.length, 2);
	t.match(await ask(), { feeds: [], skipped: [{ reason: /send a topic/ }] });
	t.same(await disk.list(), []);
});

t.test("what is fetched in excess is refused, not queued without end", async (t) => {
	const source = await startSource(t, asText(GOOD));
	const specs = Array.from({ length: 12 }, (_, index) =>
		feedAt(source.origin, "eia:brent", { id: `eia:b${index}`, intervalMs: 1_000 }),
	);
	const { feeds } = openTestFeeds(specs);
	const { feeds: found, skipped } = await feeds.observe({
		feedIds: specs.map(({ id }) => id),
		limit: 1,
	});
	t.equal(found.length, 4, "turns within the patience of a call");
	t.equal(skipped.length, 8);
	t.match(skipped[0]?.reason, /once every 1 s/);
	t.match(
		await feeds.recall(specs[11] as (typeof specs)[0]),
		{ failures: 0 },
		"which is no failure",
	);
});

t.test("the time of a fetch counts from its asking, its place in the queue included", async (t) => {
	let nowMs = 0;
	const timers = new Set<{ readonly atMs: number; readonly run: () => void }>();
	const after = (delayMs: number, run: () => void) => {
		const timer = { atMs: nowMs + delayMs, run };
		timers.add(timer);
		return () => void timers.delete(timer);
	};
	const clock = { now: () => nowMs, monotonicMs: () => nowMs, after } as Partial<Clock> as Clock;
	const advance = async (toMs: number) => {
		nowMs = toMs;
		for (const timer of timers) {
			if (timer.atMs > nowMs) continue;
			timers.delete(timer);
			timer.run();
		}
		await new Promise((resolve) => setImmediate(resolve));
	};
	const asked: number[] = [];
	const egress: Egress = {
		request: ({ timeoutMs }) =>
			new Promise((_resolve, reject) => {
				asked.push(nowMs + timeoutMs);
				after(timeoutMs, () => reject(new DOMException("late", "TimeoutError")));
			}),
	};
	const fetchFeed = createFeedFetcher({ egress, clock, userAgent: "test" });
	const { fetchesRunning, fetchesWaiting, fetchMs, fetchLeastMs } = FEED_LIMITS;
	const ended: number[] = [];
	const codes: string[] = [];
	for (let n = 0; n < fetchesRunning + fetchesWaiting; n++) {
		void fetchFeed(feedAt(`http://h${n}.example`, "eia:brent"), {}).catch((error) => {
			codes.push(error.code);
			ended.push(nowMs);
		});
	}
	for (let atMs = 0; atMs <= fetchMs * 3; atMs += 100) await advance(atMs);
	t.equal(ended.length, fetchesRunning + fetchesWaiting);
	t.equal(Math.max(...ended), fetchMs);
	t.ok(asked.every((endMs) => endMs <= fetchMs));
	t.same(
		[...codes].sort().map((code) => code === "RATE_LIMITED"),
		[...Array(fetchesWaiting).fill(true), ...Array(fetchesRunning).fill(false)],
		"whoever waited too long was not asked, which is no failure of its source",
	);
	t.equal(fetchMs - Math.min(...ended), fetchLeastMs);
});

t.test("what one process asked a source is the value of all on the store", async (t) => {
	const clock = manualClock(NOON);
	const source = await startSource(t, asText(GOOD));
	const { documents } = createMemoryStore();
	const open = () => {
		const own = createFeedCache(async () => createMemoryDisk());
		const cache = createSharedFeedCache({ documents, clock, own });
		return openTestFeeds([feedAt(source.origin, "eia:brent")], { clock, cache }).feeds;
	};
	const [first, second] = [open(), open()];
	await second.observe(BRENT);
	await first.observe(BRENT);
	t.equal(source.requests.length, 1, "the other has it");
	clock.advance(FEED_LIMITS.freshMs.monthly);
	await first.observe(BRENT);
	const { feeds: found } = await second.observe(BRENT);
	t.equal(source.requests.length, 2, "and the next one, though it had read one before");
	t.match(found, [{ stale: false, retrieved_at: "2026-11-22T18:00:00.000Z" }]);
});
