import {
	type GraphTerms,
	type GraphTermsSource,
	LIMITS,
	OPERATION_ADDRESSES,
	type OwnerShare,
	type PricedOperationId,
	SELLABLE_IDS,
	toOperationName,
} from "../../contract/contract.js";
import { type FrontMatter, isMapping, textOf } from "../../documents/documents.js";
import { formatUsd, invalidArgument, type Micros, parseUsd } from "../../kernel/kernel.js";
import type { GraphCatalog } from "./catalog.js";
import type { Concept, Graph } from "./graph.js";
import { readKeptFields } from "./kept-fields.js";

/** What graphs and concepts cost and whose revenue that is, as front matter says it. */

/** Key of a concept's front matter that prices it. */
const CONCEPT_PRICE_KEY = "price_usd";
const TERMS_KEYS = ["price", "prices", "owner", "owners"] as const;
const WHOLE = 10_000;

/** Whether front matter says anything of price or owners. */
export function namesTerms(data: FrontMatter): boolean {
	return TERMS_KEYS.some((key) => isGiven(data[key]));
}

/** Undefined when nothing is said. Throws INVALID_ARGUMENT that names the file and the field. */
export function readTerms(data: FrontMatter, file: string): GraphTerms | undefined {
	if (!namesTerms(data)) return undefined;
	const { price, prices, owner, owners } = data;
	return {
		...(isGiven(price) && { priceMicros: parsePrice(price, `${file}: "price"`) }),
		prices: readPrices(prices, file),
		owners: readOwners({ owner, owners }, file),
	};
}

/** The terms as front matter, which reads back as them. */
export function toTermsFields(terms: GraphTerms | undefined): FrontMatter {
	if (!terms) return {};
	const { priceMicros, prices, owners } = terms;
	const listed = Object.entries(prices).map(([id, micros]) => [id, formatUsd(micros)]);
	const shares = owners.map(({ owner, basisPoints }) => [owner, toPercent(basisPoints)]);
	return {
		...(priceMicros !== undefined && { price: formatUsd(priceMicros) }),
		...(listed.length > 0 && { prices: Object.fromEntries(listed) }),
		...(shares.length > 0 && { owners: Object.fromEntries(shares) }),
	};
}

/** `6000` becomes `"60"`, `3333` becomes `"33.33"`. */
export function toPercent(basisPoints: number): string {
	const part = String(basisPoints % 100).padStart(2, "0");
	const whole = String(Math.floor(basisPoints / 100));
	return part === "00" ? whole : `${whole}.${part}`;
}

/** Why a concept's price cannot be one, in a sentence; undefined where there is none to find fault with. */
export function faultOfConceptPrice(data: FrontMatter): string | undefined {
	const value = data[CONCEPT_PRICE_KEY];
	if (!isGiven(value)) return undefined;
	try {
		parsePrice(value, `"${CONCEPT_PRICE_KEY}"`);
		return undefined;
	} catch (error) {
		return error instanceof Error ? error.message : String(error);
	}
}

const conceptPrices = new WeakMap<readonly Concept[], ReadonlyMap<string, Micros>>();

/** Concepts with a price of their own; read once for each state of a graph. */
export function conceptPricesOf({
	concepts,
}: Pick<Graph, "concepts">): ReadonlyMap<string, Micros> {
	const known = conceptPrices.get(concepts);
	if (known) return known;
	const found = new Map<string, Micros>();
	for (const concept of concepts) {
		if (!concept.kept?.includes(CONCEPT_PRICE_KEY)) continue;
		const value = readKeptFields(concept)[CONCEPT_PRICE_KEY];
		if (isGiven(value)) found.set(concept.id, parsePrice(value, `"${CONCEPT_PRICE_KEY}"`));
	}
	conceptPrices.set(concepts, found);
	return found;
}

/** The terms of what is on sale now. */
export function createTermsSource(catalog: Pick<GraphCatalog, "find" | "list">): GraphTermsSource {
	const find = (id: string) => {
		const graph = catalog.find(id);
		return graph?.record.id === id ? graph : undefined;
	};
	return {
		find: (id) => find(id)?.record.terms,
		conceptPrices: (id) => conceptPricesOf(find(id) ?? { concepts: [] }),
		graphIds: () => catalog.list().map(({ record }) => record.id),
	};
}

function isGiven(value: unknown): boolean {
	return value !== undefined && value !== null && value !== "";
}

/** Throws INVALID_ARGUMENT. */
function parsePrice(value: unknown, field: string): Micros {
	const text = textOf(value) ?? JSON.stringify(value);
	const micros = attempt(() => parseUsd(text));
	const { graphPriceMinMicros: min, graphPriceMaxMicros: max } = LIMITS;
	if (micros !== undefined && micros >= min && micros <= max) return micros;
	throw invalidArgument(
		`${field} is "${text.slice(0, 40)}", which is no price: write USD from ${formatUsd(min)} to ${formatUsd(max)} with at most six decimals, e.g. "0.25".`,
	);
}

function attempt<T>(work: () => T): T | undefined {
	try {
		return work();
	} catch {
		return undefined;
	}
}

function readPrices(value: unknown, file: string): GraphTerms["prices"] {
	if (!isGiven(value)) return {};
	if (!isMapping(value)) {
		throw invalidArgument(
			`${file}: "prices" must map operations to USD, e.g. "graphs.search: 0.25"; one price for all is "price".`,
		);
	}
	const entries = Object.entries(value).map(([name, usd]) => {
		const id = toOperationName(name);
		assertSold(id, `${file}: "prices" names "${name.slice(0, 60)}"`);
		return [id, parsePrice(usd, `${file}: "prices" of "${name}"`)] as const;
	});
	if (new Set(entries.map(([id]) => id)).size < entries.length) {
		throw invalidArgument(`${file}: "prices" prices one operation twice, under two of its names.`);
	}
	return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** What is free is free for every graph. */
function assertSold(id: string, subject: string): asserts id is PricedOperationId {
	if (SELLABLE_IDS.has(id)) return;
	const why = Object.hasOwn(OPERATION_ADDRESSES, id)
		? "which is free, and stays so"
		: "which is no operation";
	throw invalidArgument(
		`${subject}, ${why}; GET /v1/research/pricing lists those that can be priced.`,
	);
}

const OWNER_NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._@:+-]{0,79}$/u;

function readOwners(
	{ owner, owners }: { readonly owner: unknown; readonly owners: unknown },
	file: string,
): readonly OwnerShare[] {
	if (isGiven(owner) && isGiven(owners)) {
		throw invalidArgument(`${file}: "owner" and "owners" say the same; keep one of them.`);
	}
	if (isGiven(owner)) return [{ owner: parseOwner(owner, `${file}: "owner"`), basisPoints: WHOLE }];
	if (!isGiven(owners)) return [];
	const field = `${file}: "owners"`;
	if (!isMapping(owners)) {
		throw invalidArgument(`${field} must map owners to percent, e.g. "alice: 60" and "bob: 40".`);
	}
	const shares = Object.entries(owners).map(([name, percent]) => ({
		owner: parseOwner(name, field),
		basisPoints: parsePercent(percent, `${field} of "${name.slice(0, 80)}"`),
	}));
	const sum = shares.reduce((total, { basisPoints }) => total + basisPoints, 0);
	if (sum !== WHOLE) {
		throw invalidArgument(`${field} add up to ${toPercent(sum)} %, not to 100 %.`);
	}
	if (shares.length > LIMITS.graphOwnersMax) {
		throw invalidArgument(`${field} names more than ${LIMITS.graphOwnersMax} owners.`);
	}
	// In one order, so that what was written and read again is the same.
	return shares.sort((a, b) => (a.owner < b.owner ? -1 : 1));
}

function parseOwner(value: unknown, field: string): string {
	const name = textOf(value)?.trim() ?? JSON.stringify(value);
	if (OWNER_NAME.test(name)) return name;
	throw invalidArgument(
		`${field} names "${name.slice(0, 80)}", which is no name of an owner: up to 80 letters, digits, spaces and . _ @ : + -, a letter or digit first.`,
	);
}

function parsePercent(value: unknown, field: string): number {
	const text = textOf(value) ?? JSON.stringify(value);
	const [, whole, part = ""] = /^(\d{1,3})(?:\.(\d{1,2}))?\s?%?$/.exec(text) ?? [];
	const basisPoints = Number(whole) * 100 + Number(part.padEnd(2, "0"));
	if (basisPoints > 0 && basisPoints <= WHOLE) return basisPoints;
	throw invalidArgument(
		`${field} is "${text.slice(0, 40)}", which is no share: write percent above 0 and up to 100, with at most two decimals.`,
	);
}
