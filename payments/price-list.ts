import { createHmac, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import {
	type GraphTermsSource,
	KIND_ROWS,
	OPERATION_ROWS,
	type Price,
	type PriceBook,
	type PricedGraph,
	type PricedOperationId,
	type PriceList,
	type PriceSubject,
} from "../src/contract/contract.js";
import { keysFor, type Micros, type Pepper, parseUsd } from "../src/kernel/kernel.js";

/** Decision D7: what a deployment charges unless its operator says otherwise. */
export const DEFAULT_PRICE_BOOK = Object.fromEntries(
	[
		...OPERATION_ROWS.map(([id, , , , usd, type]) => [id, usd, type] as const),
		...KIND_ROWS,
	].flatMap(([id, usd, billingType]) =>
		usd === undefined ? [] : [[id, { amountMicros: parseUsd(usd), billingType }]],
	),
) as PriceBook;

const NO_TERMS: GraphTermsSource = {
	find: () => undefined,
	conceptPrices: () => new Map(),
	graphIds: () => [],
};

/** A question and a claim of a batch cost what they cost alone, unless the operator or the graph they name says otherwise. */
export function createPriceList(
	changes: Partial<PriceBook> = {},
	graphs: GraphTermsSource = NO_TERMS,
): SettablePrices {
	let book = toBook(changes);
	let revision = 0;
	return {
		revision: () => revision,
		priceOf(operationId, subject) {
			const listed = book[operationId];
			return subject ? priceIn(graphs, operationId, { listed, subject }) : listed;
		},
		all: () => book,
		graphs: () => graphs.graphIds().flatMap((id) => toPricedGraph(graphs, id) ?? []),
		set(latest) {
			book = toBook(latest);
			revision += 1;
		},
	};
}

/** A price list whose operator changes it while calls go on. */
export interface SettablePrices extends PriceList {
	/** In place of all changes before. */
	set(changes: Partial<PriceBook>): void;
	/** Another number after each change. */
	revision(): number;
}

function toBook(changes: Partial<PriceBook>): PriceBook {
	const changed = { ...DEFAULT_PRICE_BOOK, ...changes };
	const claim = changed["verify.claim"];
	return {
		...changed,
		"search.batch": changes["search.batch"] ?? dearestSearch(changed),
		"verify.claims": changes["verify.claims"] ?? claim,
		"verify.text": changes["verify.text"] ?? claim,
	};
}

/** What is sold by the piece, and as what each piece is sold alone. */
const SOLD_LIKE: Readonly<Partial<Record<PricedOperationId, PricedOperationId>>> = {
	"search.batch": "graphs.search",
	"verify.claims": "verify.claim",
	"verify.text": "verify.claim",
};

/** The concept's price, else that of the operation in the graph, else the graph's, else the list's; what is free stays free. */
function priceIn(
	graphs: GraphTermsSource,
	operationId: PricedOperationId,
	{ listed, subject: { graphId, conceptId } }: { listed: Price; subject: PriceSubject },
): Price {
	if (listed.amountMicros === 0n) return listed;
	const { priceMicros, prices = {} } = graphs.find(graphId) ?? {};
	const soldLike = SOLD_LIKE[operationId];
	const amountMicros =
		(conceptId === undefined ? undefined : graphs.conceptPrices(graphId).get(conceptId)) ??
		prices[operationId] ??
		(soldLike && prices[soldLike]) ??
		(listed.billingType === "per_call" ? priceMicros : undefined) ??
		listed.amountMicros;
	return { ...listed, amountMicros };
}

function toPricedGraph(graphs: GraphTermsSource, graphId: string): PricedGraph | undefined {
	const terms = graphs.find(graphId) ?? { prices: {}, owners: [] };
	const concepts = graphs.conceptPrices(graphId);
	const isPriced =
		terms.priceMicros !== undefined || Object.keys(terms.prices).length + concepts.size > 0;
	return isPriced ? { graphId, terms, concepts } : undefined;
}

/** Of the two that a question of a batch may be, over one graph and over all, so that no batch undercuts them. */
function dearestSearch(book: PriceBook): Price {
	const [one, all] = [book["graphs.search"], book["search.all"]];
	return one.amountMicros > all.amountMicros ? one : all;
}

/** The terms a quote promises, all of them sealed in its id. */
export interface QuotedTerms {
	readonly operationId: string;
	readonly amountMicros: Micros;
	readonly billingType: string;
	/** Hash of operation and canonical input: the one request the price is for. */
	readonly fingerprint: string;
	/** Path of that request, parameters filled in. */
	readonly path: string;
	readonly expiresAt: number;
}

const PREFIX = "qte_";
const MAC_BYTES = 16;

const wireTerms = z.strictObject({
	o: z.string(),
	a: z.string().regex(/^\d+$/),
	b: z.string(),
	f: z.string(),
	p: z.string(),
	e: z.int(),
});

export type QuoteSeal = ReturnType<typeof createQuoteSeal>;

/** Quotes without storage, in ids that only we can make: `qte_` + base64url(JSON) + "." + 128 bits of HMAC-SHA-256, under a key of their own. */
export function createQuoteSeal(pepper: Pepper) {
	const macsOf = (body: string) =>
		keysFor(pepper, "tollgraph quote v1").map((key) =>
			createHmac("sha256", key).update(body).digest().subarray(0, MAC_BYTES),
		);

	return {
		seal(terms: QuotedTerms): string {
			const body = Buffer.from(JSON.stringify(toWire(terms))).toString("base64url");
			return `${PREFIX}${body}.${macsOf(body)[0]?.toString("base64url")}`;
		},
		/** The terms of an id of ours; undefined for any other text. */
		open(id: string): QuotedTerms | undefined {
			const [, body, mac] = /^qte_([\w-]+)\.([\w-]{22})$/.exec(id) ?? [];
			if (body === undefined || mac === undefined) return undefined;
			const shown = Buffer.from(mac, "base64url");
			if (shown.length !== MAC_BYTES) return undefined;
			if (!macsOf(body).some((right) => timingSafeEqual(shown, right))) return undefined;
			return fromWire(wireTerms.parse(JSON.parse(Buffer.from(body, "base64url").toString())));
		},
	};
}

function toWire(terms: QuotedTerms): z.input<typeof wireTerms> {
	return {
		o: terms.operationId,
		a: terms.amountMicros.toString(),
		b: terms.billingType,
		f: terms.fingerprint,
		p: terms.path,
		e: terms.expiresAt,
	};
}

function fromWire({ o, a, b, f, p, e }: z.output<typeof wireTerms>): QuotedTerms {
	return {
		operationId: o,
		amountMicros: BigInt(a),
		billingType: b,
		fingerprint: f,
		path: p,
		expiresAt: e,
	};
}
