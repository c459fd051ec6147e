import { join } from "node:path";
import t, { type Test } from "tap";
import { listBrands } from "../../skills/brands/brand-directory.operations.js";
import { mentionsByBrand } from "../../skills/brands/brand-mentions.js";
import { findCitedSentence } from "../../src/evidence/cited-sentences.js";
import { readGraph } from "../../src/knowledge/bundle/bundle-folder.js";
import { createGraphCatalog } from "../../src/knowledge/model/catalog.js";
import type { Graph } from "../../src/knowledge/model/graph.js";
import { failingJudge, handJudge, reading } from "../support/word-judge.js";
import { askBrands, evidenceOf } from "./asked-brands.js";
import { COMPANY_FOLDER } from "./company-graph.js";

const readMakers = async (t: Test): Promise<Graph> =>
	readGraph(join(t.testdir({ makers: COMPANY_FOLDER }), "makers"));
const catalog = createGraphCatalog([await readMakers(t)]);
/** Says what the risk's last word says. */
const judge = handJudge(({ text, passage }) => {
	const [, name = "", risk = ""] = /^(\w+) .* (\w+)\.$/.exec(text) ?? [];
	const words: Record<string, RegExp> = { lawsuit: /sued Harbor|infringed/, recall: /recalled/ };
	const isSaid = name === "Harbor" && words[risk]?.test(passage);
	return reading(isSaid ? "supports" : "open");
});
const { intelligence, services } = await askBrands(t, catalog, { judge });
const { data, kind } = await intelligence({ brand: "HARB" });

t.test(
	"a brand is an organization or product that a register, a domain or an alias names",
	async (t) => {
		const { items } = await listBrands(services, { limit: 50 });
		t.match(items, [
			{ brand: "harbor-corporation", nodes: 2, mentions: 12, owners: 5, has_intelligence: true },
			{ brand: "quillon-systems-inc", has_intelligence: false },
			{ brand: "slipway", types: ["Product"] },
		]);
		t.equal(items.length, 3, "no concept, and no organization without any of these");
		t.match(data.brand, {
			...{ is: "organization", kind: "Organization", legal_name: "Harbor Corporation" },
			...{ tickers: ["HARB"], exchange: "NYSE", cik: "1234567", domains: ["harbor.example"] },
			products: [{ brand: "slipway" }],
		});
	},
);

t.test("a common word is linked by its context or to no one", async (t) => {
	const index = await mentionsByBrand(services);
	const linked = (name: string) =>
		[...index].flatMap(([brand, mentions]) =>
			brand.name === name ? mentions.map(({ sentence }) => sentence.text) : [],
		);
	const texts = linked("Harbor Corporation").join("\n");
	t.match(texts, /sued Harbor in March 2024/);
	t.match(texts, /Harbor recalled 40 cranes/);
	t.match(texts, /harbor\.example were paid/, "a domain");
	t.match(texts, /\(NYSE: HARB\) fell/, "a symbol");
	t.match(texts, /founded in 1976/, "its own document");
	t.notMatch(texts, /pilots|dues|refuge/);
	t.notMatch(linked("Slipway").join("\n"), /founded/);
});

t.test("every figure is counted from listed mentions, and every mention exists", async (t) => {
	t.equal(kind, "answer");
	const { mentions, footprint, sources } = data;
	t.equal(mentions.length, footprint.mentions);
	const ids = new Set<string>(mentions.map(({ evidence_id: id }: { evidence_id: string }) => id));
	t.equal(ids.size, 12);
	for (const id of ids) t.ok(findCitedSentence(catalog, id), id);
	for (const id of evidenceOf(data)) t.ok(ids.has(id), id);
	type Counted = { mentions: number; mention_ids: number[] };
	const counted: Counted[] = [
		...footprint.by_graph,
		...footprint.owners,
		...data.timeline,
		...data.co_mentions,
	];
	t.ok(counted.length > 8);
	for (const { mentions: count, mention_ids: own } of counted) {
		t.equal(own.length, count);
		for (const n of own) t.equal(mentions[n - 1].n, n);
	}
	t.equal(footprint.owners.length, footprint.sources_independent);
	t.equal(sources.length, footprint.articles);
	const {
		negative,
		negative_mentions: denied,
		positive_mentions: praised,
		positive,
	} = data.sentiment;
	t.same([denied.length, praised.length], [negative, positive]);
	const [own, other] = data.share_of_voice;
	t.equal(own.mentions, 12);
	t.equal(other.evidence.length, other.mentions);
});

t.test(
	"first seen is what a text tells, with its basis, before when it was published",
	async (t) => {
		const { footprint, mentions } = data;
		t.match(footprint, { first_seen: "1976-01-01", first_seen_basis: "told" });
		t.match(mentions[footprint.first_seen_mention - 1], { date: "1976", date_basis: "told" });
		t.match(footprint, { last_seen: "2025-05-02", last_seen_basis: "published" });
		const late = await intelligence({ brand: "Harbor", window: { from: "2024-06-01" } });
		t.match(late.data.footprint, { first_seen: "2024-06-01", first_seen_basis: "published" });
	},
);

t.test(
	"risks are those of this brand by the judge; without one there are none, and that is said",
	async (t) => {
		t.match(data.risks, [
			{ kind: "legal", claim: "Harbor is affected by a lawsuit.", mention_ids: [Number, Number] },
			{ kind: "operations", claim: "Harbor is affected by a recall.", date: "2025-01" },
		]);
		t.equal(data.risks.length, 2);
		for (const { text } of judge.asked)
			t.notMatch(text, /^Quillon.* lawsuit/, "who sues is not read");
		for (const without of [undefined, failingJudge]) {
			const { intelligence } = await askBrands(t, catalog, without ? { judge: without } : {});
			const { data } = await intelligence({ brand: "Harbor" });
			t.same(data.risks, []);
			t.match(
				data.gaps.find((gap: { kind: string }) => gap.kind === "risks_not_read"),
				{ message: /Risks were not looked for/ },
			);
		}
	},
);

t.test("the summary comes first, and no sentence is printed twice", async (t) => {
	t.match(data.summary[0], { text: /^Harbor Corporation makes cranes/, sources: [Number] });
	const printed = [
		...data.summary.map(({ text }: { text: string }) => text),
		...data.risks.map(({ statement }: { statement: string }) => statement),
		...data.citations.map(({ excerpt }: { excerpt: string }) => excerpt),
	];
	for (const one of printed) t.equal(printed.join("\n").split(one).length, 2, one);
	t.ok(data.prose_tokens <= 1_500);
	const characters = printed.reduce((sum, one) => sum + one.length, 0);
	t.ok(data.prose_tokens >= characters / 4);
});

t.test("too little is refused before the price, with the nearest that is sold", async (t) => {
	await t.rejects(intelligence({ brand: "Slipway" }), {
		code: "NOT_FOUND",
		message: /Slipway has \d mentions .* Nearest brands with enough: Harbor Corporation\./,
	});
	await t.rejects(intelligence({ brand: "Data classes" }), { code: "NOT_FOUND" });
});
