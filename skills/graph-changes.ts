import type { z } from "zod";
import { type Clock, toIsoDay } from "../src/core/clock.js";
import { ServiceError } from "../src/core/errors.js";
import { changesInput, changesOutput } from "../src/core/graph-feed-wire.js";
import type { Skill } from "../src/core/skill.js";
import type { Graph } from "../src/knowledge/graph.js";
import { mapOf } from "../src/knowledge/reading/graph-map.js";
import { readCursor, toCursor } from "../src/knowledge/reading/list-cursor.js";
import {
	createRevisionMemory,
	type RevisionMemory,
} from "../src/knowledge/reading/revision-changes.js";
import { readTimeline, timelines } from "../src/knowledge/reading/timeline.js";
import { answerIf, defineGraphSkill, type GraphSkillDeps, metaOf } from "./graph-skill.js";

type Change = z.infer<typeof changesOutput>["data"]["items"][number];

/**
 * Where somebody stands in the feed: the revision they know and the day they learnt it, the one they are being brought to,
 * and the node they have got to. The day alone where they asked by day.
 */
interface Position {
	readonly known: string;
	readonly day: string;
	readonly target: string;
	readonly after: string;
}

/** What changed in a graph since a caller last looked. */
export const createGraphChanges = (
	deps: GraphSkillDeps & { readonly clock: Clock },
): Skill<"graphs.changes"> => {
	const revisions = createRevisionMemory();
	return defineGraphSkill(deps, {
		operationId: "graphs.changes",
		title: "Changes of a graph",
		description:
			"Nodes added, changed and removed since a cursor. The first call gives a cursor and costs nothing, nor does any call without changes. Revisions are remembered while the service runs; beyond that the nodes' own dates are all there is, and the answer says so.",
		tags: ["graph", "changes"],
		examples: ["What is new in this graph since yesterday?"],
		input: changesInput,
		output: changesOutput,
		index: timelines,
		example: () => ({ since: "2020-01-01", limit: 5 }),
		check: (_, input) => void positionOf(input),
		read: (graph, input) => {
			const now = revisions.remember(graph);
			const today = toIsoDay(deps.clock.now());
			const position = positionOf(input) ?? { known: now, day: today, target: "", after: "" };
			const target = position.target === "" ? now : position.target;
			const found = compare(graph, revisions, { ...position, target });
			const rest = found.items.filter(({ node_id }) => node_id > position.after);
			const items = rest.slice(0, input.limit);
			const hasMore = rest.length > items.length;
			const next: Position = hasMore
				? { ...position, target, after: items.at(-1)?.node_id ?? "" }
				: { known: found.basis === "files" ? target : now, day: today, target: "", after: "" };
			return answerIf(items.length > 0, {
				ok: true,
				data: { ...found, items },
				meta: {
					...metaOf(graph),
					revision: now,
					has_more: hasMore,
					next_cursor: toPositionCursor(graph.record.id, next),
				},
			});
		},
	});
};

function compare(
	graph: Graph,
	revisions: RevisionMemory,
	{ known, day, target }: Position,
): { items: Change[]; basis: "files" | "dates"; is_complete: boolean } {
	if (known === target) return { items: [], basis: "files", is_complete: true };
	const changes = revisions.changesBetween(graph.record.id, known, target);
	if (!changes) return { items: datedSince(graph, day), basis: "dates", is_complete: false };
	const items = changes.flatMap(({ conceptId, change }) => toChange(graph, conceptId, change));
	return { items, basis: "files", is_complete: true };
}

/** A file that could not be read as a node is none, and one that is gone since was. */
function toChange(graph: Graph, id: string, change: Change["change"]): Change[] {
	const { places, concepts } = mapOf(graph);
	const { title = null, type = null } = concepts[places.get(id) ?? -1] ?? {};
	if (change !== "removed" && title === null) return [];
	return [{ node_id: id, change, title, type }];
}

function datedSince(graph: Graph, day: string): Change[] {
	const { items } = readTimeline(graph, {
		from: day,
		kinds: ["node-written", "node-verified"],
		order: "oldest",
		limit: Number.POSITIVE_INFINITY,
	});
	const ids = [...new Set(items.map(({ concept }) => concept.id))].sort();
	return ids.flatMap((id) => toChange(graph, id, "dated"));
}

const KEY_PARTS = 4;

/** Undefined for somebody who comes for the first time. Throws INVALID_ARGUMENT. */
function positionOf({
	graph_id,
	cursor,
	since,
}: z.infer<typeof changesInput>): Position | undefined {
	if (cursor !== undefined && since !== undefined) {
		throw new ServiceError(
			"INVALID_ARGUMENT",
			'Send "cursor" or "since", not both: a cursor knows where it goes on.',
		);
	}
	if (since !== undefined) return { known: "", day: since, target: "", after: "" };
	if (cursor === undefined) return undefined;
	const key = readCursor(cursor, { list: "changes", asked: { graph_id } }, KEY_PARTS);
	const [known = "", day = "", target = "", after = ""] = key;
	return { known, day, target, after };
}

function toPositionCursor(graphId: string, { known, day, target, after }: Position): string {
	const identity = { list: "changes", asked: { graph_id: graphId } };
	return toCursor(identity, [known, day, target, after]);
}
