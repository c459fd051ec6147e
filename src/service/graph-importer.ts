import type { GraphType } from "../core/wire.js";

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
	/** Replaces a graph that was imported under this id before. */
	readonly update?: boolean | undefined;
}

export interface ImportReport {
	readonly graph_id: string;
	readonly imported: number;
	readonly skipped: readonly { readonly file: string; readonly reason: string }[];
	readonly nodes: number;
	readonly edges: number;
	readonly evidence: number;
	readonly seconds: number;
}

export type OnProgress = (progress: { readonly done: number; readonly total: number }) => void;

/** Turns somebody's folder into a graph on sale. */
export interface GraphImporter {
	/** One import at a time. Throws INVALID_ARGUMENT for a source that cannot be read or an id that is taken. */
	import(request: ImportRequest, onProgress?: OnProgress): Promise<ImportReport>;
}
