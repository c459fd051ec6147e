import type { GraphVersions, NewGraphVersion } from "../../../store/store.js";
import { type Clock, type Logger, toIsoTime } from "../../kernel/kernel.js";
import {
	type BundleChanges,
	beyondKept,
	type Changeable,
	type Graph,
	type GraphHistory,
	isChangeable,
	type MadeVersion,
	nameSharedVersion,
	packChanges,
	packFiles,
	packWhole,
	type VersionContent,
} from "../../knowledge/knowledge.js";
import type { HeldVersions } from "./held-versions.js";
import type { SharedVectors } from "./shared-vectors.js";
import { createVersionArchive } from "./version-reading.js";

/** What is known of a version beside its files on the disk. */
export interface Publishing {
	/** The graph it was made from and what was changed of it. */
	readonly change?: { readonly from: Graph; readonly changes: BundleChanges };
	/** Its files, where they are not on the disk yet, and how it was made. */
	readonly files?: ReadonlyMap<string, Uint8Array>;
	readonly made?: MadeVersion;
	/** The id that it had until now. */
	readonly former?: string;
}

export type GraphPublication = ReturnType<typeof createGraphPublication>;

/** So many changes are read in a row at most by a process that has none of them. */
const CHANGES_MAX = 100;

/** Makes changes of graphs valid for every process on the database. */
export function createGraphPublication(deps: {
	readonly versions: GraphVersions;
	readonly held: HeldVersions;
	readonly history: GraphHistory;
	readonly vectors: SharedVectors;
	/** Versions kept of each graph. */
	readonly keep: number;
	/** Of this process alone. */
	readonly process: string;
	readonly clock: Pick<Clock, "now">;
	readonly logger: Logger;
}) {
	const { versions, held, vectors, process, clock } = deps;
	return {
		/**
		 * From here on every process is to sell this version. Throws CONFLICT, and UNAVAILABLE, while the change can still be undone:
		 * no one else has seen it then.
		 */
		async publish(graph: Graph, publishing: Publishing = {}): Promise<void> {
			const first = await toVersion(deps, graph, publishing);
			const { former } = publishing;
			const left = former === undefined ? [] : [toLeft(deps, first, former)];
			const maker = vectors.model === undefined ? undefined : { model: vectors.model, process };
			const [version = 0, leftAt] = await versions.publish([first, ...left], maker);
			nameSharedVersion(graph, version);
			await held.set(graph.record.id, version, graph.contentHash);
			if (former !== undefined && leftAt !== undefined) await held.set(former, leftAt, undefined);
			await vectors.making(graph, version);
			await prune(deps, graph.record.id);
		},
		/** From here on no process is to sell the graph. Throws as `publish` does. */
		async withdraw(graphId: string): Promise<void> {
			const gone = {
				...{ graphId, base: held.baseOf(graphId), number: 0, at: toIsoTime(clock.now()) },
				...{ cause: "removed", nodes: 0, isWhole: false, removed: [], archive: undefined },
				...{ contentHash: undefined, former: undefined, movedTo: undefined },
			};
			const [version = 0] = await versions.publish([gone]);
			await held.set(graphId, version, undefined);
			await prune(deps, graphId);
		},
		/** What the database keeps of earlier versions. */
		archive: createVersionArchive(versions),
		/** To be called once vectors were made here. */
		shareVectors: () => vectors.offer(),
	};
}

type Deps = Parameters<typeof createGraphPublication>[0];

async function toVersion(
	deps: Deps,
	graph: Graph,
	publishing: Publishing,
): Promise<NewGraphVersion> {
	if (!isChangeable(graph)) throw new TypeError("A graph without files cannot be published.");
	const { id } = graph.record;
	const made = publishing.made ?? (await deps.history.versionsOf(graph)).at(-1);
	const { isWhole, content } = await contentOf(deps, graph, publishing);
	return {
		graphId: id,
		base: deps.held.baseOf(id),
		number: made?.number ?? 1,
		at: made?.at ?? toIsoTime(deps.clock.now()),
		cause: made?.cause ?? "found",
		nodes: graph.concepts.length,
		contentHash: graph.contentHash,
		isWhole,
		removed: content.removed,
		archive: content.archive,
		former: publishing.former,
		movedTo: undefined,
	};
}

function toLeft({ held }: Deps, { graphId, at, number }: NewGraphVersion, former: string) {
	return {
		...{ graphId: former, base: held.baseOf(former), number, at, cause: "rename", nodes: 0 },
		...{ isWhole: false, removed: [], archive: undefined, contentHash: undefined },
		...{ former: undefined, movedTo: graphId },
	};
}

/** All files, or those that changed where these are few beside what a process has to read that begins with none. */
async function contentOf(
	{ versions, held }: Deps,
	graph: Changeable,
	{ change, files }: Publishing,
): Promise<{ readonly isWhole: boolean; readonly content: VersionContent }> {
	const { id } = graph.record;
	const known = held.get(id);
	const isOnNewest = known !== undefined && known.version === held.baseOf(id);
	if (change && isOnNewest && known.content_hash === change.from.contentHash) {
		const content = await packChanges(graph, change.changes);
		const sizes = await versions.sizesOf(id);
		const total = (sizes?.changes ?? 0) + content.archive.length;
		const isSmall = sizes && sizes.count < CHANGES_MAX && total <= sizes.whole / 2;
		if (isSmall) return { isWhole: false, content };
	}
	const content = files ? await packFiles(graph, files) : await packWhole(graph);
	return { isWhole: true, content };
}

/** Earlier versions go by the rule by which the data folder keeps them. */
async function prune({ versions, keep, logger }: Deps, graphId: string): Promise<void> {
	try {
		const all = await versions.list(graphId);
		const oldest = all.at(beyondKept(all, keep).length);
		if (oldest && oldest !== all[0]) await versions.dropBelow(graphId, oldest.version);
	} catch (error) {
		logger.error("earlier versions of a graph could not be dropped", {
			graph: graphId,
			error: String(error),
		});
	}
}
