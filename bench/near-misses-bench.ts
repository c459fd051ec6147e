/** Who pays for an answer to another question: near misses over the sample catalog and questions on other subjects, asked of every product. */

import { round } from "./figures.js";
import { isHeldByText, loadNearMisses } from "./labelled/catalog-sets.js";
import { loadOffTopicQuestions } from "./labelled/off-topic-questions.js";
import { askProducts, type ProductReply } from "./products/product-replies.js";
import { openProductServer } from "./products/product-server.js";
import { type AskedQuestion, type ProductName, parseProducts } from "./products/products.js";
import { atMost, type Bar } from "./search/bars.js";

/** So many off-topic questions to one near miss. */
const OFF_TOPIC_SHARE = 0.5;
const CHARGED_MOST = 1 / 150;

interface Counted {
	readonly asked: number;
	readonly charged: number;
}

interface NearMissFigures extends Counted {
	readonly failed: number;
	/** Of the near misses; of those that are held out totals alone are looked at. */
	readonly open: Counted;
	readonly held: Counted;
	readonly off_topic: Counted;
}

export interface NearMissesReport {
	readonly products: Readonly<Partial<Record<ProductName, NearMissFigures>>>;
	readonly bars: readonly Bar[];
}

interface Unanswerable extends AskedQuestion {
	readonly part: "open" | "held" | "off_topic";
}

/** Asks every `every`-th question; which of them are charged is not reported, because nothing may be tuned by them. */
export async function benchNearMisses(
	folder: string,
	options: { readonly products?: string | undefined; readonly every?: string | undefined },
): Promise<NearMissesReport> {
	const names = parseProducts(options.products ?? "all");
	const every = Math.max(1, Number(options.every) || 1);
	const server = await openProductServer(folder);
	try {
		const questions = loadQuestions(every);
		const { replies, failed } = await askProducts(server, questions, names);
		const products = Object.fromEntries(
			names.map((name) => {
				const own = replies.filter(({ product }) => product === name);
				const broken = failed.filter(({ product }) => product === name);
				return [name, { ...toFigures(own), failed: broken.length }];
			}),
		);
		return { products, bars: names.flatMap((name) => toBars(name, products[name])) };
	} finally {
		await server.close();
	}
}

/** Two thirds near misses, one third off-topic; of both so many. */
function loadQuestions(every: number): readonly Unanswerable[] {
	const near = loadNearMisses().map(({ id, question, nearest }) => ({
		id,
		question,
		graphs: [nearest.slice(0, nearest.indexOf("/"))],
		part: isHeldByText(question) ? ("held" as const) : ("open" as const),
	}));
	const all = loadOffTopicQuestions();
	const count = Math.round(near.length * OFF_TOPIC_SHARE);
	const offTopic = all
		.filter(
			(_, at) =>
				Math.floor((at * count) / all.length) !== Math.floor(((at - 1) * count) / all.length),
		)
		.map(({ id, question }) => ({ id, question, part: "off_topic" as const }));
	const isDrawn = (_: unknown, at: number) => at % every === 0;
	return [...near.filter(isDrawn), ...offTopic.filter(isDrawn)];
}

function toFigures(replies: readonly ProductReply<Unanswerable>[]) {
	const countOf = (part: readonly ProductReply<Unanswerable>[]): Counted => ({
		asked: part.length,
		charged: part.filter(({ isCharged }) => isCharged).length,
	});
	const partOf = (name: Unanswerable["part"]) =>
		countOf(replies.filter(({ asked }) => asked.part === name));
	return {
		...countOf(replies),
		open: partOf("open"),
		held: partOf("held"),
		off_topic: partOf("off_topic"),
	};
}

function toBars(name: ProductName, figures: NearMissFigures | undefined): readonly Bar[] {
	if (!figures || figures.asked === 0) return [];
	const { charged, asked } = figures;
	return [
		atMost(`${name}, charged without an answer`, round(charged / asked), round(CHARGED_MOST)),
	];
}
