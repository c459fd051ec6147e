import type { Concept, Graph, GraphRecord } from "../../src/knowledge/model/graph.js";

/** Two small graphs made by hand: what the transport's tests need of a catalog. */

export function makeConcept(changes: Partial<Concept> = {}): Concept {
	return {
		id: "concepts.http-402",
		path: "concepts/http-402.md",
		type: "Standard",
		title: "HTTP 402",
		summary: "A status code that asks for payment.",
		body: "The body of this concept is for sale: status 402 asks for payment.",
		tags: ["http"],
		aliases: [],
		evidence: [
			{
				articleId: "rfc9110",
				title: "RFC 9110: HTTP Semantics",
				sourceUrl: "https://www.rfc-editor.org/rfc/rfc9110",
				publishedAt: "2022-06-01",
				datePrecision: "month",
			},
		],
		edges: [],
		trust: "machine-confirmed",
		status: "stable",
		generatedAt: "2026-01-01",
		staleAfter: "2026-01-02",
		...changes,
	};
}

export function makeGraph(record: Partial<GraphRecord>, concepts = [makeConcept()]): Graph {
	return {
		record: {
			id: "web-payments",
			slug: "payments-on-the-web",
			title: "Payments on the web",
			type: "domain",
			version: "1.0.0",
			updated: "2026-01-15",
			description: "How HTTP asks for money.",
			about: "About payments.",
			topics: ["payments", "http"],
			exampleQueries: ["What does 402 mean?"],
			curator: { name: "Sample desk", note: "Made for tests." },
			expert: undefined,
			analyst: undefined,
			...record,
		},
		concepts,
		folder: "",
		contentHash: `${record.id ?? "web-payments"}-1`.padEnd(64, "0"),
	};
}

export const DOMAIN_GRAPH = makeGraph({});

export const EXPERT_GRAPH = makeGraph({
	id: "api-desk",
	slug: "http-api-desk",
	title: "API desk",
	type: "expert",
	topics: ["idempotency", "pagination"],
	expert: {
		agentId: "api-desk",
		name: "API Desk",
		headline: "Retries and errors",
		isAiTwin: true,
		disclosure: "A synthetic desk, not a real person.",
	},
});
