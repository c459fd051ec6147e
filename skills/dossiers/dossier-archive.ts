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
import { ServiceError, toIsoTime } from "../../src/kernel/kernel.js";
import { toHtml, toMarkdown } from "../answers/answers.js";
import { toDossierDocument } from "./dossier-document.js";
import type { DossierWire } from "./dossier-wire.js";

/** Dossiers that were paid for, while they are kept. Unknown ones, somebody else's and past ones throw the same NOT_FOUND. */
export interface Dossiers {
	/** Newest first. Throws INVALID_ARGUMENT for a cursor of another list. */
	list(caller: Caller, page: PageRequest): Promise<Json>;
	get(caller: Caller, id: string): Promise<Json>;
	/** At once and for good. */
	remove(caller: Caller, id: string): Promise<Json>;
	export(caller: Caller, id: string, format: ReportFormat): Promise<ReportFile>;
}

export function createDossiers(
	artifacts: Pick<ArtifactRepository, "find" | "list" | "remove">,
): Dossiers {
	const read = async (caller: Caller, id: string): Promise<DossierWire> => {
		const kept = await artifacts.find(caller, "dossier", id);
		if (!kept) throw notKept(id);
		return { ...(kept.data as DossierWire), kept_until: toIsoTime(kept.expiresAt) };
	};
	return {
		async list(caller, page) {
			const { items, next_cursor } = await artifacts.list(caller, "dossier", page);
			const found = await Promise.all(items.map(({ id }) => artifacts.find(caller, "dossier", id)));
			// What was deleted meanwhile is left out.
			return { items: found.flatMap((kept) => (kept ? [toItem(kept)] : [])), next_cursor };
		},

		get: (caller, id) => read(caller, id),

		async remove(caller, id) {
			if (!(await artifacts.remove(caller, "dossier", id))) throw notKept(id);
			return { dossier_id: id, status: "deleted" };
		},

		async export(caller, id, format) {
			const dossier = await read(caller, id);
			const document = toDossierDocument(dossier);
			const text = {
				md: () => toMarkdown(document),
				html: () => toHtml(document),
				json: () => JSON.stringify(dossier),
			}[format]();
			return { text, mediaType: REPORT_MEDIA_TYPES[format], fileName: `${id}.${format}` };
		},
	};
}

function toItem({ id, data, createdAt, expiresAt }: Artifact) {
	const { topic, version, previous_id, as_of } = data as DossierWire;
	return {
		dossier_id: id,
		...{ topic, version, previous_id, as_of },
		created_at: toIsoTime(createdAt),
		kept_until: toIsoTime(expiresAt),
	};
}

function notKept(id: string): ServiceError {
	return new ServiceError(
		"NOT_FOUND",
		`No dossier of yours is kept as "${id}"; dossiers are kept for a day, POST /v1/intelligence/dossier makes one.`,
	);
}
