import { normalizeName } from "../../src/evidence/evidence.js";
import type { Concept } from "../../src/knowledge/knowledge.js";

/** What makes a concept a brand, and what its front matter says of who it is. */

export type BrandKind = "organization" | "product";

/** Words that say what a concept is, as its type, as `kind` of its front matter, or as a tag where its type says nothing. */
const KIND_WORDS: ReadonlyMap<string, BrandKind> = new Map([
	["organization", "organization"],
	["organisation", "organization"],
	["company", "organization"],
	["corporation", "organization"],
	["brand", "organization"],
	["product", "product"],
]);
/** Types that leave open what a concept is. */
const OPEN_TYPES: ReadonlySet<string> = new Set(["entity", "thing"]);

/** Keys of the front matter by which a register knows an organization or product. */
const REGISTRY_KEYS = ["cik", "lei", "registry id"] as const;

export interface BrandIdentity {
	readonly kind: BrandKind;
	readonly legalName: string | undefined;
	/** `cik 320193`, `lei …`, `registry id …`: the key, then the id without leading zeros. */
	readonly registryIds: readonly string[];
	/** Symbols, upper case. */
	readonly tickers: readonly string[];
	readonly exchange: string | undefined;
	/** Lower case, without `www.`. */
	readonly domains: readonly string[];
	/** What else it is called. */
	readonly aliases: readonly string[];
	/** What the front matter names as its maker: a path, an id or a name. */
	readonly maker: string | undefined;
}

const DOMAIN = /^(?:[a-z\d-]{1,63}\.)+[a-z]{2,24}$/i;
/** `PEP 557`, `CVE-2025-43300`, `KEP-127`: a number of a document is no name of a brand. */
const DOCUMENT_NUMBER = /^\p{Lu}{2,}[- ]?\d[\d-]*$/u;

/**
 * Who a concept is: an organization or product by its type (or kind, or tag) that has a name and a registry id, a ticker symbol, a
 * domain, a legal name or an alias. Undefined for every other concept.
 */
export function readBrandIdentity(concept: Concept): BrandIdentity | undefined {
	const facts = readFacts(concept.facts);
	const kind = kindOf(concept, facts);
	if (!kind || normalizeName(concept.title) === "") return undefined;
	const names = concept.aliases.filter((alias) => !DOCUMENT_NUMBER.test(alias));
	const domains = [...listed(facts, "domain", "domains"), ...names].filter((text) =>
		DOMAIN.test(text),
	);
	const identity: BrandIdentity = {
		kind,
		legalName: facts.get("legal name"),
		registryIds: REGISTRY_KEYS.flatMap((key) =>
			listed(facts, key).map((id) => `${key} ${id.replace(/^0+(?=\d)/, "").toLowerCase()}`),
		),
		tickers: listed(facts, "ticker", "tickers").map((symbol) => symbol.toUpperCase()),
		exchange: facts.get("exchange"),
		domains: [...new Set(domains.map((text) => text.toLowerCase().replace(/^www\./, "")))],
		aliases: names.filter((alias) => !DOMAIN.test(alias)),
		maker: facts.get("maker"),
	};
	return isRegistered(identity) ? identity : undefined;
}

function isRegistered(identity: BrandIdentity): boolean {
	const { legalName, registryIds, tickers, domains, aliases } = identity;
	return (
		legalName !== undefined ||
		[registryIds, tickers, domains, aliases].some(({ length }) => length > 0)
	);
}

function kindOf(
	{ type, tags }: Concept,
	facts: ReadonlyMap<string, string>,
): BrandKind | undefined {
	const own = KIND_WORDS.get(type.toLowerCase());
	if (own || !OPEN_TYPES.has(type.toLowerCase())) return own;
	const words = [facts.get("kind") ?? "", ...tags].map((word) =>
		KIND_WORDS.get(word.toLowerCase()),
	);
	return words.find((kind) => kind !== undefined);
}

/** Front matter that is read as nothing else, by its key in lower case. */
function readFacts(facts = ""): ReadonlyMap<string, string> {
	return new Map(
		facts.split("\n").flatMap((line) => {
			const at = line.indexOf(": ");
			return at < 0 ? [] : [[line.slice(0, at).toLowerCase(), line.slice(at + 2).trim()] as const];
		}),
	);
}

function listed(facts: ReadonlyMap<string, string>, ...keys: readonly string[]): readonly string[] {
	return keys
		.flatMap((key) => facts.get(key)?.split(",") ?? [])
		.flatMap((text) => text.trim() || []);
}

/** Endings that say what a company is by law. */
const LEGAL_FORM =
	/,?\s+(?:inc|incorporated|corp|corporation|co|company|companies|ltd|limited|plc|llc|lp|ag|se|sa|s\.a|nv|n\.v|gmbh|ab|asa|oyj|spa|s\.p\.a|holdings?|group)\.?$/i;

/** A name without what a company is by law: "The Gap, Inc." is "Gap", "Amazon.com, Inc." is "Amazon.com" and "Amazon". */
export function shortNamesOf(name: string): readonly string[] {
	let short = name.trim();
	for (
		let next = short.replace(LEGAL_FORM, "");
		next !== short;
		next = short.replace(LEGAL_FORM, "")
	)
		short = next;
	short = short.replace(/^the\s+/i, "");
	const bare = short.replace(/\.com$/i, "");
	return [...new Set([short, bare])].filter((text) => text !== "" && text !== name);
}
