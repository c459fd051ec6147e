import { createHash } from "node:crypto";
import type { Concept, Graph } from "../../src/knowledge/model/graph.js";
import { measuredGraph } from "../measured-graph.js";

export interface PlainText {
	readonly id: string;
	readonly title: string;
	readonly body: string;
}

/** A graph of texts without links, sources or tags. */
export function graphOfTexts(id: string, texts: readonly PlainText[]): Graph {
	const contentHash = createHash("sha256").update(`${id} ${texts.length}`).digest("hex");
	return measuredGraph({ id, concepts: texts.map(toConcept), contentHash });
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
