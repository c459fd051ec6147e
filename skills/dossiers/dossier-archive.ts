import type { SkillContext, SkillServices } from "../../src/contract/contract.js";
import {
	type Artifact,
	type ArtifactRepository,
	type Caller,
	type CitedTextWire,
	type Json,
	type PageRequest,
	REPORT_MEDIA_TYPES,
	type ReportFile,
	type ReportFormat,
} from "../../src/contract/contract.js";
import { contentTerms, jaccard } from "../../src/evidence/evidence.js";
import { notFound, type ServiceError, toIsoDay, toIsoTime } from "../../src/kernel/kernel.js";
import {
	listSection,
	proseSection,
	type ReportDocument,
	type ReportItem,
	toHtml,
	toMarkdown,
	toMarks,
} from "../answers/answers.js";
import { toAnswerModel } from "../experts/experts.js";
import { type CompiledDossier, compileDossier, type DossierBody } from "./compose-dossier.js";
import {
	DOSSIER_LIMITS,
	type DossierDiff,
	type DossierMeta,
	type DossierWire,
} from "./dossier-wire.js";

export type Dossiers = ReturnType<typeof createDossiers>;

/** Paid dossiers while they are retained. Unknown ones, those of other callers and expired ones throw the same NOT_FOUND. */
export function createDossiers(artifacts: Pick<ArtifactRepository, "find" | "list" | "remove">) {
	const read = async (caller: Caller, id: string): Promise<DossierWire> => {
		const kept = await artifacts.find(caller, "dossier", id);
		if (!kept) throw notKept(id);
		return { ...(kept.data as DossierWire), kept_until: toIsoTime(kept.expiresAt) };
	};
	return {
		/** Newest first. Throws INVALID_ARGUMENT for a cursor of another list. */
		async list(caller: Caller, page: PageRequest): Promise<Json> {
			const { items, next_cursor } = await artifacts.list(caller, "dossier", page);
			const found = await Promise.all(items.map(({ id }) => artifacts.find(caller, "dossier", id)));
			// What was deleted meanwhile is left out.
			return { items: found.flatMap((kept) => (kept ? [toListed(kept)] : [])), next_cursor };
		},

		get: (caller: Caller, id: string): Promise<Json> => read(caller, id),

		/** Deletes it at once and for good. */
		async remove(caller: Caller, id: string): Promise<Json> {
			if (!(await artifacts.remove(caller, "dossier", id))) throw notKept(id);
			return { dossier_id: id, status: "deleted" };
		},

		async export(caller: Caller, id: string, format: ReportFormat): Promise<ReportFile> {
			const dossier = await read(caller, id);
			const document = toDossierDocument(dossier);
			const texts = { md: toMarkdown, html: toHtml, json: () => JSON.stringify(dossier) };
			const text = texts[format](document);
			return { text, mediaType: REPORT_MEDIA_TYPES[format], fileName: `${id}.${format}` };
		},
	};
}

function toListed({ id, data, createdAt, expiresAt }: Artifact) {
	const { topic, version, previous_id, as_of } = data as DossierWire;
	const times = { created_at: toIsoTime(createdAt), kept_until: toIsoTime(expiresAt) };
	return { dossier_id: id, topic, version, previous_id, as_of, ...times };
}

export function notKept(id: string): ServiceError {
	return notFound(
		`No dossier of yours is kept as "${id}"; dossiers are kept for a day, POST /v1/intelligence/dossier makes one.`,
	);
}

/** A dossier as a document, whatever it is persisted in. */
export function toDossierDocument(dossier: DossierWire): ReportDocument {
	const { source_profile: profile, contradictions, gaps, timeline, entities } = dossier;
	return {
		title: dossier.topic,
		facts: [
			["Dossier", dossier.dossier_id],
			["Version", String(dossier.version)],
			["As of", dossier.as_of],
			["Sources", `${profile.sources}, in ${profile.independent_groups} independent groups`],
			["Graphs", dossier.graphs.join(", ")],
		],
		sections: [
			proseSection("Summary", dossier.summary.map(toItem)),
			listSection("Findings", dossier.findings.map(toFinding)),
			listSection("Contradictions", contradictions.flatMap(toOpposed)),
			listSection(
				"Timeline",
				timeline.map((entry) => ({ ...toItem(entry), note: entry.date })),
			),
			listSection(
				"Entities",
				entities.map(({ name, type }) => ({ text: name, citationIds: [], note: type })),
			),
			listSection(
				"What is not known",
				gaps.map(({ message, citation_ids: ids }) => ({ text: message, citationIds: ids })),
			),
			proseSection("Method", [{ text: dossier.method, citationIds: [] }]),
		],
		citations: dossier.citations,
	};
}

function toItem({ text, citation_ids: citationIds }: CitedTextWire): ReportItem {
	return { text, citationIds };
}

function toOpposed({
	statements,
	reason,
}: DossierWire["contradictions"][number]): readonly ReportItem[] {
	const [one, other] = statements;
	const against = other && { ...toItem(other), note: `against the one above: ${reason}` };
	return [...(one ? [toItem(one)] : []), ...(against ? [against] : [])];
}

function toFinding(finding: DossierWire["findings"][number]): ReportItem {
	const { statement, citation_ids: citationIds, confidence, contradicted_by: against } = finding;
	const { name } = finding.about;
	const others = against.flatMap(({ citation_ids: ids }) => ids).join(", ");
	const contradicted = others === "" ? "" : `, contradicted by ${others}`;
	return { text: statement, citationIds, note: `${name}; confidence ${confidence}${contradicted}` };
}

/** What dossiers and their refreshing share: how they are compiled, and what is reported of how. */

/** Services of what compiles a dossier. */
export type DossierServices = Pick<SkillServices, "search" | "catalog" | "clock" | "research">;

export interface DossierQuestion {
	readonly topic: string;
	/** Null: those that cover the topic. */
	readonly graphs: DossierWire["graphs_asked"];
	/** `YYYY-MM-DD`; today where absent. */
	readonly asOf?: string | undefined;
}

/** Compiles a dossier and what is reported of how it came about; without evidence its body is empty. */
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
		`${text} ${toMarks(ids)}`;
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
