import type { Concept } from "../../knowledge/knowledge.js";

/** What reads like a secret or like an address of a private network, and where; never the whole of it. */
export interface Suspicion {
	readonly path: string;
	readonly kind: string;
	/** Its first characters. */
	readonly begins: string;
}

/** Every repetition is bounded: a document may be made to be slow to read. */
const KINDS: readonly (readonly [kind: string, pattern: RegExp])[] = [
	["private key", /-----BEGIN (?:[A-Z]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g],
	["AWS access key", /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g],
	[
		"GitHub token",
		/\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{22})[A-Za-z0-9_]{0,219}/g,
	],
	["Slack token", /\bxox[abeoprs]-[A-Za-z0-9-]{10,200}/g],
	["payment key", /\b[rs]k_live_[A-Za-z0-9]{16,200}/g],
	["Google API key", /\bAIza[A-Za-z0-9_-]{35}/g],
	["model API key", /\bsk-(?:proj-|ant-)?[A-Za-z0-9_-]{20,200}/g],
	["npm token", /\bnpm_[A-Za-z0-9]{36}/g],
	["token of this software", /\b(?:spt_live_|adm_)[A-Za-z0-9_-]{16,200}/g],
	["signed token", /\beyJ[\w-]{10,2000}\.eyJ[\w-]{10,2000}\.[\w-]{10,2000}/g],
	[
		"password or key",
		/\b(?:api[_-]?key|secret|token|passw(?:or)?d)["']?\s{0,4}[:=]\s{0,4}["']?(?=[^\s"']{0,200}\d)[\w\-+/=.]{16,200}/gi,
	],
	["address with a password", /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/]{1,100}:[^\s:@/]{3,100}@/gi],
	[
		"address of a private host",
		/\b[a-z]{2,12}:\/\/(?:10\.\d{1,3}|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.\d{1,3}\b/gi,
	],
	[
		"address of a private host",
		/\b[a-z]{2,12}:\/\/(?:[a-z0-9-]{1,63}\.){1,5}(?:local|internal|intranet|corp|lan)\b/gi,
	],
];

const PLACEHOLDER = /example|your|placeholder|x{4}|\*{3}|<|0{8}/i;
const SHOWN_CHARS = 4;
const PER_CONCEPT_MAX = 20;

const known = new WeakMap<Concept, readonly Suspicion[]>();

/** What a buyer would get of a concept that its owner may not mean to sell; read once for each concept. */
export function findSuspicions(concept: Concept): readonly Suspicion[] {
	const found = known.get(concept) ?? readSuspicions(concept);
	known.set(concept, found);
	return found;
}

function readSuspicions(concept: Concept): readonly Suspicion[] {
	const { path, title, summary, body, facts = "", kept = "", evidence } = concept;
	const addresses = evidence.map(({ sourceUrl }) => sourceUrl);
	const text = [title, summary, body, facts, kept, ...addresses].join("\n");
	const found = new Map<string, Suspicion>();
	for (const [kind, pattern] of KINDS) {
		for (const [match] of text.matchAll(pattern)) {
			if (PLACEHOLDER.test(match) || found.size >= PER_CONCEPT_MAX) continue;
			found.set(match, { path, kind, begins: `${match.slice(0, SHOWN_CHARS)}…` });
		}
	}
	return [...found.values()];
}
