import type { GraphType } from "../contract/contract.js";
import { ServiceError } from "../kernel/kernel.js";
import type { GraphCatalog, GraphRecord, ImportOptions } from "../knowledge/knowledge.js";

export interface ImportRequest {
	/** Absolute path of an OKF folder, a Markdown folder or a zip of either. */
	readonly source: string;
	readonly as: string;
	/** Address of each document; `{stem}` and `{path}` are filled in. */
	readonly source_url?: string | undefined;
	/** Front-matter key that dates the document. */
	readonly date_key?: string | undefined;
	/** Front-matter keys whose values name other documents. */
	readonly edge_keys?: readonly string[] | undefined;
	readonly type?: GraphType | undefined;
	readonly title?: string | undefined;
	/** Brings a graph that was imported under this id before in line with the source; what has not changed stays as it is. */
	readonly update?: boolean | undefined;
	/** Reads every file of the source, also those whose size and times have not changed. */
	readonly full?: boolean | undefined;
}

export interface ImportReport {
	readonly graph_id: string;
	readonly imported: number;
	readonly skipped: readonly { readonly file: string; readonly reason: string }[];
	readonly nodes: number;
	readonly edges: number;
	readonly evidence: number;
	/** Concepts, against those the graph had. */
	readonly changed: ChangeCount;
	readonly seconds: number;
	/** Of an update: until it was known what has changed, and from there until searches saw it. */
	readonly read_ms?: number;
	readonly visible_ms?: number;
}

/** An import that searches see already. */
export interface VisibleImport {
	readonly report: Omit<ImportReport, "seconds">;
	/** Settles as `GraphRepository.complete` does. */
	readonly complete: Promise<void>;
}

export interface ChangeCount {
	readonly added: number;
	readonly changed: number;
	readonly removed: number;
	readonly unchanged: number;
}

export type OnProgress = (progress: {
	readonly done: number;
	readonly total: number;
	/** Which part of the work is counted, where it has several. */
	readonly stage?: "keywords" | "vectors" | undefined;
}) => void;

/** Throws INVALID_ARGUMENT for a source without a single concept. */
export function assertSome(
	{ nodes, skipped }: { readonly nodes: number; readonly skipped: readonly unknown[] },
	source: string,
): void {
	if (nodes > 0) return;
	throw new ServiceError(
		"INVALID_ARGUMENT",
		`Nothing in "${source}" can become a concept; ${skipped.length} files were looked at. A concept is a Markdown file with text.`,
	);
}

/** Two detail pages of one name would hide each other. */
export function assertSlugFree(catalog: GraphCatalog, { id, slug }: GraphRecord): void {
	const holder = catalog.find(slug);
	if (!holder || holder.record.id === id) return;
	throw new ServiceError(
		"INVALID_ARGUMENT",
		`The bundle's slug "${slug}" belongs to the graph "${holder.record.id}"; change it in graph.md.`,
	);
}

/** The options of a request. */
export function toOptions(request: ImportRequest, today: string): ImportOptions {
	const { source_url, date_key, edge_keys, type, title } = request;
	return {
		today,
		...(source_url !== undefined && { sourceUrl: source_url }),
		...(date_key !== undefined && { dateKey: date_key }),
		...(edge_keys && { edgeKeys: edge_keys }),
		...(type && { type }),
		...(title !== undefined && { title }),
	};
}
