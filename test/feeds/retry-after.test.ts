import t from "tap";
import { FEED_LIMITS } from "../../src/core/feed-limits.js";
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
