import { createGraphCatalog } from "../../src/knowledge/model/catalog.js";
import type { Evidence } from "../../src/knowledge/model/graph.js";
import { makeConcept, makeGraph } from "../service/sample-graphs.js";

const source = (id: string, sourceUrl: string, publishedAt?: string): Evidence => ({
	articleId: id,
	title: `Page ${id}`,
	sourceUrl,
	publishedAt,
	datePrecision: publishedAt === undefined ? undefined : "day",
});

const node = (id: string, title: string, changes: object) =>
	makeConcept({ id, path: `${id.replaceAll(".", "/")}.md`, title, body: "", ...changes });

/** Two companies, and what two graphs say of them, less than is sold; one node names both without a date. */
export const SHOPS = createGraphCatalog([
	makeGraph({ id: "shops" }, [
		node("entities.apple", "Apple", {
			type: "Company",
			aliases: ["apple.example", "AAPL"],
			summary: "The maker sells telephones.",
			edges: [{ type: "affects", target: "trends.repair", weight: 1 }],
			evidence: [source("a1", "https://www.apple.example/about", "2024-01-10")],
		}),
		node("entities.pear", "Pear (PR)", {
			type: "Company",
			facts: "domain: pear.example\nregistry id: 77",
			summary: "Pear is stable.",
			evidence: [source("p1", "https://pear.example", "2025-03-02")],
		}),
		node("events.recall", "Recall of telephones", {
			type: "Event",
			summary: "Apple had to recall telephones after an outage. An apple is a fruit.",
			evidence: [
				source("r1", "https://press.example/recall", "2025-06-30"),
				source("r2", "https://mirror.press.example/recall", "2025-06-30"),
			],
		}),
		node("trends.repair", "Right to repair", {
			type: "Trend",
			summary: "Repair is asked for.",
			evidence: [source("t1", "https://law.example/repair", "2025-05-05")],
		}),
		node("concepts.undated", "Names", {
			summary: "Pear and AAPL are names of companies.",
			evidence: [source("u1", "https://names.example")],
		}),
	]),
	makeGraph({ id: "law" }, [
		node("cases.one", "A case", {
			summary: "Apple won the case against Pear.",
			evidence: [source("c1", "https://court.example/1", "2025-07-01")],
		}),
	]),
]);

const named = (id: string, count: number, day: string, name: string) =>
	node(id, `Notes ${id}`, {
		summary: "Notes.",
		body: Array.from({ length: count }, (_, at) => `${name} shipped build ${at} of it.`).join(
			"\n\n",
		),
		evidence: [source(id, `https://${id}.example/`, day)],
	});

/** More mentions than are read: Acmesoft has 3,010, Betaware 1,000. */
export const OFTEN_NAMED = createGraphCatalog([
	makeGraph({ id: "busy" }, [
		node("acme", "Acmesoft", {
			...{ type: "Company", facts: "cik: 1", summary: "It is.", evidence: [] },
		}),
		node("beta", "Betaware", {
			...{ type: "Company", facts: "lei: 2", summary: "It is.", evidence: [] },
		}),
		named("old", 1_500, "2020-01-01", "Acmesoft"),
		named("older", 1_500, "2020-01-01", "Acmesoft"),
		named("other", 1_000, "2020-01-01", "Betaware"),
		named("new", 10, "2025-01-01", "Acmesoft"),
	]),
]);
