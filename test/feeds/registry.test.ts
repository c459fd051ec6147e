import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { isSeries, readRegistry } from "../../skills/feeds/feed-registry.js";
import { readBundle } from "../../skills/feeds/feed-values.js";
import { createSuggestFeeds } from "../../skills/feeds/suggest-feeds.js";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";
import { REGISTRY } from "./feed-source.js";

const FOLDER = join(PACKAGE_ROOT, "feeds/observations");
const NOW = Date.UTC(2026, 10, 22);

const observations = readdirSync(FOLDER)
	.filter((name) => name.endsWith(".csv"))
	.map((name) => readFileSync(join(FOLDER, name), "utf8"));

t.test(
	"the registry has a hundred feeds and more, each with an address, a licence and terms",
	(t) => {
		t.ok(REGISTRY.size >= 100, `${REGISTRY.size} feeds`);
		for (const { id, url, page, terms, licence, topics, intervalMs } of REGISTRY.values()) {
			for (const address of [url, page, terms]) t.equal(new URL(address).protocol, "https:", id);
			t.ok(licence.length > 2 && topics.length > 0 && intervalMs >= 500, id);
		}
		const files = new Set([...REGISTRY.keys()].map((id) => id.replace(":", "+").toLowerCase()));
		t.equal(files.size, REGISTRY.size, "no two share a file, on any disk");
		t.end();
	},
);

t.test("a registry with two feeds of a name, a bare address or a missing field is refused", (t) => {
	const feed = {
		id: "a:b",
		provider: "A",
		title: "B",
		topics: ["c"],
		connector: "feed",
		url: "https://example.org/rss",
		page: "https://example.org/",
		licence: "CC0",
		terms: "https://example.org/terms",
		sample: "rss.xml",
	};
	const read = (...feeds: object[]) =>
		readRegistry(JSON.stringify({ sources: [{ feeds: feeds as { id: string }[] }] }));
	t.equal(read(feed).size, 1);
	t.throws(() => read(feed, feed), /Two feeds are called "a:b"/);
	t.throws(() => read({ ...feed, url: "http://example.org/rss" }), /not on https/);
	t.throws(() => read({ ...feed, licence: undefined }));
	t.throws(() => read({ ...feed, id: "../etc/passwd" }));
	t.throws(
		() => read({ ...feed, connector: "csv" }),
		"a series without unit, frequency and reading",
	);
	t.throws(() => read({ ...feed, unknown: 1 }));
	t.end();
});

t.test("bundled observations belong to series of the registry, in order and without gaps", (t) => {
	const { readings } = readBundle(observations, REGISTRY, NOW);
	t.ok(readings.size >= 40, `${readings.size} series`);
	for (const [id, reading] of readings) {
		const feed = REGISTRY.get(id);
		if (!feed || !isSeries(feed) || reading.kind !== "series") throw new Error(id);
		const periods = reading.observations.map(([period]) => period);
		const years = Number(periods.at(-1)?.slice(0, 4)) - Number(periods[0]?.slice(0, 4));
		const expected = feed.frequency === "annual" ? years + 1 : years * 12 + 1;
		t.ok(periods.length >= expected, `${id} has ${periods.length} of ${expected}`);
	}
	t.throws(
		() => readBundle(["feed_id,period,value\nfed:press,2025,1\n"], REGISTRY, NOW),
		/No series/,
	);
	t.throws(() => readBundle(["period,value\n"], REGISTRY, NOW), /must begin with/);
	t.end();
});

t.test("feeds are suggested by what they report, rare words first, and why is said", (t) => {
	const suggest = createSuggestFeeds(REGISTRY);
	const first = (topic: string) => suggest(topic, 3)[0];
	t.match(first("oil prices")?.feed.topics, ["oil"]);
	const japan = suggest("inflation in Japan", 2).map(({ feed }) => feed.id);
	t.same(japan, ["dbnomics:japan-cpi", "worldbank:inflation-jpn"]);
	t.equal(first("gold")?.feed.id, "datahub:gold");
	t.equal(first("CO2 in the atmosphere and climate")?.feed.id, "noaa:co2");
	t.match(first("inflation in Japan")?.reason, /topics .*"inflation", "japan"/);
	t.match(first("US inflation")?.feed.topics, ["inflation"]);
	t.ok(first("US inflation")?.feed.topics.includes("united states"));
	t.ok(first("EUR/USD")?.feed.topics.includes("euro"));
	t.same(suggest("tell us", 5), [], "a pronoun is no country");
	t.same(suggest("zzzqqq", 5), []);
	t.same(suggest("the of and", 5), []);
	t.equal(suggest("rates", 4).length, 4);
	t.end();
});
