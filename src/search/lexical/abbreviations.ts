import { stemWord } from "./stem.js";
import type { Alternative } from "./tokenizer.js";

/**
 * Short forms and what they stand for: general ones of computing only, as a subject's own belong into its aliases. None whose stem
 * other words share: "stats" would be every "state", and "secs" are seconds.
 */
const ABBREVIATIONS: readonly (readonly [string, ...string[]])[] = [
	["cert", "certificate"],
	["auth", "authentication", "authorization"],
	["authn", "authentication"],
	["authz", "authorization"],
	["config", "configuration"],
	["repo", "repository"],
	["k8s", "kubernetes"],
	["js", "javascript"],
	["ts", "typescript"],
	["py", "python"],
	["db", "database"],
	["app", "application"],
	["param", "parameter"],
	["arg", "argument"],
	["env", "environment"],
	["dev", "development"],
	["prod", "production"],
	["spec", "specification"],
	["impl", "implementation"],
	["perf", "performance"],
	["docs", "documentation"],
	["info", "information"],
	["admin", "administrator"],
	["async", "asynchronous"],
	["sync", "synchronous"],
	["crypto", "cryptography"],
	["sig", "signature"],
	["tx", "transaction"],
	["vuln", "vulnerability"],
	["msg", "message"],
	["id", "identifier"],
	["memo", "memorandum"],
	["creds", "credentials"],
	["lib", "library"],
	["i18n", "internationalization"],
	["l10n", "localization"],
	["a11y", "accessibility"],
];

/** Where nobody writes "cert", it is the certificate. Where nobody writes "signature", "sig" may be one, or not. */
const READ_IN_FULL = { weight: 0.8, trust: 0.9 } as const;
const READ_AS_SHORT = { weight: 0.8, trust: 0.45 } as const;

const readings = new Map<string, readonly Alternative[]>();
const add = (term: string, reading: Alternative) =>
	readings.set(term, [...(readings.get(term) ?? []), reading]);
for (const [short, ...long] of ABBREVIATIONS) {
	for (const meaning of long.map(stemWord)) {
		add(stemWord(short), { term: meaning, ...READ_IN_FULL });
		add(meaning, { term: stemWord(short), ...READ_AS_SHORT });
	}
}

/** What a term of the index is a short form of or is shortened to; none for most. */
export function abbreviationsOf(term: string): readonly Alternative[] {
	return readings.get(term) ?? [];
}
