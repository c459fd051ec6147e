import type { z } from "zod";
import { type DatePrecision, toKeyPart } from "../../../src/contract/contract.js";
import {
	type Concept,
	compareText,
	firstWhere,
	type Graph,
	type Steps,
} from "../../../src/knowledge/knowledge.js";
import type { EVENT_KINDS, timelineInput } from "../graph-feed-wire.js";
import type { Page } from "./graph-lists.js";
import { conceptAt, createGraphIndex, edgesOutOf, type GraphMap, mapOf } from "./graph-map.js";

export type EventKind = (typeof EVENT_KINDS)[number];

export interface TimelineEvent {
	/** `YYYY-MM-DD`; the first day of what is known by month or year only. */
	readonly day: string;
	readonly precision: DatePrecision;
	readonly kind: EventKind;
	readonly concept: Concept;
	/** What sets it apart from others of its kind, day and concept: a source's id, an edge's type and target, who verified. */
	readonly ref: string;
}

interface TimelineQuery extends Omit<z.infer<typeof timelineInput>, "graph_id" | "cursor"> {
	/** Key of the event the page goes on behind; it need not exist any more. */
	readonly after?: readonly string[] | undefined;
}

export function readTimeline(graph: Graph, query: TimelineQuery): Page<TimelineEvent> {
	const { kinds, node_id: conceptId, as_of: asOf } = query;
	const events = conceptId === undefined ? timelines.of(graph) : eventsOfNode(graph, conceptId);
	const isWanted = (event: TimelineEvent) =>
		(!kinds || kinds.includes(event.kind)) && (asOf === undefined || lastDayOf(event) <= asOf);
	const items: TimelineEvent[] = [];
	const step = query.order === "oldest" ? 1 : -1;
	const { low, high } = rangeOf(events, query);
	for (let at = step > 0 ? low : high - 1; at >= low && at < high; at += step) {
		const event = events[at];
		if (!event || !isWanted(event)) continue;
		if (items.length === query.limit) return { items, hasMore: true };
		items.push(event);
	}
	return { items, hasMore: false };
}

/** Events in the days asked for that the pages before have not shown: from `low` up to `high`. */
function rangeOf(
	events: readonly TimelineEvent[],
	{ from, to, after, order }: TimelineQuery,
): { readonly low: number; readonly high: number } {
	const firstOf = (isReached: (event: TimelineEvent) => boolean) =>
		firstWhere(events.length, (at) => {
			const event = events[at];
			return event === undefined || isReached(event);
		});
	const low = from === undefined ? 0 : firstOf(({ day }) => day >= from);
	const high = to === undefined ? events.length : firstOf(({ day }) => day > to);
	if (!after) return { low, high };
	const isOldestFirst = order === "oldest";
	const next = firstOf((event) => compareToKey(event, after) >= (isOldestFirst ? 1 : 0));
	return isOldestFirst ? { low: Math.max(low, next), high } : { low, high: Math.min(high, next) };
}

export function keyOfEvent({ day, concept, kind, ref }: TimelineEvent): readonly string[] {
	return [day, concept.id, kind, toKeyPart(ref)];
}

/** The last day of the month or year an event lies in; compared as text, so that day 31 of a short month does no harm. */
function lastDayOf({ day, precision }: TimelineEvent): string {
	if (precision === "year") return `${day.slice(0, 4)}-12-31`;
	return precision === "month" ? `${day.slice(0, 7)}-31` : day;
}

/** Every event of each graph, by day, concept, kind and ref. */
export const timelines = createGraphIndex(toEvents);

function* toEvents(graph: Graph): Steps<readonly TimelineEvent[]> {
	const map = mapOf(graph);
	const byDay = new Map<string, TimelineEvent[]>();
	for (const place of map.concepts.keys()) {
		for (const event of eventsOfConcept(map, place)) {
			const sameDay = byDay.get(event.day);
			if (sameDay) sameDay.push(event);
			else byDay.set(event.day, [event]);
		}
		yield;
	}
	const days = [...byDay.keys()].sort();
	return days.flatMap((day) => byDay.get(day) ?? []);
}

/** The same events of one concept, by day; of an unknown one none. */
function eventsOfNode(graph: Graph, conceptId: string): readonly TimelineEvent[] {
	const map = mapOf(graph);
	const place = map.places.get(conceptId);
	if (place === undefined) return [];
	return [...eventsOfConcept(map, place)].sort((a, b) => compareToKey(a, keyOfEvent(b)));
}

/** By kind and ref: concepts come in the order of their ids, so that each day's events are in the order of their keys. */
function eventsOfConcept(map: GraphMap, place: number): readonly TimelineEvent[] {
	const concept = conceptAt(map, place);
	const events: TimelineEvent[] = [];
	const add = (
		kind: EventKind,
		day: string | undefined,
		ref: string,
		precision: TimelineEvent["precision"] = "day",
	) => {
		if (day !== undefined) events.push({ day, precision, kind, concept, ref });
	};
	for (const { articleId, publishedAt, datePrecision } of concept.evidence) {
		add("source-published", publishedAt, articleId, datePrecision);
	}
	for (const { type, target, validFrom, validTo } of edgesOutOf(map, place)) {
		add("edge-began", validFrom, `${type} ${target}`);
		add("edge-ended", validTo, `${type} ${target}`);
	}
	add("node-written", concept.generatedAt, concept.generatedBy ?? "");
	add("node-stale", concept.staleAfter, "");
	for (const { by, at } of concept.verified ?? []) add("node-verified", at, by);
	if (events.length < 2) return events;
	return withoutTwins(
		events.sort(
			(a, b) => compareText(a.kind, b.kind) || compareText(toKeyPart(a.ref), toKeyPart(b.ref)),
		),
	);
}

/** One event where a concept was verified twice on one day. */
function withoutTwins(events: readonly TimelineEvent[]): readonly TimelineEvent[] {
	const seen = new Set<string>();
	return events.filter(({ day, kind, ref }) => {
		const name = `${day} ${kind} ${ref}`;
		return !seen.has(name) && seen.add(name);
	});
}

function compareToKey(event: TimelineEvent, key: readonly string[]): number {
	const [day = "", id = "", kind = "", ref = ""] = key;
	return (
		compareText(event.day, day) ||
		compareText(event.concept.id, id) ||
		compareText(event.kind, kind) ||
		compareText(toKeyPart(event.ref), ref)
	);
}
