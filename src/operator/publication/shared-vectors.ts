import type { GraphVersionRow, GraphVersions, IndexSegment } from "../../../store/store.js";
import { type Logger, ServiceError } from "../../kernel/kernel.js";
import type { Graph, GraphCatalog } from "../../knowledge/knowledge.js";
import type { Donors, SearchEngine } from "../../search/search.js";

/** Versions whose vectors another process makes. */
export type AwaitedVectors = ReturnType<typeof createAwaitedVectors>;

/** Known to the index before anything else of it is: what stands here is not made here. */
export function createAwaitedVectors() {
	const hashes = new Set<string>();
	return {
		has: ({ contentHash }: Pick<Graph, "contentHash">): boolean => hashes.has(contentHash),
		add: (contentHash: string): void => void hashes.add(contentHash),
		delete: (contentHash: string): void => void hashes.delete(contentHash),
	};
}

interface Pending {
	readonly version: number;
	readonly contentHash: string;
	/** Undefined where no one has been asked yet. */
	readonly claim: "ours" | "another's" | undefined;
	/** False while it is being put on sale. */
	readonly wasOnSale?: boolean;
}

export type SharedVectors = ReturnType<typeof createSharedVectors>;

/** One process makes the vectors of a version for all: who published it or, when that stops, who takes it over. */
export function createSharedVectors({
	versions,
	search,
	catalog,
	awaited,
	process,
	logger,
}: {
	readonly versions: GraphVersions;
	readonly search: SearchEngine;
	readonly catalog: GraphCatalog;
	readonly awaited: AwaitedVectors;
	/** Of this process alone. */
	readonly process: string;
	readonly logger: Logger;
}) {
	const model = search.embedder?.identity.sha256;
	const { all, find, forget, track } = createPendingVectors(catalog, awaited);
	const load = createSegmentReader({ versions, search, logger });
	/** Gives what was made here to the others; false while it is not whole. */
	const give = async (graph: Graph, { version, claim }: Pending): Promise<boolean> => {
		const segments = search.share(graph);
		if (!segments || model === undefined) return false;
		if (claim === "ours") await versions.index.store({ version, model }, segments);
		forget(graph.record.id, version);
		return true;
	};
	/** Asks once who is at it; returns what was made meanwhile, and undefined where nothing is to be done here yet. */
	const look = async (graphId: string, known: Pending): Promise<Donors | undefined> => {
		if (model === undefined) return undefined;
		const claim = await versions.index.claim({ version: known.version, model }, process);
		if (claim === "another's") track(graphId, { ...known, claim });
		if (claim === "ours" && known.claim !== "ours") {
			track(graphId, { ...known, claim });
			return new Map();
		}
		if (claim !== "made") return undefined;
		const donors = await load(graphId, model);
		forget(graphId, known.version);
		return donors;
	};
	return {
		model,
		/** This process published the version, and makes its vectors. */
		async making(graph: Graph, version: number): Promise<void> {
			if (model === undefined) return;
			const made: Pending = { version, contentHash: graph.contentHash, claim: "ours" };
			track(graph.record.id, made);
			await give(graph, made).catch((error: unknown) => report(logger, graph.record.id, error));
		},
		/** A version that is at hand already, with its vectors or without. */
		expect(graphId: string, version: number, contentHash: string): void {
			if (model !== undefined) track(graphId, { version, contentHash, claim: undefined });
		},
		/** Before a version is switched to: what others derived of it; what is missing is made here or waited for. */
		async prepare({
			graphId,
			version,
			contentHash,
		}: Pick<GraphVersionRow, "graphId" | "version" | "contentHash">): Promise<Donors | undefined> {
			if (model === undefined || contentHash === undefined) return undefined;
			const claim = await versions.index.claim({ version, model }, process);
			if (claim === "made") forget(graphId);
			else track(graphId, { version, contentHash, claim });
			return load(graphId, model);
		},
		/** Stores what was made here, and renews the claim on what is not made yet. */
		async offer(): Promise<void> {
			for (const [graphId, known] of all()) {
				const graph = find(graphId, known);
				if (!graph || known.claim !== "ours") continue;
				await give(graph, known).catch((error: unknown) => report(logger, graphId, error));
			}
		},
		/**
		 * Brings all that is waited for one step on. `renew` brings the index in line with what is on sale, with what others derived.
		 */
		async settle(renew: (donors: Donors) => Promise<void>): Promise<void> {
			for (const [graphId, known] of all()) {
				const graph = find(graphId, known);
				if (!graph || (await give(graph, known))) continue;
				const donors = await look(graphId, known);
				if (donors) await renew(donors);
			}
		},
	};
}

/** Versions without vectors, by their graph. */
function createPendingVectors(catalog: GraphCatalog, awaited: AwaitedVectors) {
	const pending = new Map<string, Pending>();
	/** Another version that has taken its place meanwhile stays. */
	const forget = (graphId: string, version?: number) => {
		const known = pending.get(graphId);
		if (!known || (version !== undefined && known.version !== version)) return;
		awaited.delete(known.contentHash);
		pending.delete(graphId);
	};
	return {
		all: () => [...pending],
		forget,
		track(graphId: string, next: Pending): void {
			forget(graphId);
			pending.set(graphId, next);
			if (next.claim !== "ours") awaited.add(next.contentHash);
		},
		/** The version where it is on sale; one that was, and is no more, is waited for no longer. */
		find(graphId: string, known: Pending): Graph | undefined {
			const graph = catalog.findHeld(graphId);
			if (graph?.contentHash === known.contentHash) {
				if (!known.wasOnSale) pending.set(graphId, { ...known, wasOnSale: true });
				return graph;
			}
			if (known.wasOnSale) forget(graphId, known.version);
			return undefined;
		},
	};
}

function report(logger: Logger, graph: string, error: unknown): void {
	logger.error("vectors of a graph could not be given to other processes yet", {
		graph,
		error: String(error),
	});
}

function createSegmentReader({
	versions,
	search,
	logger,
}: {
	readonly versions: GraphVersions;
	readonly search: SearchEngine;
	readonly logger: Logger;
}) {
	const read = async (
		graphId: string,
		{ name, tombstones }: Omit<IndexSegment, "write">,
	): Promise<ReturnType<SearchEngine["readShared"]>> => {
		try {
			const bytes = await versions.index.readSegment(name);
			return bytes && search.readShared({ bytes, tombstones });
		} catch (error) {
			// A database that is away may be back in a moment.
			if (error instanceof ServiceError) throw error;
			logger.error("a segment of an index is not usable; its vectors are made here", {
				graph: graphId,
				error: String(error),
			});
			return undefined;
		}
	};
	/** Those that are not at hand; what cannot be read is made again. */
	return async (graphId: string, model: string): Promise<Donors> => {
		const parts = [];
		for (const segment of await versions.index.find(graphId, model)) {
			const part = search.holdsShared(segment.name) ? undefined : await read(graphId, segment);
			if (part) parts.push(part);
		}
		return new Map([[graphId, parts]]);
	};
}
