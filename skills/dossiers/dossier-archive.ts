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
import { ServiceError, toIsoTime } from "../../src/kernel/kernel.js";
import {
	listSection,
	proseSection,
	type ReportDocument,
	type ReportItem,
	toHtml,
	toMarkdown,
} from "../answers/answers.js";
import type { DossierWire } from "./dossier-wire.js";

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
	return new ServiceError(
		"NOT_FOUND",
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
