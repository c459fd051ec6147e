import { stemWord } from "./stem.js";

/** Short forms and what they stand for, either way round: general ones of computing only, as a subject's own belong into its aliases. */
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
	["org", "organization"],
	["memo", "memorandum"],
	["stats", "statistics"],
	["sec", "security"],
	["creds", "credentials"],
	["lib", "library"],
	["i18n", "internationalization"],
	["l10n", "localization"],
	["a11y", "accessibility"],
];

const meanings = new Map<string, readonly string[]>();
for (const [short, ...long] of ABBREVIATIONS) {
	const key = stemWord(short);
	for (const meaning of long.map(stemWord)) {
		meanings.set(key, [...(meanings.get(key) ?? []), meaning]);
		meanings.set(meaning, [...(meanings.get(meaning) ?? []), key]);
	}
}

/** Terms that a term of the index is a short form of or is shortened to; none for most. */
export function abbreviationsOf(term: string): readonly string[] {
	return meanings.get(term) ?? [];
}
