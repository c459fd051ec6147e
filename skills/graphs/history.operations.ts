import type { z } from "zod";
import { readCursor, type SkillServices, toCursor, toReply } from "../../src/contract/contract.js";
import { invalidArgument, toIsoDay } from "../../src/kernel/kernel.js";
import type { Graph } from "../../src/knowledge/knowledge.js";
import {
	changesInput,
	changesOutput,
	changesQuery,
	timelineInput,
	timelineOutput,
	timelineQuery,
} from "./graph-feed-wire.js";
import { answerOn, GRAPH_PARAMS, readingOperation, toPage } from "./graph-reading.js";
import { writtenDays, writtenSince } from "./reading/graph-lists.js";
import { mapOf, placeOf } from "./reading/graph-map.js";
import {
	createRevisionMemory,
	type NodeChange,
	type RevisionMemory,
} from "./reading/revision-changes.js";
import { firstBehind } from "./reading/sorting.js";
import { keyOfEvent, readTimeline, type TimelineEvent, timelines } from "./reading/timeline.js";

/** What happened in a graph, by day. Additive to the contract. */
export const graphTimeline = readingOperation({
	id: "graphs.timeline",
	at: "GET /v1/graphs/{graph_id}/timeline",
	summary: "Timeline of a graph",
	description:
		"Dated events, page by page: sources published, edges begun and ended, nodes written, verified and gone stale.",
	query: timelineQuery,
	reply: toReply("GraphTimelineReply", timelineOutput),
	about:
		"Dated events of one graph: sources published, edges begun and ended, nodes written, verified and gone stale; newest first unless asked otherwise. Not charged when there is none.",
	tags: ["graph", "timeline"],
	examples: ["What happened in this field since 2024?"],
	input: timelineInput,
	output: timelineOutput,
	index: timelines,
	exampleInput: () => ({ limit: 5 }),
	check: (graph, input) => {
		if (input.node_id !== undefined) placeOf(graph, input.node_id);
		toPage("timeline", input, 4);
	},
	create: () => (graph, input) => {
		const page = toPage("timeline", input, 4);
		const { items, hasMore } = readTimeline(graph, { ...input, after: page.after });
		const last = items.at(-1);
		const next_cursor = page.next(hasMore, last && keyOfEvent(last));
		return answerOn(graph, items.length > 0, { items: items.map(toEventWire) }, { next_cursor });
	},
	example: {
		params: GRAPH_PARAMS,
		query: { from: "2020-01-01", kinds: "source-published", limit: "5" },
	},
});

function toEventWire({ day, precision, kind, concept, ref }: TimelineEvent) {
	const source =
		kind === "source-published"
			? concept.evidence.find(({ articleId }) => articleId === ref)
			: undefined;
	return {
		day,
		precision,
		kind,
		node_id: concept.id,
		title: concept.title,
		detail: source?.title ?? ref,
		source_url: source?.sourceUrl ?? null,
	};
}

type Change = z.infer<typeof changesOutput>["data"]["items"][number];

/**
 * Where somebody stands in the feed: the revision they know and the day they learnt it. While they are shown its pages also
 * the revision they are being brought to, the day that began, and the node they have got to. The day alone where they asked
 * by day.
 */
interface Position {
	readonly known: string;
	readonly day: string;
	readonly target: string;
	readonly begun: string;
	readonly after: string;
}

/** What changed in a graph since a caller last looked. Additive to the contract. */
export const graphChanges = readingOperation({
	id: "graphs.changes",
	at: "GET /v1/graphs/{graph_id}/changes",
	summary: "Changes of a graph",
	description:
		"Nodes added, changed and removed since a cursor; without one, a cursor to begin with. Revisions are remembered while the service runs; beyond that the dates of the nodes tell, and the answer says so.",
	query: changesQuery,
	reply: toReply("GraphChangesReply", changesOutput),
	about:
		"Nodes added, changed and removed since a cursor. The first call gives a cursor and costs nothing, nor does any call without changes. Revisions are remembered while the service runs; beyond that the nodes' own dates are all there is, and the answer says so.",
	tags: ["graph", "changes"],
	examples: ["What is new in this graph since yesterday?"],
	input: changesInput,
	output: changesOutput,
	index: writtenDays,
	exampleInput: () => ({ since: "2020-01-01", limit: 5 }),
	check: (_, input) => void positionOf(input),
	create: ({ clock }: Pick<SkillServices, "clock">) => {
		const revisions = createRevisionMemory();
		return async (graph, input) => {
			const now = revisions.remember(graph);
			const today = toIsoDay(clock.now());
			const position = positionOf(input) ?? standAt(now, today);
			// What a list of pages brings somebody to is fixed with its first page, and so is where they go on behind the last.
			const isFirst = position.target === "";
			const target = isFirst ? now : position.target;
			const begun = isFirst ? today : position.begun;
			const { changes, ...basis } = await compare(graph, revisions, { ...position, target });
			const { items, hasMore } = take(changes, input.limit);
			const next = hasMore
				? { ...position, target, begun, after: items.at(-1)?.node_id ?? "" }
				: standAt(target, begun);
			const next_cursor = toPositionCursor(graph.record.id, next);
			const meta = { revision: now, has_more: hasMore, next_cursor };
			return answerOn(graph, items.length > 0, { items, ...basis }, meta);
		};
	},
	example: { params: GRAPH_PARAMS, query: { since: "2026-01-01", limit: "5" } },
});

function standAt(known: string, day: string): Position {
	return { known, day, target: "", begun: "", after: "" };
}

function take(changes: Iterable<Change>, limit: number): { items: Change[]; hasMore: boolean } {
	const items: Change[] = [];
	for (const change of changes) {
		if (items.length === limit) return { items, hasMore: true };
		items.push(change);
	}
	return { items, hasMore: false };
}

/** What comes behind the node that somebody has got to, by id; looked at only as far as it is taken. */
async function compare(
	graph: Graph,
	revisions: RevisionMemory,
	{ known, day, target, after }: Position,
): Promise<{ changes: Iterable<Change>; basis: "files" | "dates"; is_complete: boolean }> {
	if (known === target) return { changes: [], basis: "files", is_complete: true };
	const changes = await revisions.changesBetween(graph.record.id, known, target);
	if (!changes)
		return { changes: datedSince(graph, day, after), basis: "dates", is_complete: false };
	return { changes: changedBehind(graph, changes, after), basis: "files", is_complete: true };
}

function* changedBehind(
	graph: Graph,
	changes: readonly NodeChange[],
	after: string,
): Generator<Change> {
	const start = firstBehind(changes, ({ conceptId }) => conceptId, after);
	for (let at = start; at < changes.length; at++) {
		const known = changes[at];
		if (known) yield* toChange(graph, known.conceptId, known.change);
	}
}

/** A file that could not be read as a node is none, and one that is gone since was. */
function toChange(graph: Graph, id: string, change: Change["change"]): Change[] {
	const { places, concepts } = mapOf(graph);
	const { title = null, type = null } = concepts[places.get(id) ?? -1] ?? {};
	if (change !== "removed" && title === null) return [];
	return [{ node_id: id, change, title, type }];
}

function* datedSince(graph: Graph, day: string, after: string): Generator<Change> {
	for (const { id, title, type } of writtenSince(graph, day, after)) {
		yield { node_id: id, change: "dated", title, type };
	}
}

const KEY_PARTS = 5;

/** Undefined for somebody who comes for the first time. Throws INVALID_ARGUMENT. */
function positionOf({
	graph_id,
	cursor,
	since,
}: z.infer<typeof changesInput>): Position | undefined {
	if (cursor !== undefined && since !== undefined) {
		throw invalidArgument('Send "cursor" or "since", not both: a cursor knows where it goes on.');
	}
	if (since !== undefined) return standAt("", since);
	if (cursor === undefined) return undefined;
	const key = readCursor(cursor, { list: "changes", asked: { graph_id } }, KEY_PARTS);
	const [known = "", day = "", target = "", begun = "", after = ""] = key;
	return { known, day, target, begun, after };
}

function toPositionCursor(graphId: string, { known, day, target, begun, after }: Position): string {
	const identity = { list: "changes", asked: { graph_id: graphId } };
	return toCursor(identity, [known, day, target, begun, after]);
}
