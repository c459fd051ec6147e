import type { Embedder } from "../model/embedder.js";
import { preparePriors } from "./concept-priors.js";
import type { Part, PartedGraph } from "./graph-parts.js";
import type { IndexFolder } from "./index-folder.js";
import { type IndexLimits, planMerge } from "./merge-plan.js";
import { bringUpToDate, mergeParts, tuneParts } from "./segment-merge.js";
import type { SegmentSet } from "./segment-set.js";

/** Merges segments while the process serves, one group at a time. */
export interface IndexMerger {
	/** Begins to merge when there is something to merge and nothing is being merged. */
	look(): void;
	/** Resolves once nothing is left to merge. */
	settle(): Promise<void>;
	/** What is being merged now is dropped. */
	close(): void;
}

export interface IndexMergerDeps {
	readonly index: IndexFolder;
	readonly embedder: Embedder | undefined;
	readonly segments: SegmentSet;
	readonly limits: IndexLimits;
	/** Runs what changes the set when nothing else does. */
	readonly enqueue: (work: () => Promise<void>) => Promise<void>;
}

interface MergeWork {
	readonly graphId: string;
	readonly sources: readonly Part[];
}

export function createIndexMerger(deps: IndexMergerDeps): IndexMerger {
	let isOpen = true;
	let running: Promise<void> | undefined;
	const run = async (): Promise<void> => {
		for (let work = findWork(deps); work && isOpen; work = findWork(deps)) {
			const { graphId, sources } = work;
			const merged = await mergeParts(sources, sources[0]?.segment.lexical.averageLength ?? 1);
			if (!isOpen) return;
			await deps.enqueue(async () => {
				if (isOpen) await replaceSources(deps, { graphId, sources }, merged);
			});
		}
	};
	const look = () => {
		running ??= run()
			.catch(() => undefined)
			.finally(() => {
				running = undefined;
			});
	};
	return {
		look,
		async settle() {
			look();
			await running;
		},
		close() {
			isOpen = false;
		},
	};
}

function findWork({ segments, limits, ...deps }: IndexMergerDeps): MergeWork | undefined {
	for (const { graph, parts } of segments.all()) {
		const ready = parts.filter((part, position) => {
			const isNewest = position === parts.length - 1;
			// The newest small one is made anew by the next change anyway.
			if (isNewest && part.live < limits.deltaDocuments && parts.length > 1) return false;
			return isReady(part, deps);
		});
		const plan = planMerge(
			ready.map(({ concepts, live }) => ({ documents: concepts.length, live })),
			limits,
		);
		if (!plan) continue;
		const sources = ready.filter((_, position) => plan.includes(position));
		return { graphId: graph.record.id, sources };
	}
	return undefined;
}

/** Vectors that are still to be made, or that lie on disk for a model that is away, would be lost in a merge. */
function isReady(
	{ segment }: Part,
	{ embedder, index }: Pick<IndexMergerDeps, "embedder" | "index">,
): boolean {
	return embedder ? segment.vectors !== undefined : !index.holdsVectors(segment);
}

/** Puts the merged part where its first source is, unless one of the sources has been replaced meanwhile. */
async function replaceSources(
	{ index, segments, limits }: IndexMergerDeps,
	{ graphId, sources }: MergeWork,
	merged: Part,
): Promise<void> {
	const before = segments.find(graphId);
	const now = sources.flatMap(({ segment }) => {
		const same = before?.parts.find((part) => part.segment.fingerprints === segment.fingerprints);
		return same ? [same] : [];
	});
	if (!before || now.length < sources.length) return;
	const current = bringUpToDate(merged, sources, now);
	const parts = before.parts.flatMap((part) => {
		if (part === now[0]) return current.live > 0 ? [current] : [];
		return now.includes(part) ? [] : [part];
	});
	const after: PartedGraph = { graph: before.graph, parts: await tuneParts(parts, limits) };
	await preparePriors(
		after.graph,
		after.parts.map(({ concepts }) => concepts),
	);
	segments.replace(segments.copy().set(graphId, after));
	await index.commit(segments.all());
}
