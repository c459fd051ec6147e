import { invalidArgument } from "../../kernel/kernel.js";
import {
	type BundleChanges,
	type Concept,
	conceptAt,
	type Graph,
	type GraphCatalog,
	isReserved,
	RECORD_PATH,
	type SkippedFile,
	toBundlePath,
} from "../../knowledge/knowledge.js";
import type { QualityReport } from "./graph-quality.js";
import type { ImportRequest } from "./import-command.js";

/** Concepts, against those the graph had. */
export interface ChangeCounts {
	readonly added: number;
	readonly changed: number;
	readonly removed: number;
	readonly unchanged: number;
}
export type ChangeExamples = Readonly<Record<"added" | "changed" | "removed", readonly string[]>>;

export interface ImportReport {
	readonly graph_id: string;
	readonly imported: number;
	readonly skipped: readonly SkippedFile[];
	/** Files of `skipped` by their kind: what is private, and what the import was told to leave out. */
	readonly left_out: { readonly private: number; readonly ignored: number };
	readonly nodes: number;
	readonly edges: number;
	readonly evidence: number;
	/** Concepts, against those the graph had. */
	readonly changed: ChangeCounts;
	/** Paths of concepts that came, changed and went, a few of each. */
	readonly examples: ChangeExamples;
	/** True where nothing was done: the report is of what would be. */
	readonly dry_run: boolean;
	/** The version of the graph that is on sale now. */
	readonly version?: number;
	/** What is worth a look before anyone buys, where the request asks for it. */
	readonly quality?: QualityReport;
	readonly seconds: number;
	/** Of an update: until it was known what has changed, and from there until searches saw it. */
	readonly read_ms?: number;
	readonly visible_ms?: number;
}

export type ChangedPaths = ChangeExamples & { readonly unchanged: number };

export function namesOf({ concepts }: Graph, changes: BundleChanges): ChangedPaths {
	const paths = [...changes.keys()].filter((path) => !isReserved(path) && path !== RECORD_PATH);
	const known = new Set(paths.filter((path) => conceptAt(concepts, path)));
	const added = paths.filter((path) => !known.has(path) && changes.get(path));
	const changed = [...known].filter((path) => changes.get(path));
	const removed = [...known].filter((path) => !changes.get(path));
	return { added, changed, removed, unchanged: concepts.length - known.size };
}

/** Against a graph whose files are not ours: what has the same path may have changed. */
export function changesBetween(
	before: readonly Concept[],
	after: readonly Concept[],
): ChangedPaths {
	const had = new Set(before.map(({ path }) => path));
	const has = new Set(after.map(({ path }) => path));
	const added = [...has].filter((path) => !had.has(path));
	const removed = [...had].filter((path) => !has.has(path));
	return { added, changed: [...has].filter((path) => had.has(path)), removed, unchanged: 0 };
}

const EXAMPLES = 5;

export function toReport(
	{ as, dry_run = false }: ImportRequest,
	{
		graph: { concepts },
		skipped,
		changes: { unchanged, ...names },
	}: {
		readonly graph: Graph;
		readonly skipped: readonly SkippedFile[];
		readonly changes: ChangedPaths;
	},
): Omit<ImportReport, "seconds"> {
	return {
		graph_id: as,
		imported: concepts.length,
		skipped,
		left_out: countLeftOut(skipped),
		nodes: concepts.length,
		edges: concepts.reduce((sum, { edges }) => sum + edges.length, 0),
		evidence: concepts.reduce((sum, { evidence }) => sum + evidence.length, 0),
		...toChanges({ ...names, unchanged }),
		dry_run,
	};
}

/** How many, and a few of them. */
export function toChanges({ added, changed, removed, unchanged }: ChangedPaths) {
	const [come, differ, gone] = [added.length, changed.length, removed.length];
	const few = (paths: readonly string[]) => paths.slice(0, EXAMPLES);
	return {
		changed: { added: come, changed: differ, removed: gone, unchanged },
		examples: { added: few(added), changed: few(changed), removed: few(removed) },
	};
}

/** An update that takes away more than one part in so many is asked about first: it may be of a wrong folder. */
const REMOVED_PART = 5;

/**
 * Throws INVALID_ARGUMENT, and nothing has changed, for an update that takes away more than it may. Documents that are private now,
 * or that the import is told to leave out, are not counted: they are to go.
 */
export function assertFewRemoved(
	{ as, source, removals_max, dry_run }: ImportRequest,
	{ changed, examples, skipped }: Pick<ImportReport, "changed" | "examples" | "skipped">,
	{ before, paths }: { readonly before: number; readonly paths: readonly string[] },
): void {
	const { added, removed } = changed;
	const leftOut = skipped.filter(({ kind }) => kind === "private" || kind === "ignored");
	const meant = new Set(leftOut.map(({ file }) => toBundlePath(file)));
	const lost = paths.filter((path) => !meant.has(path)).length;
	if (dry_run || lost <= (removals_max ?? before / REMOVED_PART)) return;
	const more = removed - examples.removed.length;
	const names = `${examples.removed.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
	throw invalidArgument(
		`"${source}" would take ${removed} of ${before} concepts out of "${as}" (${names}), change ${changed.changed} and add ${added}. Nothing has changed. Run it again with --yes if that is meant, or with --dry-run to see all of it first.`,
		{ details: [{ path: "removals_max", message: String(removed) }] },
	);
}

function countLeftOut(skipped: readonly SkippedFile[]): ImportReport["left_out"] {
	const count = (wanted: SkippedFile["kind"]) =>
		skipped.filter(({ kind }) => kind === wanted).length;
	return { private: count("private"), ignored: count("ignored") };
}

/** Literal paths under /v1/graphs: a graph of that name could not be reached. */
const RESERVED_IDS: ReadonlySet<string> = new Set(["catalog", "compare"]);

/** Throws INVALID_ARGUMENT for an id that is taken or no id. */
export function assertIdFree(catalog: GraphCatalog, id: string, isUpdate: boolean): void {
	if (RESERVED_IDS.has(id)) {
		throw invalidArgument(`"${id}" is a name of the interface; choose another id.`);
	}
	const other = catalog.findHeld(id) ?? catalog.find(id);
	if (!other || (isUpdate && other.record.id === id)) return;
	throw invalidArgument(
		`A graph called "${id}" is there already; replace it with --update, or choose another id.`,
	);
}
