import type { GraphType } from "../../contract/contract.js";
import type { ForeignDocument } from "../../documents/documents.js";
import type { BundleFiles } from "../bundle/bundle-reader.js";
import type { Graph, GraphRecord } from "../model/graph.js";

/** Shorter parts say too little to be found by. */
export const SPLIT_CHARS_MIN = 1_000;

/** How foreign documents become a graph; every option has a default that keeps what is there. */
export interface ImportOptions {
	/** "okf" keeps files as they are, "markdown" maps them; found out by looking when not given. */
	readonly format?: "okf" | "markdown";
	readonly type?: GraphType;
	/** Title of the graph; the root listing's heading or the id by default. */
	readonly title?: string;
	readonly description?: string;
	readonly version?: string;
	/** `YYYY-MM-DD` for the record's `updated`; the newest date of the documents by default. */
	readonly today?: string;
	/**
	 * Address at which a document is published, its first evidence: `{stem}` is the file's name without `.md`, `{path}`
	 * its path without `.md`.
	 */
	readonly sourceUrl?: string;
	/** Front-matter key that holds the date of that evidence, e.g. `created`. */
	readonly dateKey?: string;
	/** Front-matter keys whose values name other documents, e.g. `requires`; each becomes an edge of that type. */
	readonly edgeKeys?: readonly string[];
	/** "heading", "file", or a front-matter key that titles come from. */
	readonly titleFrom?: string;
	/** Patterns of `.gitignore` for the files that are taken, all by default, and for those that are left out. */
	readonly only?: readonly string[];
	readonly exclude?: readonly string[];
	/** Characters above which a document is cut at its headings, each part a concept below it; never by default. */
	readonly splitChars?: number;
	/** "git" dates documents that state no date by the history of their folder. */
	readonly dates?: "git";
	/** Dates of documents that state none, by path: what the history of their folder says. */
	readonly dateOf?: ReadonlyMap<string, string>;
	/**
	 * Files that are no documents themselves and speak for others: sections that are left out, and companions. Undefined for one
	 * that cannot be read.
	 */
	readonly sections?: ReadonlyMap<string, Uint8Array | undefined>;
	/** Paths that the import was asked to leave out: no other document may name them. */
	readonly ignored?: readonly string[];
}

export interface SkippedFile {
	readonly file: string;
	readonly reason: string;
	/**
	 * "private" for what its owner does not mean for others, "ignored" for what the import was told to leave out, "unreadable"
	 * for what could not be read; undefined for files that are no documents.
	 */
	readonly kind?: "private" | "ignored" | "unreadable" | undefined;
}

export interface ImportReport {
	readonly graphId: string;
	readonly imported: number;
	readonly skipped: readonly SkippedFile[];
	/** Names in `edgeKeys` that no document of the import answers to. */
	readonly unresolved: readonly {
		readonly file: string;
		readonly key: string;
		readonly name: string;
	}[];
	readonly nodes: number;
	readonly edges: number;
	readonly evidence: number;
}

/** A finished import; nothing has been written yet, so that looking at the report is a dry run. */
export interface ImportResult {
	readonly files: BundleFiles;
	readonly report: ImportReport;
	readonly graph: Graph;
	readonly trace: ImportTrace;
}

/** What a document answers to when another one names it. */
export interface NamedDocument {
	readonly path: string;
	readonly title: string;
	readonly aliases: readonly string[];
	/** Where it is published. */
	readonly address?: string | undefined;
}

/** A document on its way into a bundle: read, named, not yet linked. */
export interface ImportDocument extends ForeignDocument {
	readonly title: string;
	readonly aliases: readonly string[];
	readonly address: string | undefined;
	/** `YYYY-MM-DD`, or as much of it as is known: when it was written, or last changed. */
	readonly date: string | undefined;
	/** The document a part was cut from: its links are written from there. */
	readonly linkBase?: string | undefined;
}

/** What an import remembers of a document: enough to know whether a change elsewhere changes what became of it. */
export interface MappedDocument extends NamedDocument {
	/** What the title was chosen from. */
	readonly givenTitle: string | undefined;
	readonly heading: string | undefined;
	/** `YYYY-MM-DD` from which on it is not to be sold. */
	readonly expires: string | undefined;
	readonly bundlePath: string;
	/** Names (`nameKeysOf`) and `/`-rooted paths, in source or bundle, it was mapped with; what they lead to went into its file. */
	readonly asked: readonly string[];
	/** A wiki link of it leads to another document: a mark of a vault. */
	readonly hasWikiLink: boolean;
	readonly unresolved: ImportReport["unresolved"];
}

/** How an import came about, for the next one of the same source. */
export interface ImportTrace {
	readonly format: "okf" | "markdown";
	/** Documents that became files of the bundle, listings and logs included. */
	readonly documents: readonly MappedDocument[];
	/** Documents left out because of what others are called. */
	readonly displaced: number;
	/** True when one document decides whether others are sold: then only a whole import knows. */
	readonly hasCascades: boolean;
	/** Names of what is left out because it is not for others: when they change, others read differently. */
	readonly withheld: ReadonlySet<string>;
	readonly sourceRecord: GraphRecord;
}
