/** What every product answers to the questions of bench/labelled/answers, asked over REST as callers do: facts within its tokens, repetition, charges, time. */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadImports } from "./answers-bench.js";
import { median, round } from "./figures.js";
import { toSheetReplies, writeSheet } from "./grading-sheet.js";
import {
	ANSWER_AUTHORS,
	type AnswerQuestion,
	loadAnswerQuestions,
} from "./labelled/answer-questions.js";
import {
	countPrintings,
	countRepeated,
	holdsPlace,
	isFromPlaces,
	type LabelledPlace,
} from "./products/held-facts.js";
import { askProducts, type FailedCall, type ProductReply } from "./products/product-replies.js";
import { openProductServer } from "./products/product-server.js";
import {
	type AskedQuestion,
	PRODUCTS,
	type Product,
	type ProductName,
	parseProducts,
} from "./products/products.js";
import type { PrintedPassage } from "./products/reply-evidence.js";
import { atLeast, atMost, type Bar } from "./search/bars.js";

export interface ProductOptions {
	readonly products?: string | undefined;
	readonly every?: string | undefined;
	readonly author?: readonly string[] | undefined;
	readonly imports?: string | undefined;
	readonly sheet?: string | undefined;
	readonly with?: string | undefined;
	readonly version?: string | undefined;
}

export interface ProductFigures {
	/** Whose facts its call can reach; those whose facts lie in other graphs alone; those without an answer anywhere. */
	readonly answerable: number;
	readonly outside: number;
	readonly unanswerable: number;
	readonly failed: number;
	/** Shares of each. */
	readonly charged_of_answerable: number;
	readonly charged_of_outside: number;
	readonly charged_of_unanswerable: number;
	/** Tokens within which facts are looked for, and the mean share of a question's vital facts; refused ones count none. */
	readonly tokens_allowed: number;
	readonly recall: number;
	/** In the whole reply. */
	readonly recall_unlimited: number;
	/** Of the passages of answerable questions: that hold a fact; that do, or are from a file that has one; like one before. */
	readonly holding: number;
	readonly relevant: number;
	readonly repeated: number;
	/** How often a sentence stands in the text fields of one reply, on average and at most. */
	readonly printings: number;
	readonly printings_most: number;
	readonly tokens_per_fact: number;
	/** Of one call. */
	readonly ms_median: number;
	readonly ms_most: number;
}

type Split = Readonly<Record<string, ProductFigures>>;

export interface ProductsReport {
	readonly questions: number;
	/** By product, then by corpus. */
	readonly open: Readonly<Partial<Record<ProductName, Split>>>;
	/** Totals only: no one looks at single answers. */
	readonly held: Readonly<Partial<Record<ProductName, Split>>>;
	readonly bars: readonly Bar[];
}

/** A question as callers of products ask it, with the facts that its answer needs. */
interface NuggetQuestion extends AskedQuestion {
	readonly graphs: readonly string[];
	readonly labels: AnswerQuestion;
	readonly isHeld: boolean;
}

type Reply = ProductReply<NuggetQuestion>;
type Failed = FailedCall<NuggetQuestion>;

export async function benchProducts(
	folder: string,
	options: ProductOptions,
): Promise<ProductsReport> {
	const products = parseProducts(options.products ?? "all");
	const every = Math.max(1, Number(options.every) || 1);
	const questions = loadQuestions(options.author?.map(Number)).filter((_, at) => at % every === 0);
	const replies: Reply[] = [];
	const failed: Failed[] = [];
	const ask = async (corpus: string, server: Awaited<ReturnType<typeof openProductServer>>) => {
		const fitting = questions.filter(({ labels }) => labels.corpus === corpus);
		const sold = products.filter((name) => corpus === "catalog" || isSoldOver(PRODUCTS[name]));
		try {
			const asked = await askProducts(server, fitting, sold);
			replies.push(...asked.replies);
			failed.push(...asked.failed);
		} finally {
			await server.close();
		}
	};
	await ask("catalog", await openProductServer(folder));
	for (const graph of await loadImports(options.imports)) {
		const corpus = graph.record.id;
		const kept = join(tmpdir(), "tollgraph-bench-products", corpus);
		await ask(corpus, await openProductServer(kept, [graph]));
	}
	const { sheet, with: others } = options;
	if (sheet !== undefined) writeSheet(toSheetReplies(replies, options), { sheet, others });
	return toReport(replies, products, failed);
}

function isSoldOver(product: Product): boolean {
	return product.isCatalogOnly !== true;
}

function loadQuestions(authors: readonly number[] | undefined): readonly NuggetQuestion[] {
	const held: readonly number[] = ANSWER_AUTHORS.held;
	return (authors ?? [...ANSWER_AUTHORS.open, ...held]).flatMap((author) =>
		loadAnswerQuestions(author).map((labels) => ({
			id: labels.id,
			question: labels.question,
			graphs: graphsOf(labels),
			labels,
			isHeld: held.includes(author),
		})),
	);
}

/** Those that have most of its vital facts first; of a question without an answer that of the nearest file. */
function graphsOf({ corpus, nuggets, nearest }: AnswerQuestion): readonly string[] {
	if (corpus !== "catalog") return [corpus];
	const counts = new Map<string, number>();
	for (const { evidence } of vitalOf(nuggets)) {
		for (const graph of new Set(evidence.map(({ file }) => graphOf(file)))) {
			counts.set(graph, (counts.get(graph) ?? 0) + 1);
		}
	}
	if (counts.size === 0) return nearest ? [graphOf(nearest)] : [];
	return [...counts].sort(([, one], [, other]) => other - one).map(([graph]) => graph);
}

function graphOf(file: string): string {
	return file.slice(0, file.indexOf("/"));
}

type Nugget = AnswerQuestion["nuggets"][number];

function vitalOf(nuggets: readonly Nugget[]): readonly Nugget[] {
	const vital = nuggets.filter((nugget) => nugget.vital);
	return vital.length > 0 ? vital : nuggets;
}

/** Vital facts in the graphs that the call can read. */
function factsFor({ asked, product }: Pick<Reply, "asked" | "product">): readonly Nugget[] {
	const { reach }: Product = PRODUCTS[product];
	const vital = vitalOf(asked.labels.nuggets);
	if (!reach || asked.labels.corpus !== "catalog") return vital;
	const graphs = reach(asked);
	return vital.filter(({ evidence }) =>
		evidence.some(({ file }) => graphs.includes(graphOf(file))),
	);
}

function toReport(
	replies: readonly Reply[],
	products: readonly ProductName[],
	failed: readonly Failed[],
): ProductsReport {
	const figuresOf = (name: ProductName, isCounted: (one: Failed) => boolean) => {
		const isOwn = (one: Failed) => one.product === name && isCounted(one);
		return toFigures(name, replies.filter(isOwn), failed.filter(isOwn).length);
	};
	const isCatalog = ({ asked }: Failed) => asked.labels.corpus === "catalog";
	const splitOf = (isHeld: boolean) => {
		const isIts = (one: Failed) => one.asked.isHeld === isHeld;
		const parts = {
			all: isIts,
			catalog: (one: Failed) => isIts(one) && isCatalog(one),
			imports: (one: Failed) => isIts(one) && !isCatalog(one),
		};
		return Object.fromEntries(
			products.map((name) => [
				name,
				Object.fromEntries(
					Object.entries(parts).map(([part, isCounted]) => [part, figuresOf(name, isCounted)]),
				),
			]),
		);
	};
	return {
		questions: new Set(replies.map(({ asked }) => asked.id)).size,
		open: splitOf(false),
		held: splitOf(true),
		bars: products.flatMap((name) =>
			toBars(
				name,
				figuresOf(name, () => true),
			),
		),
	};
}

function toFigures(name: ProductName, replies: readonly Reply[], failed: number): ProductFigures {
	const { tokens } = PRODUCTS[name];
	const unanswerable = replies.filter(({ asked }) => !asked.labels.answerable);
	const known = replies.filter(({ asked }) => asked.labels.answerable);
	const answerable = known.filter((reply) => factsFor(reply).length > 0);
	const outside = known.filter((reply) => factsFor(reply).length === 0);
	const paid = answerable.filter(({ isCharged }) => isCharged);
	const printed = paid.flatMap(({ asked, evidence }) =>
		evidence.passages.map((passage) => ({ asked, passage })),
	);
	const printings = paid.flatMap(({ evidence }) =>
		countPrintings(
			evidence.passages.map(({ text }) => text),
			evidence.texts,
		),
	);
	const facts = sumOf(paid, (reply) => heldIn(reply, reply.evidence.passages));
	return {
		answerable: answerable.length,
		outside: outside.length,
		unanswerable: unanswerable.length,
		failed,
		charged_of_answerable: share(paid.length, answerable.length),
		charged_of_outside: shareOf(outside, ({ isCharged }) => isCharged),
		charged_of_unanswerable: shareOf(unanswerable, ({ isCharged }) => isCharged),
		tokens_allowed: tokens,
		recall: meanRecall(answerable, tokens),
		recall_unlimited: meanRecall(answerable, Number.POSITIVE_INFINITY),
		holding: shareOf(printed, ({ asked: { labels }, passage }) =>
			holdsPlace(passage, placesOf(labels), labels),
		),
		relevant: shareOf(printed, ({ asked: { labels }, passage }) =>
			isFromPlaces(passage, placesOf(labels), labels.corpus),
		),
		repeated: share(
			sumOf(paid, ({ evidence }) => countRepeated(evidence.passages.map(({ text }) => text))),
			printed.length,
		),
		printings: share(
			sumOf(printings, (count) => count),
			printings.length,
		),
		printings_most: Math.max(0, ...printings),
		tokens_per_fact: Math.round(
			sumOf(printed, ({ passage }) => passage.tokens) / Math.max(1, facts),
		),
		ms_median: Math.round(median(replies.map(({ ms }) => ms)) || 0),
		ms_most: Math.round(Math.max(0, ...replies.map(({ ms }) => ms))),
	};
}

/** Of what is answered, all counts: what was not charged is no answer. */
function meanRecall(answerable: readonly Reply[], tokens: number): number {
	const shares = answerable.map((reply) => {
		const { isCharged, evidence } = reply;
		const printed = isCharged ? withinTokens(evidence.passages, tokens) : [];
		return heldIn(reply, printed) / factsFor(reply).length;
	});
	return share(
		sumOf(shares, (one) => one),
		shares.length,
	);
}

/** The first ones that take no more tokens together. */
function withinTokens(
	passages: readonly PrintedPassage[],
	tokens: number,
): readonly PrintedPassage[] {
	let left = tokens;
	const over = passages.findIndex((passage) => {
		left -= passage.tokens;
		return left < 0;
	});
	return over === -1 ? passages : passages.slice(0, over);
}

function heldIn(reply: Reply, printed: readonly PrintedPassage[]): number {
	const { labels } = reply.asked;
	return factsFor(reply).filter(({ evidence }) =>
		printed.some((passage) => holdsPlace(passage, evidence, labels)),
	).length;
}

function placesOf({ nuggets }: AnswerQuestion): readonly LabelledPlace[] {
	return nuggets.flatMap(({ evidence }) => evidence);
}

function sumOf<Item>(items: readonly Item[], toNumber: (item: Item) => number): number {
	return items.reduce((sum, item) => sum + toNumber(item), 0);
}

function shareOf<Item>(items: readonly Item[], isCounted: (item: Item) => boolean): number {
	return share(items.filter(isCounted).length, items.length);
}

function share(part: number, whole: number): number {
	return whole === 0 ? 0 : round(part / whole);
}

/** For people: a line for each product and part of the questions. */
export function toProductLines({ open, held }: ProductsReport): readonly string[] {
	return Object.entries({ open, held }).flatMap(([authors, products]) =>
		Object.entries(products).flatMap(([name, split]) =>
			Object.entries(split)
				.filter(
					([, { answerable, outside, unanswerable }]) => answerable + outside + unanswerable > 0,
				)
				.map(([part, figures]) => `${authors}, ${name}, ${part}: ${toLine(figures)}`),
		),
	);
}

function toLine(figures: ProductFigures): string {
	return [
		`${figures.answerable} + ${figures.outside} outside + ${figures.unanswerable} unanswerable`,
		`charged ${figures.charged_of_answerable} / ${figures.charged_of_outside} / ${figures.charged_of_unanswerable}`,
		`facts ${figures.recall} within ${figures.tokens_allowed} tokens, ${figures.recall_unlimited} in all`,
		`relevant ${figures.relevant}, with a fact ${figures.holding}`,
		`repeated ${figures.repeated}, printed ${figures.printings} times`,
		`${figures.tokens_per_fact} tokens a fact`,
		`${figures.ms_median} ms`,
	].join("; ");
}

/** What the largest products hold within their tokens, and what smaller ones do. */
const RECALL_BARS: Partial<Record<ProductName, number>> = {
	ask: 0.75,
	consult: 0.75,
	dossier: 0.85,
	"dive-comprehensive": 0.9,
};

function toBars(name: ProductName, figures: ProductFigures): readonly Bar[] {
	const least = RECALL_BARS[name];
	const { tokens_allowed: tokens, recall } = figures;
	return [
		...(least === undefined
			? []
			: [atLeast(`${name}, vital facts within ${tokens} tokens`, recall, least)]),
		atLeast(`${name}, passages that bear on the question`, figures.relevant, 0.92),
		atMost(`${name}, passages like another of the reply`, figures.repeated, 0),
		atMost(`${name}, charged of unanswerable`, figures.charged_of_unanswerable, 0.007),
	];
}
