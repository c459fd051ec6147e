import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { readReply } from "../../skills/feeds/connectors.js";
import { type FeedSpec, isSeries } from "../../skills/feeds/feed-registry.js";
import { compareShapes, fillSample } from "../../skills/feeds/feed-samples.js";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";
import { manualClock } from "../support/manual-clock.js";
import { asText, feedAt, NOON, openTestFeeds, REGISTRY, startSource } from "./feed-source.js";

const FOLDER = join(PACKAGE_ROOT, "feeds/samples");
const sampleOf = (feed: FeedSpec) =>
	fillSample(feed, readFileSync(join(FOLDER, feed.sample), "utf8"));
const feedOf = (id: string): FeedSpec => {
	const feed = REGISTRY.get(id);
	if (!feed) throw new Error(`No feed is called ${id}.`);
	return feed;
};

t.test("every feed has a sample that it reads, and no file is without a feed", async (t) => {
	t.equal(REGISTRY.size, 175);
	for (const feed of REGISTRY.values()) {
		const reading = await readReply(feed, sampleOf(feed), Date.parse(NOON));
		if (reading.kind === "series") {
			t.ok(isSeries(feed) && reading.observations.length >= 1, feed.id);
			t.notMatch(JSON.stringify(reading.observations), /[{}]/, feed.id);
		} else t.ok(reading.items.length >= 1, feed.id);
	}
	const used = new Set([...REGISTRY.values()].map(({ sample }) => sample));
	t.same(readdirSync(FOLDER).sort(), [...used].sort());
});

t.test("a renamed column, a lost path and a lost element are found; figures are none", (t) => {
	const compare = (id: string, change: (sample: string) => string) => {
		const sample = sampleOf(feedOf(id));
		return compareShapes(feedOf(id), sample, change(sample));
	};
	const same = { missing: [], added: [] };
	t.same(
		compare("noaa:co2", (text) => text.replaceAll("431", "777")),
		same,
	);
	t.same(
		compare("noaa:co2", (text) => text.replace("average", "mean")),
		{
			missing: ["average"],
			added: ["mean"],
		},
	);
	t.same(
		compare("worldbank:gdp-usa", (text) => text.replaceAll('"value": 4', '"v": 4')),
		{
			missing: [],
			added: ["[][].v"],
		},
	);
	t.same(
		compare("frankfurter:eur-usd", (text) => text.replaceAll("2025-06", "2026-01")),
		same,
	);
	t.same(compare("fed:press", (text) => text.replaceAll(/<link>[^<]*<\/link>/g, "")).missing, [
		"link",
	]);
	t.same(compare("eurostat:hicp", () => "<html>").missing.length > 5, true, "nothing is left");
	t.end();
});

t.test("a test asks the source once, keeps nothing, and says what changed", async (t) => {
	const clock = manualClock(NOON);
	const source = await startSource(t, asText(sampleOf(feedOf("noaa:co2"))));
	const { feeds } = openTestFeeds(
		[feedAt(source.origin, "noaa:co2"), feedAt(source.origin, "hn:search")],
		{ clock },
	);
	t.match(await feeds.test("noaa:co2"), { state: "same", reason: null, newest: "2026-06-01" });
	t.same((await feeds.recall(await feeds.get("noaa:co2"))).kept, undefined);

	source.answer = asText("year,month,mean\n2026,5,432.34\n");
	const changed = await feeds.test("noaa:co2");
	t.match(changed, { state: "changed", reason: 'Its table has no column "average".' });
	t.same(changed.added, ["mean"]);

	source.answer = asText(sampleOf(feedOf("noaa:co2")).replace("431.44", "many"));
	t.match(await feeds.test("noaa:co2"), { state: "unreadable", missing: [], newest: null });

	source.answer = (_request, response) => response.writeHead(503).end();
	t.match(await feeds.test("noaa:co2"), { state: "unreachable", missing: [] });

	source.answer = asText(sampleOf(feedOf("hn:search")));
	t.match(await feeds.test("hn:search"), { state: "same" });
	t.match(source.requests.at(-1)?.url, /energy/, "a search is asked something");
	await t.rejects(feeds.test("noaa:co3"), { code: "NOT_FOUND" });
});
