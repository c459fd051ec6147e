import { ServiceError } from "../../kernel/kernel.js";
import type { Concept, Graph } from "../../knowledge/knowledge.js";
import { type Building, buildLexicalSegment, embedPart } from "./index-builder.js";
import { mergeParts, toTunedGraph } from "./index-merger.js";
import {
	type MatchedParts,
	matchChanged,
	matchStored,
	type Part,
	type PartedGraph,
} from "./segment.js";
import type { IndexContext, SyncRun } from "./segment-set.js";
import { withDonors } from "./shared-segments.js";

interface Prospect {
	readonly graph: Graph;
	readonly matched: MatchedParts;
	/** True when queries about the graph get hybrid answers now. */
	readonly wasHybrid: boolean;
	/** The parts as they are shown, when the graph is the same object as before. */
	readonly known?: PartedGraph;
}

export type GraphPreparer = ReturnType<typeof createGraphPreparer>;

/** Brings the parts of graphs up to their newest version: what can be kept is kept, the rest is derived. */
export function createGraphPreparer(context: IndexContext) {
	const { segments } = context;
	/** Graphs derived again whose vectors are still to be made; until then what they replace stays in use. */
	const replacements = new Map<string, PartedGraph>();

	const isOurs = (graph: Graph) => context.isMadeElsewhere?.(graph) !== true;
	const build = async ({ graph, matched, wasHybrid, known }: Prospect, building: Building) => {
		if (known) return known;
		const fresh = await buildParts(context, graph, matched.fresh, building);
		const isLive =
			wasHybrid && isOurs(graph) && matched.fresh.length <= context.limits.liveDocuments;
		const ready = isLive ? await embedLive(context, fresh) : fresh;
		return finish(context, graph, [...matched.parts, ...ready]);
	};
	const rebuild = async (prospect: Prospect, building: Building): Promise<PartedGraph> => {
		const { graph, matched } = prospect;
		const fresh = await buildParts(context, graph, graph.concepts, building);
		const built = await finish(context, graph, fresh);
		const isWhole = matched.fresh.length === 0 && isHybrid(matched.parts);
		if (!isWhole) return built;
		replacements.set(graph.record.id, built);
		return finish(context, graph, matched.parts);
	};
	return {
		replacements,
		/**
		 * The keyword side of every graph, in this order; what has vectors stays until its successor has. Rejects, and shows
		 * nothing, when closed meanwhile.
		 */
		async prepare({ graphs, options, closing }: SyncRun): Promise<void> {
			closing.throwIfAborted();
			const prospects: Prospect[] = [];
			for (const graph of graphs) prospects.push(await match(context, graph, options.donors));
			const derived = prospects.map(({ graph, matched }) =>
				options.rebuild ? graph.concepts.length : matched.fresh.length,
			);
			const total = derived.reduce((sum, count) => sum + count, 0);
			const building: Building = { onConcepts: countTo(total, options.onProgress), closing };
			const next = new Map<string, PartedGraph>();
			for (const prospect of prospects) {
				const prepared = options.rebuild
					? await rebuild(prospect, building)
					: await build(prospect, building);
				next.set(prospect.graph.record.id, prepared);
			}
			for (const [id, { graph }] of replacements) {
				if (next.get(id)?.graph.contentHash !== graph.contentHash) replacements.delete(id);
			}
			closing.throwIfAborted();
			segments.restartCount();
			segments.replace(next);
		},
	};
}

function countTo(total: number, onProgress: SyncRun["options"]["onProgress"]) {
	let done = 0;
	return (concepts: number): void => {
		done += concepts;
		onProgress?.({ stage: "keywords", done, total });
	};
}

async function match(
	{ index, segments }: IndexContext,
	graph: Graph,
	donors: SyncRun["options"]["donors"],
): Promise<Prospect> {
	const given = donors?.get(graph.record.id);
	const before = segments.find(graph.record.id);
	const wasHybrid = before !== undefined && isHybrid(before.parts);
	if (before?.graph === graph && !given) {
		return { graph, matched: { parts: before.parts, fresh: [] }, wasHybrid, known: before };
	}
	const matched = before
		? await matchBefore(before, graph)
		: await matchLoaded(await index.load(graph.record.id), graph);
	return { graph, matched: given ? await withDonors(matched, graph, given) : matched, wasHybrid };
}

async function matchBefore(before: PartedGraph, graph: Graph): Promise<MatchedParts> {
	if (before.graph === graph) return { parts: before.parts, fresh: [] };
	return matchChanged(before, graph);
}

async function matchLoaded(
	stored: Awaited<ReturnType<IndexContext["index"]["load"]>>,
	graph: Graph,
): Promise<MatchedParts> {
	if (!stored) return { parts: [], fresh: graph.concepts };
	return matchStored(stored.parts, graph, stored.contentHash === graph.contentHash);
}

function isHybrid(parts: readonly Part[]): boolean {
	return parts.length > 0 && parts.every(({ segment }) => segment.vectors);
}

async function buildParts(
	{ limits }: IndexContext,
	{ record }: Graph,
	concepts: readonly Concept[],
	building: Building,
): Promise<readonly Part[]> {
	const parts: Part[] = [];
	for (let from = 0; from < concepts.length; from += limits.segmentDocuments) {
		const some = concepts.slice(from, from + limits.segmentDocuments);
		const segment = await buildLexicalSegment({ record, concepts: some }, building);
		parts.push({ segment, concepts: some, live: some.length });
	}
	return parts;
}

/** The parts with their vectors, or as they are when these take too long or the model fails: then words must do at first. */
async function embedLive(
	{ clock, embedder, limits }: IndexContext,
	parts: readonly Part[],
): Promise<readonly Part[]> {
	if (!embedder || parts.length === 0) return parts;
	let isLate = false;
	let cancel = (): void => undefined;
	const late = new Promise<undefined>((resolve) => {
		cancel = clock.after(limits.liveVectorsMs, () => resolve(undefined));
	});
	const embed = async (): Promise<readonly Part[] | undefined> => {
		const embedded: Part[] = [];
		for (const part of parts) {
			const vectors = await embedPart(part, { embedder, goesOn: () => !isLate });
			if (!vectors) return undefined;
			embedded.push({ ...part, segment: { ...part.segment, vectors } });
		}
		return embedded;
	};
	try {
		return (await Promise.race([embed(), late])) ?? parts;
	} catch (error) {
		if (error instanceof ServiceError) return parts;
		throw error;
	} finally {
		isLate = true;
		cancel();
	}
}

/** Drops parts without live documents, joins small ones, and makes the parts comparable. */
async function finish(
	context: IndexContext,
	graph: Graph,
	parts: readonly Part[],
): Promise<PartedGraph> {
	const alive = parts.filter(({ live }) => live > 0);
	return toTunedGraph(graph, await joinSmall(context, alive), context.limits);
}

/** The newest parts are made one while they are small together: many small changes leave one small segment. */
async function joinSmall(
	{ index, limits }: IndexContext,
	parts: readonly Part[],
): Promise<readonly Part[]> {
	const newest = parts.at(-1);
	if (!newest) return parts;
	let first = parts.length;
	let together = 0;
	for (let position = parts.length - 1; position >= 0; position--) {
		const { segment, live } = parts[position] as Part;
		together += live;
		const isAlike = !segment.vectors === !newest.segment.vectors && !index.holdsVectors(segment);
		if (together > limits.deltaDocuments || !isAlike) break;
		first = position;
	}
	const small = parts.slice(first);
	const hasDead = small.some(({ live, concepts }) => live < concepts.length);
	if (small.length < 2 && !hasDead) return parts;
	return [...parts.slice(0, first), await mergeParts(small)];
}
