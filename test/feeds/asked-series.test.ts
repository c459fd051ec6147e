import t from "tap";
import { createAskedFeeds } from "../../skills/feeds/asked-series.js";
import { createPlaceReader } from "../../skills/feeds/places.js";
import { unavailable } from "../../src/kernel/errors.js";
import type { JudgedSearch } from "../../src/search/search-engine.js";
import { failingJudge, handJudge, reading } from "../support/word-judge.js";
import { REGISTRY } from "./feed-source.js";

const choose = createAskedFeeds(REGISTRY);
const { signal } = new AbortController();
type Models = Pick<JudgedSearch, "embedder" | "judge">;
const NO_MODELS: Models = { embedder: undefined, judge: undefined };
const idsOf = async (topic: string, models = NO_MODELS) =>
	(await choose(topic, models, signal)).feeds.map(({ id }) => id);

t.test("places are read by their names, short forms and adjectives", (t) => {
	const readPlaces = createPlaceReader();
	const codesOf = (text: string) => [...readPlaces(text).places].join(" ");
	for (const [text, codes] of [
		["German unemployment", "DE"],
		["unemployment in the United Kingdom", "GB"],
		["UK and US rates", "GB US"],
		["tell us of oil", ""],
		["Inflation of consumer prices in South Africa", "ZA"],
		["Brazilian GDP beside the Indian one", "BR IN"],
		["Portuguese, Greek and French debt", "PT GR FR"],
		["English wages", ""],
		["in the euro area", "EZ"],
		["inflation in the world", "001"],
		["West Texas Intermediate crude oil price", ""],
	] as const) {
		t.equal(codesOf(text), codes, text);
	}
	t.equal(readPlaces("German unemployment rate").rest, "unemployment rate");
	t.end();
});

t.test("a feed of another place, unit or frequency measures something else", async (t) => {
	t.same(await idsOf("German unemployment"), []);
	t.same(await idsOf("US unemployment rate"), ["fred:UNRATE"]);
	t.same(await idsOf("gold price in euros"), []);
	t.same(await idsOf("gold price in Germany"), []);
	t.same(await idsOf("daily Brent price"), ["fred:DCOILBRENTEU"]);
	t.same(await idsOf("zzzqqq"), []);
	t.ok((await idsOf("global oil price")).length > 0, "what names no place is the world's");
	t.same(await idsOf("annual US unemployment rate"), ["fred:UNRATE"], "published monthly");
	t.match((await choose("inflation in Japan since 2015", NO_MODELS, signal)).years, {
		from: 2015,
		to: Number.POSITIVE_INFINITY,
	});
	t.match((await choose("inflation in Japan 2015 to 2017", NO_MODELS, signal)).years, {
		from: 2015,
		to: 2017,
	});
});

/** Near are texts that share a letter run with what is asked: enough for a test of who decides. */
const embedder = (near: (text: string) => boolean) =>
	({
		embed: async (texts: readonly string[]) =>
			texts.map((text) => Float32Array.from(near(text) ? [1, 0] : [0, 1])),
	}) as unknown as NonNullable<Models["embedder"]>;

t.test("a word that says the same is found by the encoder, and read by the judge", async (t) => {
	const near = embedder((text) => /unemployment rate|jobless/.test(text));
	const sure = { embedder: near, judge: handJudge(() => reading("open", 0.9)) };
	t.same(await idsOf("jobless rate in the US", sure), ["fred:UNRATE"]);
	t.same(await idsOf("jobless rate in Germany", sure), [], "whatever the models say");
	t.same(await idsOf("jobless herons in the US", sure), [], "herons are near no feed");
	const unsure = { embedder: near, judge: handJudge(() => reading("open", 0.3)) };
	t.same(await idsOf("jobless rate in the US", unsure), []);
});

t.test("models that fail leave the words", async (t) => {
	const failing = {
		embedder: { embed: () => Promise.reject(unavailable("No model.")) },
		judge: failingJudge,
	} as unknown as Models;
	t.same(await idsOf("US unemployment rate", failing), ["fred:UNRATE"]);
	t.same(await idsOf("jobless rate in the US", failing), []);
});
