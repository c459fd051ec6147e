import type { Findings } from "./comparison-items.js";
import type { ReadContext } from "./sentence-context.js";
import type { TextReading } from "./text-reading.js";
import { claimsNow, tellsOfChange } from "./time-frame.js";

const REPLACES =
	/\b(?:obsoletes?|obsoleted|supersedes?|superseded|replaces?|replaced|withdrawn|deprecated|retired|succeeds)\b/i;

/** What a claim calls current and a sentence calls replaced: "obsoletes RFC 6265". */
export function compareCurrency(
	claim: TextReading,
	sentence: TextReading,
	{ about }: ReadContext,
): Findings {
	const none: Findings = { items: [], conflicts: [] };
	if (!claimsNow(claim) || REPLACES.test(claim.text)) return none;
	const verb = REPLACES.exec(sentence.text);
	if (!verb || !tellsOfChange(sentence.text)) return none;
	const behind = sentence.text
		.slice(verb.index + verb[0].length, verb.index + verb[0].length + 60)
		.toLowerCase();
	const named = claim.names.find(
		({ series, text }) => series && behind.includes(text.toLowerCase()),
	);
	const isIt =
		!named &&
		/^\s+it\b/.test(behind) &&
		claim.names.some((name) => about.names.some(({ key }) => key === name.key));
	if (!named && !isIt) return none;
	const what = named?.text ?? "it";
	return {
		items: [],
		conflicts: [
			{ reason: `tells that ${what} was replaced`, sureness: 1, isDecisive: true, of: "currency" },
		],
	};
}
