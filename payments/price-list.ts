import { createHmac, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import type { BillingType, Price, PriceBook, PriceList } from "../src/contract/contract.js";
import { type Micros, parseUsd } from "../src/kernel/kernel.js";

/** Money: prices, payment methods, challenges, receipts and the ledger. Knows no skill and no transport. */

const usd = (amount: string, billingType: BillingType): Price => ({
	amountMicros: parseUsd(amount),
	billingType,
});

/** Decision D7: what a deployment charges unless its operator says otherwise. */
export const DEFAULT_PRICE_BOOK: PriceBook = {
	"graphs.search": usd("0.50", "per_call"),
	"search.domain": usd("0.50", "per_call"),
	"search.report": usd("0.50", "per_call"),
	"search.expert": usd("0.50", "per_call"),
	"search.analyst": usd("0.50", "per_call"),
	"search.all": usd("0.50", "per_call"),
	"graphs.nodes.list": usd("0.50", "per_call"),
	"graphs.node": usd("0.50", "per_call"),
	"graphs.neighbors": usd("0.50", "per_call"),
	"graphs.edges": usd("0.50", "per_call"),
	"graphs.paths": usd("0.50", "per_call"),
	"graphs.subgraph": usd("0.50", "per_call"),
	"graphs.timeline": usd("0.50", "per_call"),
	"graphs.context": usd("0.50", "per_call"),
	"graphs.similar": usd("0.50", "per_call"),
	"graphs.export": usd("0.50", "per_call"),
	"graphs.changes": usd("0.50", "per_call"),
	"trends.list": usd("0.50", "per_call"),
	"trends.get": usd("0.50", "per_call"),
	"trends.evidence": usd("0.50", "per_call"),
	"articles.search": usd("0.50", "per_call"),
	"articles.get": usd("0.50", "per_call"),
	"articles.mentions": usd("0.50", "per_call"),
	"search.batch": usd("0.50", "per_call"),
	"entities.resolve": usd("0.50", "per_call"),
	"entities.get": usd("0.50", "per_call"),
	"human_agents.consult": usd("0.50", "per_call"),
	"human_agents.panel": usd("0.50", "per_call"),
	"human_agents.follow_up": usd("0.50", "per_call"),
	"analysts.consult": usd("0.50", "per_call"),
	"analysts.debate": usd("0.50", "per_call"),
	brand_intelligence: usd("30.00", "brand_flat"),
	"brands.signals": usd("0.50", "per_call"),
	"brands.timeline": usd("0.50", "per_call"),
	"brands.sources": usd("0.50", "per_call"),
	"brands.compare": usd("0.50", "per_call"),
	"verify.claim": usd("0.50", "per_call"),
	"verify.extract": usd("0.50", "per_call"),
	"verify.text": usd("0.50", "per_call"),
	"verify.citation": usd("0.50", "per_call"),
	"verify.claims": usd("0.50", "per_call"),
	"intelligence.dossier": usd("0.50", "per_call"),
	"intelligence.dossier.refresh": usd("0.50", "per_call"),
	"supplemental.context": usd("0.50", "per_call"),
	"supplemental.series": usd("0.50", "per_call"),
	"supplemental.compare": usd("0.50", "per_call"),
	"research.deep_dive": usd("10.00", "deep_research_light"),
	"research.deep_dive.comprehensive": usd("15.00", "deep_research_heavy"),
	"research.deep_dive.follow_up": usd("10.00", "deep_research_light"),
	"research.chat": usd("1.50", "research_chat"),
	"research.chat.stream": usd("1.50", "research_chat"),
	"research.stream": usd("1.50", "research_stream"),
	"research.schedules.create": usd("10.00", "weekly_tracker"),
	"research.schedules.run": usd("0.50", "per_call"),
};

/** A question and a claim of a batch cost what they cost alone, unless the operator says otherwise. */
export function createPriceList(changes: Partial<PriceBook> = {}): PriceList {
	const changed = { ...DEFAULT_PRICE_BOOK, ...changes };
	const claim = changed["verify.claim"];
	const book = {
		...changed,
		"search.batch": changes["search.batch"] ?? dearestSearch(changed),
		"verify.claims": changes["verify.claims"] ?? claim,
		"verify.text": changes["verify.text"] ?? claim,
	};
	return { priceOf: (operationId) => book[operationId], all: () => book };
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

/** Writes terms into an id that only we can make, and reads them back. */
export interface QuoteSeal {
	seal(terms: QuotedTerms): string;
	/** The terms of an id of ours; undefined for any other text. */
	open(id: string): QuotedTerms | undefined;
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

/** Quotes without storage: `qte_` + base64url(JSON) + "." + 128 bits of HMAC-SHA-256, under a key of their own. */
export function createQuoteSeal(pepper: Uint8Array): QuoteSeal {
	const key = createHmac("sha256", pepper).update("tollgraph quote v1").digest();
	const macOf = (body: string) =>
		createHmac("sha256", key).update(body).digest().subarray(0, MAC_BYTES);

	return {
		seal(terms) {
			const body = Buffer.from(JSON.stringify(toWire(terms))).toString("base64url");
			return `${PREFIX}${body}.${macOf(body).toString("base64url")}`;
		},
		open(id) {
			const [, body, mac] = /^qte_([\w-]+)\.([\w-]{22})$/.exec(id) ?? [];
			if (body === undefined || mac === undefined) return undefined;
			const shown = Buffer.from(mac, "base64url");
			if (shown.length !== MAC_BYTES || !timingSafeEqual(shown, macOf(body))) return undefined;
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
