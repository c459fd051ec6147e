import t from "tap";
import { loadLabelledSet } from "../../bench/labelled/labelled-queries.js";
import { brandIndexOf } from "../../skills/brands/brand-index.js";
import { mentionsByBrand } from "../../skills/brands/brand-mentions.js";
import { measureSaid } from "../../skills/brands/brand-minimum.js";
import { findCitedSentence } from "../../src/evidence/cited-sentences.js";
import { systemClock } from "../../src/kernel/clock.js";
import { createGraphCatalog } from "../../src/knowledge/model/catalog.js";
import { askBrands, evidenceOf } from "./asked-brands.js";
import { OFTEN_NAMED, SHOPS } from "./sample-brands.js";

const { intelligence, signals, timeline, sources, compare } = await askBrands(t, SHOPS);
const comparing = async (window?: unknown) =>
	(await compare({ brands: ["Apple", "Pear"], ...(window !== undefined && { window }) })).data;
const mentionsIn = async (window?: unknown) => (await comparing(window)).brands[0].mentions;

t.test("a brand is known by key, name, other name, domain, symbol and registry id", async (t) => {
	for (const brand of ["apple", "APPLE", "AAPL", "NASDAQ:AAPL", "https://apple.example/"]) {
		const { data } = await sources({ brand });
		t.equal(data.brand.id, "apple", brand);
	}
	for (const brand of ["PR", "77", "pear.example"]) {
		t.equal((await sources({ brand })).data.brand.name, "Pear (PR)", brand);
	}
	await t.rejects(sources({ brand: "Aple" }), { code: "NOT_FOUND", message: /near it .*Apple/ });
	await t.rejects(compare({ brands: ["Apple", "nobody"] }), { code: "NOT_FOUND" });
	await t.rejects(compare({ brands: ["Apple", "AAPL"] }), {
		code: "INVALID_ARGUMENT",
		message: /once more/,
	});
});

t.test("what names it and what its own document says are mentions, a fruit is none", async (t) => {
	const { brands, share_of_voice: shares, citations, together } = await comparing();
	t.match(brands[0], {
		...{ mentions: 4, articles: 5, graphs: 2, undated: 1 },
		...{ first_seen: "2024-01-10", last_seen: "2025-07-01", first_seen_basis: "published" },
	});
	t.equal(brands[0].sources_independent, 4, "a mirror under the same domain counts once");
	t.notMatch(JSON.stringify(citations), /fruit/);
	t.match(together, [{ mentions: 2 }]);
	t.match(shares, [
		{ brand: "apple", share: 0.5714, n: 7, is_small_sample: true },
		{ brand: "pear-pr", share: 0.4286 },
	]);
});

t.test("too little is a 404 with what is free, before anyone pays", async (t) => {
	await t.rejects(intelligence({ brand: "Apple" }), {
		code: "NOT_FOUND",
		message:
			/Apple has 4 mentions in 2 graphs, by 4 independent owners .* sold from 10 mentions by 3 owners/,
		details: [
			{ path: "mentions", message: "4" },
			{ path: "graphs", message: "2" },
			{ path: "owners", message: "4" },
			{ path: "nearest", message: "" },
		],
	});
	await t.rejects(
		intelligence({ brand: "Apple", window: { from: "2020-01-01", to: "2020-02-01" } }),
		{ code: "NOT_FOUND", message: /0 mentions in 0 graphs.* from 2020-01-01 to 2020-02-01/ },
	);
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
	t.equal((await comparing({ to: "9999-12-31" })).window.to, "2025-07-01", "none ends after today");
	for (const window of ["0d", "90", "d", "9".repeat(7), { from: "2025-02-02", to: "2025-02-01" }]) {
		await t.rejects(mentionsIn(window), { name: /ZodError/ }, JSON.stringify(window));
	}
	const silent = await signals({ brand: "Apple", from: "2020-01-01", to: "2020-02-01" });
	t.match(silent, { kind: "no-answer", meta: { decision: "ABSTAIN" } });
});

t.test("what is not charged holds no figure and no citation", async (t) => {
	// Pear is mentioned, and nothing of it is a signal.
	const quiet = await signals({ brand: "Pear", to: "2025-06-29" });
	t.match(quiet, { kind: "no-answer", data: { items: [], citations: [] } });
	t.match(quiet.meta, {
		decision: "ABSTAIN",
		warnings: ["Nothing of this kind is told of Pear (PR) in the window."],
	});
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
	const { intelligence } = await askBrands(t, OFTEN_NAMED);
	const { data } = await intelligence({ brand: "Acmesoft" });
	t.match(data.footprint, { mentions: 3_010, last_seen: "2025-01-01", is_complete: false });
	t.match(data.share_of_voice, [
		{ brand: "acmesoft", share: 0.7506, n: 4_010 },
		{ brand: "betaware", mentions: 1_000 },
	]);
	t.equal(data.sentiment.n, 2_000);
	t.equal(data.mentions.length, 2_000);
	t.match(
		data.gaps.find(({ kind }: { kind: string }) => kind === "unread"),
		{ message: /1010 oldest of 3010/ },
	);
	await t.rejects(intelligence({ brand: "Acmesoft", window: { from: "2024-12-01" } }), {
		message: /10 mentions in 1 graph, by 1 independent owner /,
	});
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
			{ brand: "apple", share: 0.6, n: 5 },
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
	const { intelligence, services } = await askBrands(t, sample, { clock: systemClock });
	const { brands } = await brandIndexOf(sample);
	t.ok(brands.length > 20);
	const index = await mentionsByBrand(services);
	const sold = brands.filter((brand) => measureSaid(index.get(brand) ?? []).isSold);
	t.ok(sold.length > 20);
	for (const { key } of sold) {
		const { kind, data } = await intelligence({ brand: key });
		t.equal(kind, "answer", key);
		const ids = data.mentions.map((one: { evidence_id: string }) => one.evidence_id);
		t.ok(ids.every((id: string) => findCitedSentence(sample, id)));
		t.ok(evidenceOf(data).every((id) => ids.includes(id) || findCitedSentence(sample, id)));
		t.ok(data.prose_tokens <= 1_500, key);
		const shares = data.share_of_voice.map(({ share }: { share: number }) => share * 10_000);
		t.equal(Math.round(shares.reduce((sum: number, share: number) => sum + share, 0)), 10_000);
	}
});
