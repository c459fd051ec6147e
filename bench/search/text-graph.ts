import { createHash } from "node:crypto";
import type { Concept, Graph } from "../../src/knowledge/graph.js";

export interface PlainText {
	readonly id: string;
	readonly title: string;
	readonly body: string;
}

/** A graph of texts without links, sources or tags. */
export function graphOfTexts(id: string, texts: readonly PlainText[]): Graph {
	const record = {
		id,
		slug: id,
		title: id,
		type: "domain" as const,
		version: "1",
		updated: "2026-01-01",
		description: "",
		about: "",
		topics: [],
		exampleQueries: [],
		curator: undefined,
		expert: undefined,
		analyst: undefined,
	};
	const contentHash = createHash("sha256").update(`${id} ${texts.length}`).digest("hex");
	return { record, concepts: texts.map(toConcept), folder: "", contentHash };
}

function toConcept({ id, title, body }: PlainText): Concept {
	return {
		id,
		path: `${id}.md`,
		type: "Concept",
		title,
		summary: "",
		body,
		tags: [],
		aliases: [],
		evidence: [],
		edges: [],
		trust: "unverified",
		status: "stable",
		generatedAt: undefined,
		staleAfter: undefined,
	};
}
