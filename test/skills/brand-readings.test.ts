import t from "tap";
import { loadLabelledSet } from "../../bench/labelled/labelled-queries.js";
import { brandIndexOf } from "../../skills/brands/brand-index.js";
import { findCitedSentence } from "../../src/evidence/cited-sentences.js";
import { systemClock } from "../../src/kernel/clock.js";
import { createGraphCatalog } from "../../src/knowledge/catalog.js";
import { askBrands, evidenceOf } from "./asked-brands.js";
import { OFTEN_NAMED, SHOPS } from "./sample-brands.js";

const { intelligence, signals, timeline, sources, compare } = askBrands(SHOPS);
const mentionsIn = async (window?: unknown) =>
	(await intelligence({ brand: "Apple", ...(window !== undefined && { window }) })).data.footprint
		.mentions;

t.test("a brand is known by key, name, other name, domain and symbol", async (t) => {
	const clues = [
		"apple-in-the-trade-list",
		"APPLE",
		"AAPL",
		"NASDAQ:AAPL",
		"https://apple.example/",
	];
	for (const brand of clues) {
		const { data } = await intelligence({ brand });
		t.equal(data.brand.id, "apple-in-the-trade-list", brand);
	}
	t.equal((await intelligence({ brand: "PR" })).data.brand.name, "Pear (PR)");
	await t.rejects(intelligence({ brand: "Aple" }), {
		code: "NOT_FOUND",
		message: /near it .*Apple/,
	});
	await t.rejects(intelligence({ brand: "Apple", compare_with: ["nobody"] }), {
		code: "NOT_FOUND",
	});
	await t.rejects(compare({ brands: ["Apple", "AAPL"] }), { code: "INVALID_ARGUMENT" });
});

t.test("what names it and what its own node says are mentions, a fruit is none", async (t) => {
	const { kind, data } = await intelligence({ brand: "Apple" });
	t.equal(kind, "answer");
	t.match(data.footprint, {
		...{ mentions: 4, articles: 5, graphs: 2, undated: 1, is_complete: true },
		...{ first_seen: "2024-01-10", last_seen: "2025-07-01" },
		by_graph: [
			{ graph_id: "shops", mentions: 3 },
			{ graph_id: "law", mentions: 1 },
		],
	});
	t.equal(data.footprint.sources_independent, 4, "a mirror under the same domain counts once");
	t.same(data.brand.domains, ["apple.example"]);
	t.notMatch(JSON.stringify(data), /fruit/);
	t.match(data.gaps, [{ kind: "small_sample" }, { kind: "undated" }]);
	t.match(data.co_mentions, [{ brand: "pear-pr", mentions: 2, share: 0.5 }]);
	t.match(data.trends, [{ trend_id: "shops:trends.repair", role: "affects" }]);
	t.match(data.risks, [{ kind: "operations", statement: /recall/, date: "2025-06-30" }]);
	t.match(data.signals, [{ type: "event", title: "Recall of telephones" }]);
	t.same(
		data.share_of_voice.map(({ brand, share }: { brand: string; share: number }) => [brand, share]),
		[
			["apple-in-the-trade-list", 0.5714],
			["pear-pr", 0.4286],
		],
	);
	t.match(data.share_of_voice[0], { n: 7, is_small_sample: true });
});

t.test("every piece of evidence is cited, exists, and says what is quoted", async (t) => {
	const { data } = await intelligence({ brand: "Apple" });
	const cited = new Map(
		data.citations.map((one: { evidence_id: string; excerpt: string }) => [
			one.evidence_id,
			one.excerpt,
		]),
	);
	const ids = evidenceOf(data);
	t.ok(ids.length > 5);
	for (const id of ids) t.equal(findCitedSentence(SHOPS, id)?.text, cited.get(id), id);
	for (const { statement, evidence } of data.risks) t.equal(cited.get(evidence[0]), statement);
});

t.test("a window has its first and its last day, and leaves out what is undated", async (t) => {
	t.equal(await mentionsIn(), 4);
	t.equal(await mentionsIn({ to: "2025-07-01" }), 4);
	t.equal(await mentionsIn({ to: "2025-06-30" }), 3);
	t.equal(await mentionsIn({ from: "2024-01-10" }), 3, "undated ones have no place in it");
	t.equal(await mentionsIn({ from: "2024-01-11" }), 2);
	t.equal(await mentionsIn({ from: "2025-06-30", to: "2025-06-30" }), 1);
	t.equal(await mentionsIn("1d"), 1, "today alone");
	t.equal(await mentionsIn("2d"), 2);
	t.equal(await mentionsIn("1w"), 2);
	t.equal(await mentionsIn("2y"), 3);
	for (const window of ["0d", "90", "d", "9".repeat(7), { from: "2025-02-02", to: "2025-02-01" }]) {
		await t.rejects(mentionsIn(window), { name: /ZodError/ }, JSON.stringify(window));
	}
	const silent = await intelligence({
		brand: "Apple",
		window: { from: "2020-01-01", to: "2020-02-01" },
	});
	t.match(silent, { kind: "no-answer", meta: { decision: "ABSTAIN" } });
});

t.test("what is not charged holds no figure, no name of a trend and no citation", async (t) => {
	const window = { from: "2020-01-01", to: "2020-02-01" };
	for (const peers of [{}, { compare_with: ["Pear"] }]) {
		const { data, meta } = await intelligence({ brand: "Apple", window, ...peers });
		for (const part of ["share_of_voice", "signals", "trends", "timeline", "citations"]) {
			t.same(data[part], [], part);
		}
		t.match(data.footprint, { mentions: 0, articles: 0, by_graph: [] });
		t.same(meta.warnings, ["Apple in the trade list has no mention in the window."]);
	}
	// Pear is mentioned, and nothing of it is a signal.
	const quiet = await signals({ brand: "Pear", to: "2025-06-29" });
	t.match(quiet, { kind: "no-answer", data: { items: [], citations: [] } });
	t.match(quiet.meta, {
		decision: "ABSTAIN",
		warnings: ["Nothing of this kind is told of Pear (PR) in the window."],
	});
});

t.test("a trend is returned with what it is cited for in the window, or not at all", async (t) => {
	const told = async (window: object) => (await intelligence({ brand: "Apple", window })).data;
	t.match((await told({ to: "2025-05-05" })).trends, [{ trend_id: "shops:trends.repair" }]);
	t.same((await told({ to: "2025-05-04" })).trends, [], "published a day later");
	const { trends, citations } = await told({ from: "2025-06-01" });
	t.same(trends, [], "published before");
	for (const { published_at: day } of citations) t.ok(day >= "2025-06-01", day);
});

t.test("no window ends after today, and no brand is held against itself", async (t) => {
	const { data } = await intelligence({ brand: "Apple", window: { to: "9999-12-31" } });
	t.equal(data.window.to, "2025-07-01");
	t.equal(data.footprint.mentions, 4);
	for (const compare_with of [["AAPL"], ["Pear", "PR"]]) {
		await t.rejects(intelligence({ brand: "Apple", compare_with }), {
			code: "INVALID_ARGUMENT",
			message: /once more/,
		});
	}
});

t.test("a timeline that cannot hold all ends at the newest mention, and says so", async (t) => {
	const days = await timeline({
		brand: "Apple",
		from: "2024-01-01",
		to: "2024-12-31",
		bucket: "day",
	});
	t.equal(days.kind, "answer");
	t.equal(days.data.items.at(-1)?.period, "2024-01-10");
	t.equal(days.data.items.at(-1)?.mentions, 1);
	t.same(
		days.data.items.map(({ mentions }: { mentions: number }) => mentions),
		[...Array(9).fill(0), 1],
		"from the first day on, as these are few enough",
	);
	const long = await timeline({ brand: "Apple", from: "2024-01-01", bucket: "day" });
	t.equal(long.data.items.length, 60);
	t.equal(long.data.items.at(-1)?.period, "2025-07-01");
	t.match(long.meta.warnings.join(" "), /last 60 stretches, from 2025-05-03 on; 1 dated mentions/);
});

t.test("what a publisher says is cited from its own pages", async (t) => {
	const { data } = await sources({ brand: "Apple" });
	const byNumber = new Map<number, { publisher: string; evidence_id: string }>(
		data.citations.map((one: { n: number }) => [one.n, one]),
	);
	for (const { hosts, evidence, citation_ids: numbers } of data.items) {
		t.ok(numbers.length > 0);
		for (const n of numbers) {
			t.ok(hosts.includes(byNumber.get(n)?.publisher), `${n} is of ${hosts}`);
			t.ok(evidence.includes(byNumber.get(n)?.evidence_id));
		}
	}
});

t.test("mentions beyond those that are read still count, and the newest are read", async (t) => {
	const { intelligence } = askBrands(OFTEN_NAMED);
	const { data } = await intelligence({ brand: "Acmesoft" });
	t.match(data.footprint, { mentions: 3_010, last_seen: "2025-01-01", is_complete: false });
	t.match(data.share_of_voice, [
		{ brand: "acmesoft", share: 0.7506, n: 4_010 },
		{ brand: "betaware", mentions: 1_000 },
	]);
	t.equal(data.sentiment.n, 2_000);
	t.match(data.gaps, [{ kind: "unread", message: /1010 oldest of 3010/ }]);
	const late = await intelligence({ brand: "Acmesoft", window: { from: "2024-12-01" } });
	t.match(late.data.footprint, { mentions: 10, is_complete: true });
});

t.test("readings of a brand: signals, timeline, sources, comparison", async (t) => {
	t.match(await signals({ brand: "Apple" }), {
		kind: "answer",
		data: { items: [{ type: "event", date: "2025-06-30", strength: 0.4991 }] },
	});
	t.equal((await signals({ brand: "Pear", window: "1d" })).kind, "no-answer");
	const months = await timeline({ brand: "Apple", from: "2025-05-01", bucket: "month" });
	t.same(
		months.data.items.map(({ period, mentions }: { period: string; mentions: number }) => [
			period,
			mentions,
		]),
		[
			["2025-05", 0],
			["2025-06", 1],
			["2025-07", 1],
		],
	);
	t.match(await timeline({ brand: "Apple", window: "1d" }), { data: { bucket: "day" } });
	const { data } = await sources({ brand: "Apple" });
	t.match(data.items[0], { publisher: "apple.example", articles: 1, mentions: 1 });
	const press = data.items.find((one: { publisher: string }) => one.publisher === "press.example");
	t.match(press, { hosts: ["mirror.press.example", "press.example"], articles: 2, mentions: 1 });
	const both = await compare({ brands: ["Apple", "Pear"], window: "2y" });
	t.match(both.data, {
		share_of_voice: [
			{ brand: "apple-in-the-trade-list", share: 0.6, n: 5 },
			{ brand: "pear-pr", share: 0.4 },
		],
		brands: [{ mentions: 3 }, { mentions: 2, first_seen: "2025-03-02" }],
		together: [{ mentions: 1 }],
	});
	await t.rejects(signals({ brand: "Apple", window: "1d", from: "2025-01-01" }), {
		name: /ZodError/,
	});
});

t.test("of every brand of the sample catalog all evidence exists, and shares add up", async (t) => {
	const { graphs } = await loadLabelledSet();
	const sample = createGraphCatalog(graphs);
	const { intelligence } = askBrands(sample, systemClock);
	const { brands } = await brandIndexOf(sample);
	t.ok(brands.length > 20);
	for (const { key } of brands) {
		const { kind, data } = await intelligence({ brand: key });
		t.equal(kind, "answer", key);
		const ids = data.citations.map((one: { evidence_id: string }) => one.evidence_id);
		t.ok(ids.every((id: string) => findCitedSentence(sample, id)));
		t.ok(evidenceOf(data).every((id) => ids.includes(id)));
		const shares = data.share_of_voice.map(({ share }: { share: number }) => share * 10_000);
		t.equal(Math.round(shares.reduce((sum: number, share: number) => sum + share, 0)), 10_000);
	}
});
