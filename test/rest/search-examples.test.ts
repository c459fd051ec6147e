import t from "tap";
import type { z } from "zod";
import type { chatOutput } from "../../skills/chat/chat-wire.js";
import {
	ANALYST_EXAMPLE,
	DOMAIN_EXAMPLE,
	EXPERT_EXAMPLE,
	REPORT_EXAMPLE,
} from "../../skills/search/search-examples.js";
import type { PaidOperation } from "../../src/contract/operation.js";
import { findCitedSentence } from "../../src/evidence/cited-sentences.js";
import { readGraph } from "../../src/knowledge/bundle-files.js";
import { emptySearch } from "../service/empty-search.js";
import { ROUTES } from "../support/routes.js";
import { createTestService, sellForAnything } from "./start-rest.js";

t.test("the examples quote concepts that the sample catalog has", async (t) => {
	const kinds: Readonly<Record<string, string>> = {
		[DOMAIN_EXAMPLE.graphId]: "domain",
		[REPORT_EXAMPLE.graphId]: "industry report",
		[ANALYST_EXAMPLE.graphId]: "analyst",
	};
	for (const example of [DOMAIN_EXAMPLE, REPORT_EXAMPLE, EXPERT_EXAMPLE, ANALYST_EXAMPLE]) {
		const graph = await readGraph(`graphs/${example.graphId}`);
		t.equal(graph.record.type, kinds[example.graphId] ?? "expert");
		const concept = graph.concepts.find(({ id }) => id === example.conceptId);
		t.match(concept, { type: example.type, title: example.name });
		for (const source of example.evidence) {
			t.match(concept?.evidence, [
				{
					articleId: source.article_id,
					title: source.title,
					sourceUrl: source.source_url,
					publishedAt: source.published_at,
					datePrecision: source.date_precision,
				},
			]);
		}
	}
});

t.test("the example of a chat cites a sentence of the sample catalog", async (t) => {
	const { data } = (ROUTES["research.chat"] as PaidOperation).example.reply as z.infer<
		typeof chatOutput
	>;
	const graph = await readGraph(`graphs/${data.citations[0]?.graph_id}`);
	for (const citation of data.citations) {
		const sentence = findCitedSentence({ find: () => graph }, citation.evidence_id);
		t.equal(sentence?.text, citation.excerpt);
		t.equal(data.answer.text, `${sentence?.text} [1]`);
		t.match(sentence?.sources[0], { articleId: citation.article_id, title: citation.title });
	}
});

t.test("what a route's example sends is what its skill takes", (t) => {
	const { skills } = createTestService({
		baseUrl: () => "https://example.org",
		invoke: sellForAnything,
		search: emptySearch,
	});
	for (const route of Object.values(ROUTES)) {
		if (route.kind !== "paid") continue;
		const { params = {}, query = {}, body } = route.example;
		const asked = route.query.parse(query);
		const parsed = skills[route.id].input.safeParse({ ...params, ...asked, ...body });
		t.ok(parsed.success, route.id);
	}
	t.end();
});
