import { type Concept, type Graph, toTrendId } from "../../src/knowledge/knowledge.js";
import {
	type CitationList,
	type ComposedAnswer,
	findGaps,
	type profileSources,
} from "../answers/answers.js";
import { type DossierPassage, independentOf } from "./dossier-passages.js";
import { excerptOf } from "./dossier-timeline.js";
import type { DossierBody, DossierWire } from "./dossier-wire.js";

type Gap = DossierWire["gaps"][number];

interface GapFacts {
	/** `YYYY-MM-DD`. */
	readonly asOf: string;
	/** Those that were asked. */
	readonly graphs: readonly Graph[];
	readonly composed: ComposedAnswer;
	readonly passages: readonly DossierPassage[];
	readonly profile: ReturnType<typeof profileSources>;
	readonly citations: CitationList;
}

/** What a dossier leaves open: parts of the topic first, then what its evidence itself leaves open or rests on. */
export function listGaps(facts: GapFacts): readonly Gap[] {
	const { asOf, graphs, composed, passages, profile, citations } = facts;
	const where = nameGraphs(graphs);
	const open = composed.gaps.map(({ question, nearest }): Gap => {
		const known = nearest.filter(({ concept }) => wasKnown(concept, asOf));
		return {
			...{ kind: "not_covered", citation_ids: [], question },
			message: `Nothing in ${where} answers "${question}".`,
			nearest: known.map(({ graph, concept: { id, title } }) => {
				return { trend_id: toTrendId(graph.record.id, id), title };
			}),
		};
	});
	const sentences = passages.flatMap((passage) => passage.sentences);
	const others = findGaps({
		...{ missing: composed.missing, sentences, profile, asOf },
		groups: passages.map(independentOf),
	});
	return [
		...open,
		...others.map(({ kind, message, sentence }): Gap => {
			const ids = sentence ? [citations.numberOf(sentence)] : [];
			const said = sentence ? `Its evidence leaves open: ${excerptOf(sentence.text)}` : message;
			return { kind, message: said, citation_ids: ids, question: null, nearest: [] };
		}),
	];
}

/** Whether a source of a day stands behind a concept. */
function wasKnown({ evidence }: Concept, asOf: string): boolean {
	return evidence.length === 0 || evidence.some(({ publishedAt = "" }) => publishedAt <= asOf);
}

const GRAPHS_NAMED = 3;

function nameGraphs(graphs: readonly Graph[]): string {
	if (graphs.length > GRAPHS_NAMED) return `${graphs.length} graphs`;
	return graphs.map(({ record }) => `"${record.title}"`).join(", ");
}

/** What is said, free of charge, where the graphs do not answer. */
export function toEmptyBody(
	{ topic, asOf }: { readonly topic: string; readonly asOf: string },
	graphs: readonly Graph[],
	composed: ComposedAnswer | undefined,
): DossierBody {
	const where = nameGraphs(graphs);
	const missing = composed?.missing ?? [];
	const unknown =
		missing.length > 0
			? ` Nothing found speaks of ${missing.map((word) => `"${word}"`).join(", ")}.`
			: "";
	const isVague = composed?.outcome.decision === "CLARIFY";
	const message = isVague
		? `The topic names too little to be answered from ${where}.`
		: `Nothing in ${where} answers "${topic}".${unknown}`;
	return {
		topic,
		graphs: [],
		verdict: "not_in_graphs",
		form: composed?.reading.kind ?? "explanation",
		parts: [{ question: topic, answered: false }],
		summary: [],
		table: null,
		findings: [],
		evidence_table: [],
		timeline: [],
		entities: [],
		source_profile: {
			...{ tiers: {}, authority: [], sources: 0, independent_groups: 0, publishers: [] },
			...{ date_span: { oldest: null, newest: null }, undated: 0 },
		},
		contradictions: [],
		gaps: [{ kind: "not_covered", message, citation_ids: [], question: topic, nearest: [] }],
		supplemental: [],
		method: "",
		as_of: asOf,
		citations: [],
		tokens: 0,
	};
}
