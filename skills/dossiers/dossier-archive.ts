import type { SkillContext, SkillServices } from "../../src/contract/contract.js";
import {
	type Artifact,
	type ArtifactRepository,
	type Caller,
	type Json,
	type PageRequest,
	REPORT_MEDIA_TYPES,
	type ReportFile,
	type ReportFormat,
} from "../../src/contract/contract.js";
import { notFound, type ServiceError, toIsoDay, toIsoTime } from "../../src/kernel/kernel.js";
import { type RenderReport, type ReportDocument, toMarkdown, withEnd } from "../answers/answers.js";
import { toAnswerModel } from "../experts/experts.js";
import { type CompiledDossier, compileDossier } from "./compose-dossier.js";
import { toDossierDocument } from "./dossier-presentation.js";
import type { DossierMeta, DossierWire } from "./dossier-wire.js";

export type Dossiers = ReturnType<typeof createDossiers>;

/** Paid dossiers while they are retained. Unknown ones, those of other callers and expired ones throw the same NOT_FOUND. */
export function createDossiers(
	artifacts: Pick<ArtifactRepository, "find" | "list" | "remove">,
	renderReport: RenderReport,
) {
	const read = async (caller: Caller, id: string): Promise<DossierWire> => {
		const kept = await artifacts.find(caller, "dossier", id);
		if (!kept) throw notKept(id);
		return { ...withDefaults(kept.data as DossierWire), kept_until: toIsoTime(kept.expiresAt) };
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

		async document(caller: Caller, id: string): Promise<ReportDocument> {
			const dossier = await read(caller, id);
			const end = dossier.kept_until === null ? undefined : Date.parse(dossier.kept_until);
			return withEnd(toDossierDocument(dossier), end);
		},

		/** Deletes it at once and for good. */
		async remove(caller: Caller, id: string): Promise<Json> {
			if (!(await artifacts.remove(caller, "dossier", id))) throw notKept(id);
			return { dossier_id: id, status: "deleted" };
		},

		async export(caller: Caller, id: string, format: ReportFormat): Promise<ReportFile> {
			const dossier = await read(caller, id);
			const document = toDossierDocument(dossier);
			const texts = { md: toMarkdown, html: renderReport, json: () => JSON.stringify(dossier) };
			const text = texts[format](document);
			return { text, mediaType: REPORT_MEDIA_TYPES[format], fileName: `${id}.${format}` };
		},
	};
}

/** What dossiers that an earlier version kept lack. */
function withDefaults(kept: DossierWire): DossierWire {
	return {
		...{ ...kept, parts: kept.parts ?? [], table: kept.table ?? null },
		findings: kept.findings.map((finding) => ({ ...finding, part: finding.part ?? 0 })),
		gaps: kept.gaps.map((gap) => ({
			...{ ...gap, question: gap.question ?? null, nearest: gap.nearest ?? [] },
		})),
		evidence_table: kept.evidence_table.map((row) => ({
			...{ ...row, source_n: row.source_n ?? row.n, citation_ids: row.citation_ids ?? [row.n] },
		})),
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
	const { isAnswer, body } = compiled;
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
	return { isAnswer, body, meta };
}

function statusOf({ isAnswer, decision }: CompiledDossier): DossierMeta["dataStatus"] {
	if (!isAnswer) return "NO_MATCH";
	return decision === "ANSWER" ? "EVIDENCE_MATCH" : "WEAK_MATCH";
}
