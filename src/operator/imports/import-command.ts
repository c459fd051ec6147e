import { z } from "zod";
import { GRAPH_TYPES, graphIdField } from "../../contract/contract.js";
import { type ImportOptions, SPLIT_CHARS_MIN } from "../../knowledge/knowledge.js";

export const importCommand = z.strictObject({
	/** Absolute path of an OKF folder, a Markdown folder or a zip of either. */
	source: z.string().min(1),
	as: graphIdField,
	/** Address of each document; `{stem}` and `{path}` are filled in. */
	source_url: z.string().optional(),
	/** Front-matter key that dates the document. */
	date_key: z.string().optional(),
	/** Front-matter keys whose values name other documents. */
	edge_keys: z.array(z.string()).optional(),
	type: z.enum(GRAPH_TYPES).optional(),
	title: z.string().optional(),
	/** "heading", "file", or the front-matter key that titles of documents come from. */
	title_from: z.string().min(1).optional(),
	/** Where dates come from that documents do not state. */
	dates: z.enum(["git"]).optional(),
	/** Patterns of `.gitignore`: files that are taken, all by default, and those that are left out. */
	only: z.array(z.string()).optional(),
	exclude: z.array(z.string()).optional(),
	/** Characters above which a document is cut at its headings. */
	split: z.number().int().min(SPLIT_CHARS_MIN).optional(),
	/** Brings a graph that was imported under this id before in line with the source; what has not changed stays as it is. */
	update: z.boolean().optional(),
	/** Tells what the import would make and change, and does nothing. */
	dry_run: z.boolean().optional(),
	/** Also looks at the whole graph: what is in it, what is missing, and what it answers. */
	quality: z.boolean().optional(),
	/** Concepts that an update may take away; a fifth of them by default. */
	removals_max: z.number().int().min(0).optional(),
	/** Reads every file of the source, also those whose size and times have not changed. */
	full: z.boolean().optional(),
});
export type ImportRequest = z.output<typeof importCommand>;

export type OnProgress = (progress: {
	readonly done: number;
	readonly total: number;
	/** Which part of the work is counted, where it has several. */
	readonly stage?: "keywords" | "vectors" | undefined;
}) => void;

export function toOptions(request: ImportRequest, today: string): ImportOptions {
	const { source_url, date_key, edge_keys, type, title, title_from, dates, only, exclude, split } =
		request;
	return {
		today,
		...(source_url !== undefined && { sourceUrl: source_url }),
		...(date_key !== undefined && { dateKey: date_key }),
		...(edge_keys && { edgeKeys: edge_keys }),
		...(type && { type }),
		...(title !== undefined && { title }),
		...(title_from !== undefined && { titleFrom: title_from }),
		...(dates && { dates }),
		...(only && { only }),
		...(exclude && { exclude }),
		...(split !== undefined && { splitChars: split }),
	};
}
