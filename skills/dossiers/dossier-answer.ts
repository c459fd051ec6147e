import type { SkillContext, SkillServices } from "../../src/contract/contract.js";
import { contentTerms, jaccard } from "../../src/evidence/evidence.js";
import { toIsoDay } from "../../src/kernel/kernel.js";
import { toAnswerModel } from "../experts/experts.js";
import { type CompiledDossier, compileDossier, type DossierBody } from "./compose-dossier.js";
import {
	DOSSIER_LIMITS,
	type DossierDiff,
	type DossierMeta,
	type DossierWire,
} from "./dossier-wire.js";

/** What dossiers and their refreshing share: how they are compiled, and what is told of how. */

/** Services of what compiles a dossier. */
export type DossierServices = Pick<SkillServices, "search" | "catalog" | "clock" | "research">;

export interface DossierQuestion {
	readonly topic: string;
	/** Null: those that cover the topic. */
	readonly graphs: DossierWire["graphs_asked"];
	/** `YYYY-MM-DD`; today where absent. */
	readonly asOf?: string | undefined;
}

/** Compiles a dossier and what is told of how it came about; without evidence its body is empty. */
export async function askDossier(
	{ search, catalog, clock, research }: DossierServices,
	{ topic, graphs, asOf = toIsoDay(clock.now()) }: DossierQuestion,
	{ signal }: SkillContext,
) {
	const startedMs = clock.monotonicMs();
	const { writer, feeds } = research;
	const chosen = graphs ? graphs.map(catalog.get) : catalog.list();
	const task = { topic, graphs: chosen, isRouted: graphs === null, asOf, signal };
	const compiled = await compileDossier({ search, writer, feeds }, task);
	const body = compiled.body ?? emptyBody(topic, asOf);
	const meta: DossierMeta = {
		query: topic,
		decision: compiled.decision,
		dataStatus: statusOf(compiled),
		as_of: asOf,
		graphs_used: body.graphs,
		model: toAnswerModel(compiled, research.embedder()),
		warnings: [...compiled.warnings],
		execution_time_ms: Math.round(clock.monotonicMs() - startedMs),
	};
	return { isAnswer: compiled.body !== undefined, body, meta };
}

/** The dossier with its sources, for agents that read text alone. */
export function toDossierText({ summary, findings, citations }: DossierWire): string {
	const cited = ({ text, ids }: { text: string; ids: readonly number[] }) =>
		`${text} ${ids.map((n) => `[${n}]`).join("")}`;
	return [
		...summary.map(({ text, citation_ids: ids }) => cited({ text, ids })),
		...findings.map(({ statement: text, citation_ids: ids }) => `- ${cited({ text, ids })}`),
		...citations.map(({ n, title, source_url: url }) => `[${n}] ${title} ${url}`),
	].join("\n");
}

function statusOf({ body, decision }: CompiledDossier): DossierMeta["dataStatus"] {
	if (!body) return "NO_MATCH";
	return decision === "ANSWER" ? "EVIDENCE_MATCH" : "WEAK_MATCH";
}

function emptyBody(topic: string, asOf: string): DossierBody {
	return {
		topic,
		graphs: [],
		summary: [],
		findings: [],
		evidence_table: [],
		timeline: [],
		entities: [],
		source_profile: {
			...{ tiers: {}, authority: [], sources: 0, independent_groups: 0, publishers: [] },
			...{ date_span: { oldest: null, newest: null }, undated: 0 },
		},
		contradictions: [],
		gaps: [{ kind: "not_covered", message: "No graph covers the topic.", citation_ids: [] }],
		supplemental: [],
		method: "",
		as_of: asOf,
		citations: [],
	};
}

type Finding = DossierWire["findings"][number];
type Compared = Pick<DossierWire, "findings" | "citations">;

/** Share of words in common from which one finding is another one changed (Jaccard). */
const SAME_FINDING = 0.6;

/**
 * What a newer dossier says that an older one did not, and the other way round. A finding in the same words with the same
 * confidence is unchanged; one in nearly the same words, or of another confidence, is changed.
 */
export function compareDossiers(before: Compared, after: Compared): DossierDiff {
	const left = new Set(before.findings);
	const take = (match: Finding | undefined) => {
		if (match) left.delete(match);
		return match;
	};
	// Equal ones first, so that no other finding takes their place.
	const equals = after.findings.map(({ statement }) =>
		take([...left].find((other) => other.statement === statement)),
	);
	const pairs = after.findings.map((finding, place) => ({
		finding,
		earlier: equals[place] ?? take(mostAlike(finding, left)),
	}));
	const idsOf = new Map(before.citations.map(({ n, evidence_id: id }) => [n, id]));
	const changed = pairs.flatMap(({ finding, earlier }) =>
		earlier ? changeOf(earlier, finding) : [],
	);
	const added = pairs.filter(({ earlier }) => !earlier).map(({ finding }) => finding);
	const { changesMax } = DOSSIER_LIMITS;
	return {
		added: added
			.slice(0, changesMax)
			.map(({ statement, citation_ids }) => ({ statement, citation_ids })),
		removed: [...left].slice(0, changesMax).map(({ statement, citation_ids: ids }) => ({
			statement,
			evidence_ids: ids.flatMap((n) => idsOf.get(n) ?? []),
		})),
		changed: changed.slice(0, changesMax),
		unchanged: pairs.length - added.length - changed.length,
	};
}

/** What changed between two versions of a finding; nothing where both say the same. */
function changeOf(before: Finding, after: Finding): DossierDiff["changed"] {
	const { statement, confidence, citation_ids } = after;
	if (before.statement === statement && before.confidence === confidence) return [];
	const confidences = { before: before.confidence, after: confidence };
	return [{ statement, before: before.statement, confidence: confidences, citation_ids }];
}

function mostAlike(finding: Finding, others: Iterable<Finding>): Finding | undefined {
	const terms = contentTerms(finding.statement);
	const ranked = [...others]
		.map((other) => ({ other, likeness: jaccard(terms, contentTerms(other.statement)) }))
		.sort((a, b) => b.likeness - a.likeness);
	const [best] = ranked;
	return best && best.likeness >= SAME_FINDING ? best.other : undefined;
}
