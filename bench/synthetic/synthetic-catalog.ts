/**
 * Catalogs and rosters of any size for tests and benchmarks. Everything in them says that it is synthetic: records, titles,
 * disclosures and bodies; sources lie on a reserved host. Never part of what is shipped.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { GRAPH_TYPES, type GraphType } from "../../src/contract/wire.js";
import { writeBundle } from "../../src/knowledge/bundle/bundle-folder.js";
import type { Concept, Graph, GraphRecord } from "../../src/knowledge/model/graph.js";
import { createDraws, seedOf } from "./draws.js";
import { makeSyntheticConcept } from "./synthetic-concept.js";
import { FIELDS, type Field } from "./vocabulary.js";

export interface SyntheticSize {
	readonly seed: number;
	readonly graphs: number;
	/** Of all graphs together, specialists among them. */
	readonly concepts: number;
	/** Desks and specialists together. */
	readonly experts: number;
}

export const FULL_SIZE: SyntheticSize = { seed: 1, graphs: 300, concepts: 30_000, experts: 4_150 };

/** One of so many expert graphs is a roster of specialists; the others are desks with notes. */
const DESKS_PER_ROSTER = 3;
const NOTE =
	"Generated for measurements. It states no facts; no person and no source stands behind it.";

interface GraphPlan {
	readonly id: string;
	readonly type: GraphType;
	readonly isRoster: boolean;
	readonly size: number;
	readonly field: Field;
}

/** Graphs of all kinds in turn, in the order of their ids within a kind; the same size, the same bytes. */
export function createSyntheticCatalog(size: SyntheticSize): readonly Graph[] {
	return planCatalog(size).map((plan) => toGraph(size.seed, plan));
}

/** Each graph as a folder of its own; returns nothing that `createSyntheticCatalog` does not. */
export async function writeSyntheticCatalog(
	size: SyntheticSize,
	folder: string,
): Promise<readonly Graph[]> {
	const graphs = createSyntheticCatalog(size);
	for (const graph of graphs) await writeBundle(graph, join(folder, graph.record.id));
	return graphs;
}

/** Sizes differ as they do in life, some graphs being six times as large as others. Throws RangeError for impossible sizes. */
function planCatalog({ seed, graphs, concepts, experts }: SyntheticSize): readonly GraphPlan[] {
	const draws = createDraws(seedOf(seed, "plan"));
	let desks = 0;
	const drafts = Array.from({ length: graphs }, (_, index) => {
		const type = GRAPH_TYPES[index % GRAPH_TYPES.length] as GraphType;
		const isRoster = type === "expert" && desks++ % DESKS_PER_ROSTER === 0;
		const weight = draws.between(10, 60);
		return { id: idOf(type, index), type, isRoster, weight, field: draws.pick(FIELDS) };
	});
	const rosters = drafts.filter(({ isRoster }) => isRoster);
	const others = drafts.filter(({ isRoster }) => !isRoster);
	const specialists = experts - desks;
	if (specialists < 2 * rosters.length || concepts - specialists < 2 * others.length) {
		throw new RangeError(
			"Every graph needs two concepts at least, and every expert graph counts as an expert.",
		);
	}
	const sizes = new Map([
		...shareOut(specialists, rosters),
		...shareOut(concepts - specialists, others),
	]);
	return drafts.map((draft) => ({ ...draft, size: sizes.get(draft.id) ?? 0 }));
}

/** Two for each, and the rest by weight; the shares add up exactly. */
function shareOut(
	total: number,
	among: readonly { readonly id: string; readonly weight: number }[],
): readonly (readonly [id: string, share: number])[] {
	const all = among.reduce((sum, { weight }) => sum + weight, 0);
	const rest = total - 2 * among.length;
	let before = 0;
	return among.map(({ id, weight }) => {
		const from = Math.round((rest * before) / all);
		before += weight;
		return [id, 2 + Math.round((rest * before) / all) - from];
	});
}

function toGraph(seed: number, plan: GraphPlan): Graph {
	const record = toRecord(plan);
	const { id: graphId, size: total, field, isRoster } = plan;
	const kind = isRoster ? "specialist" : "note";
	const concepts = Array.from({ length: total }, (_, index) =>
		makeSyntheticConcept({ seed, graphId, number: index + 1, total, field: fieldAt(index), kind }),
	);
	return { record, concepts, folder: "", contentHash: hashOf(record, concepts) };

	// A desk keeps to its field; a roster covers all of them.
	function fieldAt(index: number): Field {
		return isRoster ? (FIELDS[index % FIELDS.length] ?? field) : field;
	}
}

function toRecord({ id, type, isRoster, field }: GraphPlan): GraphRecord {
	const title = `Synthetic ${isRoster ? "roster" : type} on ${field.name} (${id})`;
	const about = `Everything in this graph is synthetic. ${NOTE}`;
	return {
		id,
		slug: `${id}-page`,
		title,
		type,
		version: "1.0.0",
		updated: "2026-01-02",
		description: `A synthetic ${type} graph about ${field.name}. ${NOTE}`,
		about,
		topics: [field.name, ...field.subjects.slice(0, 3), "synthetic"],
		exampleQueries: field.subjects.slice(0, 2).map((subject) => `What limits ${subject}?`),
		curator: { name: "Synthetic generator", note: NOTE },
		expert:
			type === "expert"
				? {
						agentId: `${id}-desk`,
						name: `Synthetic ${isRoster ? "roster" : "desk"} ${id}`,
						headline: `Generated ${isRoster ? "specialists of all fields" : `notes on ${field.name}`}`,
						isAiTwin: true,
						disclosure: `Synthetic. ${NOTE}`,
						consent: { basis: "synthetic", until: undefined },
					}
				: undefined,
		analyst:
			type === "analyst"
				? { name: `Synthetic analyst ${id}`, domain: field.name, method: NOTE }
				: undefined,
	};
}

function idOf(type: GraphType, index: number): string {
	return `synthetic-${type.replaceAll(" ", "-")}-${String(index + 1).padStart(4, "0")}`;
}

function hashOf(record: GraphRecord, concepts: readonly Concept[]): string {
	return createHash("sha256")
		.update(JSON.stringify([record, concepts]))
		.digest("hex");
}
