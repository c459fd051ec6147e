/** What a reply prints of its graphs, found by what passages have in common, so that a reply may change its shape. */
import { tokensOf } from "../../skills/answers/engine/passage-selection.js";
import { type Graph, toTrendId } from "../../src/knowledge/model/graph.js";

export interface PrintedPassage {
	readonly text: string;
	/** Files that it is cited from, below the folder of graphs. */
	readonly files: readonly string[];
	readonly tokens: number;
}

export interface PrintedTable {
	readonly columns: readonly string[];
	/** By column; undefined where a cell is empty. */
	readonly cells: readonly (PrintedPassage | undefined)[][];
}

export interface PrintedEvent extends PrintedPassage {
	readonly date: string;
}

export interface ReplyEvidence {
	/** In the order of printing; what is printed twice is there twice. */
	readonly passages: readonly PrintedPassage[];
	readonly tables: readonly PrintedTable[];
	readonly events: readonly PrintedEvent[];
	/** Every text field. */
	readonly texts: readonly string[];
}

interface Place {
	readonly file: string;
	readonly title: string;
}

type Fields = Readonly<Record<string, unknown>>;

export type ReadEvidence = ReturnType<typeof createEvidenceReader>;

export function createEvidenceReader(graphs: readonly Graph[]) {
	const places = new Map<string, Place>(
		graphs.flatMap(({ record, concepts }) =>
			concepts.map(
				({ id, path, title }) =>
					[toTrendId(record.id, id), { file: `${record.id}/${path}`, title }] as const,
			),
		),
	);
	return (data: unknown): ReplyEvidence => {
		const objects = [...objectsIn(data)];
		const cited = citationsIn(objects);
		const toPassage = (fields: Fields): PrintedPassage | undefined => {
			const text = textOf(fields);
			const trendIds = trendIdsOf(fields, cited);
			if (text === undefined || trendIds === undefined) return undefined;
			const found = trendIds.flatMap((id) => places.get(id) ?? []);
			const concept = { title: found[0]?.title ?? "" };
			const files = [...new Set(found.map(({ file }) => file))];
			return { text, files, tokens: tokensOf({ passage: { text, concept } }) };
		};
		return {
			passages: objects.flatMap((fields) => toPassage(fields) ?? []),
			tables: objects.flatMap((fields) => toTable(fields, toPassage) ?? []),
			events: objects.flatMap((fields) => eventsOf(fields, toPassage)),
			texts: [...textsIn(data)],
		};
	};
}

function* objectsIn(value: unknown): Generator<Fields> {
	if (typeof value !== "object" || value === null) return;
	if (!Array.isArray(value)) yield value as Fields;
	for (const inner of Object.values(value)) yield* objectsIn(inner);
}

function* textsIn(value: unknown): Generator<string> {
	if (typeof value === "string") yield value;
	if (typeof value !== "object" || value === null) return;
	for (const inner of Object.values(value)) yield* textsIn(inner);
}

/** The concept of each numbered citation. */
function citationsIn(objects: readonly Fields[]): ReadonlyMap<number, string> {
	return new Map(
		objects.flatMap(({ n, trend_id: trendId, evidence_id: evidenceId }) => {
			if (typeof n !== "number") return [];
			if (typeof trendId === "string") return [[n, trendId] as const];
			return typeof evidenceId === "string" ? [[n, conceptOf(evidenceId)] as const] : [];
		}),
	);
}

/** An id of evidence names the concept, then the sentence. */
function conceptOf(evidenceId: string): string {
	return evidenceId.replace(/~[^~]*$/, "");
}

function textOf({ text, statement }: Fields): string | undefined {
	const printed = typeof text === "string" ? text : statement;
	return typeof printed === "string" && printed.trim() !== "" ? printed : undefined;
}

/** Concepts that a passage is cited from; undefined for what cites nothing. */
function trendIdsOf(
	{ citation_ids: numbers, evidence_ids: evidenceIds }: Fields,
	cited: ReadonlyMap<number, string>,
): readonly string[] | undefined {
	if (isFilled(evidenceIds)) return evidenceIds.map((id) => conceptOf(String(id)));
	if (isFilled(numbers)) return numbers.flatMap((n) => cited.get(Number(n)) ?? []);
	return undefined;
}

function isFilled(value: unknown): value is readonly unknown[] {
	return Array.isArray(value) && value.length > 0;
}

type ToPassage = (fields: Fields) => PrintedPassage | undefined;

function toTable({ columns, rows }: Fields, toPassage: ToPassage): PrintedTable | undefined {
	if (!isFilled(columns) || !isFilled(rows)) return undefined;
	const cells = rows.map((row) => {
		const { cells: printed } = (row ?? {}) as { readonly cells?: readonly unknown[] };
		return (Array.isArray(printed) ? printed : []).map((cell: unknown) =>
			typeof cell === "object" && cell !== null ? toPassage(cell as Fields) : undefined,
		);
	});
	return { columns: columns.map(String), cells };
}

function eventsOf({ events, timeline }: Fields, toPassage: ToPassage): readonly PrintedEvent[] {
	return [events, timeline].flatMap((list) =>
		(Array.isArray(list) ? (list as readonly Fields[]) : []).flatMap((fields) => {
			const passage = toPassage(fields);
			const { date } = fields;
			return passage && typeof date === "string" ? [{ ...passage, date }] : [];
		}),
	);
}
