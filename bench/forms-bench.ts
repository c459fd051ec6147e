/** Whether answers take the form of their question: tables of comparisons against the cells that the graphs can fill, events against the dates that texts tell. */
import { round } from "./figures.js";
import {
	type Comparison,
	type DatedEvent,
	loadComparisons,
	loadEvents,
} from "./labelled/catalog-sets.js";
import { holdsPlace, wordsOf } from "./products/held-facts.js";
import { askProducts, type ProductReply } from "./products/product-replies.js";
import { openProductServer } from "./products/product-server.js";
import { type AskedQuestion, type ProductName, parseProducts } from "./products/products.js";
import type { PrintedEvent, PrintedTable } from "./products/reply-evidence.js";
import { atLeast, atMost, type Bar } from "./search/bars.js";

const CELLS_LEAST = 0.7;

interface TableFigures {
	readonly comparisons: number;
	readonly charged: number;
	readonly with_table: number;
	/** Mean share of the cells that the graphs can fill, and how many comparisons get most of them. */
	readonly cells_filled: number;
	readonly well_filled: number;
}

interface EventFigures {
	readonly questions: number;
	readonly charged: number;
	/** Replies that date the event that was asked for as its text does. */
	readonly answered: number;
	readonly shown: number;
	/** Of those shown: known to the set, and of these dated otherwise than by their text. */
	readonly known: number;
	readonly wrong: number;
	/** Of those shown: whose year does not stand in what they quote. */
	readonly year_not_quoted: number;
}

export interface FormsReport {
	readonly products: Readonly<
		Partial<Record<ProductName, { readonly tables: TableFigures; readonly events: EventFigures }>>
	>;
	readonly bars: readonly Bar[];
}

interface AskedComparison extends AskedQuestion {
	readonly labels: Comparison;
}
interface AskedEvent extends AskedQuestion {
	readonly labels: DatedEvent;
}

export async function benchForms(
	folder: string,
	options: { readonly products?: string | undefined; readonly every?: string | undefined },
): Promise<FormsReport> {
	const names = parseProducts(options.products ?? "answer,dossier");
	const every = Math.max(1, Number(options.every) || 1);
	const events = loadEvents();
	const comparisons = loadComparisons().map((labels) =>
		toAsked(labels, labels.cells[0]?.evidence[0]?.file ?? ""),
	);
	const questions = events.map((labels) => toAsked(labels, labels.file));
	const server = await openProductServer(folder);
	try {
		const isDrawn = (_: unknown, at: number) => at % every === 0;
		const tables = await askProducts(server, comparisons.filter(isDrawn), names);
		const dated = await askProducts(server, questions.filter(isDrawn), names);
		const products = Object.fromEntries(
			names.map((name) => [
				name,
				{
					tables: toTableFigures(tables.replies.filter(({ product }) => product === name)),
					events: toEventFigures(
						dated.replies.filter(({ product }) => product === name),
						events,
					),
				},
			]),
		);
		return { products, bars: names.flatMap((name) => toBars(name, products[name])) };
	} finally {
		await server.close();
	}
}

function toAsked<Labels extends Comparison | DatedEvent>(labels: Labels, file: string) {
	const { id, question } = labels;
	return { id, question, graphs: [file.slice(0, file.indexOf("/"))], labels };
}

function toTableFigures(replies: readonly ProductReply<AskedComparison>[]): TableFigures {
	const charged = replies.filter(({ isCharged }) => isCharged);
	const filled = replies.map((reply) =>
		reply.isCharged ? filledOf(reply.asked.labels, reply.evidence.tables) : 0,
	);
	return {
		comparisons: replies.length,
		charged: charged.length,
		with_table: charged.filter(({ evidence }) => evidence.tables.length > 0).length,
		cells_filled: round(filled.reduce((sum, one) => sum + one, 0) / Math.max(1, filled.length)),
		well_filled: filled.filter((one) => one >= CELLS_LEAST).length,
	};
}

/** Share of the cells that some table has in a column of their subject. */
function filledOf({ cells }: Comparison, tables: readonly PrintedTable[]): number {
	const filled = cells.filter(({ subject, evidence }) =>
		tables.some(({ columns, cells: printed }) =>
			columns.some(
				(column, at) =>
					wordsOf(column).includes(wordsOf(subject)) &&
					printed.some((row) => {
						const cell = row[at];
						return cell !== undefined && holdsPlace(cell, evidence);
					}),
			),
		),
	);
	return filled.length / cells.length;
}

function toEventFigures(
	replies: readonly ProductReply<AskedEvent>[],
	labelled: readonly DatedEvent[],
): EventFigures {
	const charged = replies.filter(({ isCharged }) => isCharged);
	const shown = charged.flatMap(({ evidence }) => evidence.events);
	const known = shown.filter((event) => labelled.some((one) => holdsPlace(event, [one])));
	return {
		questions: replies.length,
		charged: charged.length,
		answered: charged.filter(({ asked, evidence }) =>
			evidence.events.some((event) => isRight(event, [asked.labels])),
		).length,
		shown: shown.length,
		known: known.length,
		wrong: known.filter((event) => !isRight(event, labelled)).length,
		year_not_quoted: shown.filter(({ date, text }) => !text.includes(date.slice(0, 4))).length,
	};
}

/** As one of the labelled events that its text tells, and no more precise than the text. */
function isRight(event: PrintedEvent, labelled: readonly DatedEvent[]): boolean {
	return labelled.some((one) => holdsPlace(event, [one]) && one.date.startsWith(event.date));
}

function toBars(
	name: ProductName,
	figures: { readonly tables: TableFigures; readonly events: EventFigures } | undefined,
): readonly Bar[] {
	if (!figures) return [];
	const { comparisons, well_filled: wellFilled } = figures.tables;
	const { known, wrong } = figures.events;
	const tables = round(wellFilled / Math.max(1, comparisons));
	return [
		atLeast(`${name}, comparisons with most cells that can be filled`, tables, 0.9),
		atMost(`${name}, wrong dates of known events`, round(wrong / Math.max(1, known)), 0.02),
	];
}
