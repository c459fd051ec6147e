import type {
	DatePrecision,
	GraphTerms,
	GraphType,
	SourceKind,
	TrustTier,
} from "../../contract/contract.js";
import type { PathMap } from "./path-map.js";
import { runAtOnce, runInTurns, type Steps } from "./work-in-turns.js";

/** Graphs as every other module sees them: OKF bundles, read and mapped, immutable. */

/** A source that carries a concept. Addresses are http(s) only; everything else is dropped with a lint finding. */
export interface Evidence {
	readonly articleId: string;
	readonly title: string;
	readonly sourceUrl: string;
	/** `YYYY-MM-DD`; undefined when the source is undated. Month and year dates point to their first day. */
	readonly publishedAt: string | undefined;
	readonly datePrecision: DatePrecision | undefined;
	/** As the owner declares it. */
	readonly kind?: SourceKind | undefined;
}

/** A directed edge to a concept of the same graph. Plain Markdown links have type `links-to` and weight 1. */
export interface Edge {
	readonly type: string;
	readonly target: string;
	readonly weight: number;
	readonly validFrom?: string | undefined;
	readonly validTo?: string | undefined;
}

/** Who looked at a concept: `<producer>/<version>`, `human:<id>` or `process:<id>`, and when (`YYYY-MM-DD`). */
export interface Verification {
	readonly by: string;
	readonly at: string | undefined;
}

export interface Concept {
	readonly id: string;
	/** Path relative to the bundle root, with `.md`. */
	readonly path: string;
	readonly type: string;
	readonly title: string;
	/** `description`, or the first paragraph of the body. Plain text. */
	readonly summary: string;
	readonly body: string;
	readonly tags: readonly string[];
	readonly aliases: readonly string[];
	readonly evidence: readonly Evidence[];
	readonly edges: readonly Edge[];
	readonly trust: TrustTier;
	/** What `trust` was derived from. */
	readonly verified?: readonly Verification[] | undefined;
	readonly status: "draft" | "stable" | "deprecated";
	readonly generatedAt: string | undefined;
	/** Actor that wrote the file, when given. */
	readonly generatedBy?: string | undefined;
	readonly staleAfter: string | undefined;
	/** What else the front matter states, as `key: value` lines: a document's own status, dates, versions. Searched, and not served. */
	readonly facts?: string | undefined;
	/** True for a document that its own file names as a source: what no footnote attributes, it says itself. */
	readonly isOwnSource?: true | undefined;
	/** Front matter that is not said above, as JSON (`keptFieldsOf`): it goes out again with the file. */
	readonly kept?: string | undefined;
}

/** On what grounds a machine may answer in an expert's name. */
export interface ExpertConsent {
	/** "synthetic" where no person stands behind the expert; else where the person's consent is recorded. */
	readonly basis: string;
	/** `YYYY-MM-DD`, the last day it holds; undefined while it has no end. */
	readonly until: string | undefined;
}

/** Who a graph of type expert speaks for; a synthetic expert says so. */
export interface ExpertProfile {
	readonly agentId: string;
	readonly name: string;
	readonly headline: string;
	readonly isAiTwin: boolean;
	readonly disclosure: string;
	/** Without one the expert is listed but cannot be consulted. */
	readonly consent?: ExpertConsent | undefined;
}

export interface AnalystProfile {
	readonly name: string;
	readonly domain: string;
	readonly method: string;
}

/** What the catalog says of a graph; read from its `graph.md`. */
export interface GraphRecord {
	readonly id: string;
	/** Name of the detail page; may differ from the id. */
	readonly slug: string;
	readonly title: string;
	readonly type: GraphType;
	readonly version: string;
	readonly updated: string;
	readonly description: string;
	/** Body of `graph.md`: prose for "What This Is". */
	readonly about: string;
	readonly topics: readonly string[];
	readonly exampleQueries: readonly string[];
	readonly curator: { readonly name: string; readonly note: string } | undefined;
	readonly expert: ExpertProfile | undefined;
	readonly analyst: AnalystProfile | undefined;
	/** Prices and owners; undefined where the price list decides and the operator owns. */
	readonly terms?: GraphTerms | undefined;
	/** Where buyers turn to with questions. */
	readonly contact?: string | undefined;
	/** An SPDX identifier, an address or a sentence. */
	readonly license?: string | undefined;
	/** What the owner set by hand: imports leave it as it is. */
	readonly setByOwner?: readonly SettableField[] | undefined;
}

export const SETTABLE_FIELDS = ["title", "description", "topics", "contact", "license"] as const;
export type SettableField = (typeof SETTABLE_FIELDS)[number];

/** A loaded graph: its record and its concepts in path order. Immutable; a change makes a new one. */
export interface Graph {
	readonly record: GraphRecord;
	readonly concepts: readonly Concept[];
	readonly folder: string;
	/** sha256 (hex) over every file's path and bytes: the version indexes are built for. */
	readonly contentHash: string;
	/** Lets a change of some files be read without the others; undefined for graphs that were not read from files. */
	readonly memory?: BundleMemory | undefined;
}

/** What reading a bundle found beside its concepts. */
export interface BundleMemory {
	readonly files: PathMap<FileMark>;
	/** Paths that a concept's file names and that are no concept, by that file's path: they become edges once they are one. */
	readonly awaited: PathMap<readonly string[]>;
	readonly frame: BundleFrame;
}

export interface FileMark {
	readonly sha256: string;
	readonly bytes: number;
}

/** What a record is made of: `graph.md`, and what stands in for what it does not say. */
export interface BundleFrame {
	readonly record:
		| { readonly data: Readonly<Record<string, unknown>>; readonly body: string }
		| undefined;
	readonly listedTitle: string | undefined;
	readonly loggedDay: string | undefined;
	readonly fallbackId: string;
}

/** What is wrong with a file of a bundle. Errors keep a file or a graph out; warnings do not. */
export interface Finding {
	readonly file: string;
	readonly rule:
		| "no-record"
		| "no-type"
		| "bad-front-matter"
		| "too-large"
		| "bad-path"
		| "id-collision"
		| "bad-address"
		| "bad-price"
		| "too-many-sources"
		| "broken-link";
	readonly severity: "error" | "warning";
	readonly message: string;
}

/** `<graph id>:<concept id>`, the contract's trend_id. */
export function toTrendId(graphId: string, conceptId: string): string {
	return `${graphId}:${conceptId}`;
}

/** How the memory of a graph is read, for graphs that were made without it. */
const readings = new WeakMap<object, Steps<void>>();

/** A graph whose memory is read by these steps once it is asked for: most starts never need it. */
export function withLateMemory(
	graph: Omit<Graph, "memory">,
	steps: Steps<BundleMemory>,
): Graph & { readonly memory: BundleMemory } {
	let memory: BundleMemory | undefined;
	function* read(): Steps<void> {
		memory = yield* steps;
	}
	const reading = read();
	const whole = {
		...graph,
		get memory(): BundleMemory {
			// Goes on where turns have come to, if they have begun.
			if (!memory) runAtOnce(reading);
			if (!memory) throw new TypeError("The memory of a graph could not be read before.");
			return memory;
		},
	};
	readings.set(whole, reading);
	return whole;
}

/** True for a graph that has a memory, whether it has been read or not. */
export function hasMemory(graph: Graph): boolean {
	return readings.has(graph) || graph.memory !== undefined;
}

/** Anyone who asks for the memory after this waits for nothing; others are served while it is read. */
export async function readMemory(graph: Pick<Graph, "memory">): Promise<void> {
	const reading = readings.get(graph);
	if (reading) await runInTurns(reading);
}

const sharedVersions = new WeakMap<Graph, number>();

/** Says under which number processes that share their graphs know this version. */
export function nameSharedVersion(graph: Graph, version: number): void {
	sharedVersions.set(graph, version);
}

/** Undefined where graphs are not shared, and for those of a catalog folder. */
export function sharedVersionOf(graph: Graph): number | undefined {
	return sharedVersions.get(graph);
}

const byId = new WeakMap<readonly Concept[], ReadonlyMap<string, Concept>>();

/** The concept of an id; the graph is listed once, however often this is asked. */
export function findConcept(
	{ concepts }: Pick<Graph, "concepts">,
	id: string,
): Concept | undefined {
	const known = byId.get(concepts) ?? new Map(concepts.map((one) => [one.id, one]));
	byId.set(concepts, known);
	return known.get(id);
}
