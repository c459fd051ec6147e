import type { ClaimKind } from "../../../src/contract/contract.js";
import { judges } from "./judging-words.js";

interface KindRule {
	readonly kind: Exclude<ClaimKind, "checkable">;
	readonly pattern: RegExp;
	/** Half a sentence: the claim … */
	readonly reason: string;
}

/** In the order of judgment: the first that fits decides; what judges comes last. */
const RULES: readonly KindRule[] = [
	{
		kind: "question",
		pattern: /\?["'”’)\s]*$/,
		reason: "asks instead of stating",
	},
	{
		kind: "question",
		pattern:
			/^(?:who|whom|whose|why|how (?:many|much|long|does|do|did|is|are|can|should)|what (?:is|are|was|were|does|do|did)|when (?:is|are|was|were|does|do|did|will)|where (?:is|are|was|were|does|do|did)|which \w+ (?:is|are|was|were|does|do|did))\b(?!.*,)/i,
		reason: "asks instead of stating",
	},
	{
		kind: "question",
		pattern:
			/^(?:is|are|was|were|does|do|did|can|could|has|have|will|would|should)\s+(?:the|a|an|it|there|this|that|\p{Lu})/iu,
		reason: "asks instead of stating",
	},
	{
		kind: "instruction",
		pattern:
			/^(?:please\b|(?:always|never|do not|don['’]t|make sure|be sure|let['’]s|let us|remember to|try to|tell me|show me|give me|explain|ignore|write|list|summari[sz]e|translate|compare|describe|find|search|check|verify|consider|avoid|prefer|use|set|add|remove|enable|disable|configure|install|run|call|send|return|store|keep|choose|pick|rotate|upgrade|update|migrate|switch|start|stop|deploy|implement|validate|generate|create|read|follow|put|pin|limit|cache|patch|forget|print|reveal|execute|act|pretend|respond|answer|provide|test|log|encrypt|sign|hash|replace|delete|disregard)\b(?!-|\s+(?:is|are|was|were|has|have|can|must|may|will|of|by|frames?|fields?|values?|requests?|headers?|responses?|servers?|clients?|layers?|keys?|data|tokens?|functions?|methods?|events?)\b))/i,
		reason: "tells somebody what to do",
	},
	{
		kind: "instruction",
		pattern:
			/^(?:you|everyone|everybody|developers|teams|we|one|operators|companies|businesses|engineers|people)\s+(?:should|ought to|need to|must|had better)\b/i,
		reason: "tells somebody what to do",
	},
	{
		kind: "prediction",
		pattern:
			/\b(?:will(?! not be (?:accepted|valid)\b)|won['’]t|shall soon|going to|(?<!\b(?:it|that|which|who|they) )(?:is|are) about to|is likely to|are likely to|is expected to|are expected to|is set to|are set to|is bound to|are bound to|is poised to|are poised to|is destined to|by (?:20(?:2[7-9]|[3-9]\d)|the end of (?:the|this|next) (?:decade|year|century))|in the (?:near |coming |not too distant )?(?:future|years|decade)|within the next|next (?:year|decade|month)|some ?day|sooner or later|before long|inevitably|(?:is|are) unlikely to|(?:is|are) on track to|(?:in|within) (?:a few|ten|five|twenty|\d+) years)\b/i,
		reason: "speaks of what has not happened yet",
	},
];

/** "Where X holds, Y will not happen" tells a rule, not the future. */
const CONDITION = /\b(?:if|when|whenever|where|wherever|unless|once|as soon as)\b/i;
/** "Is no promise that it will": what is told is the assurance. */
const ASSURED =
	/\b(?:promis|guarante|assur|ensur|warrant|confirm|impl(?:y|ies)|mean|signal|indicat|warn|announc|stat|sa(?:y|id)|declar)\w*\b[^.;]{0,200}\bthat\b[^.;]{0,200}\b(?:will|won't)\b/i;
const WILL_ALONE = /\b(?:will|won't)\b/i;
const TIME_AHEAD =
	/\b(?:soon|by 20\d\d|in the (?:near |coming )|next|future|some ?day|eventually|20[3-9]\d)\b/i;

/** What kind of sentence it is, and why when it cannot be checked. */
export function findClaimKind(sentence: string): {
	readonly kind: ClaimKind;
	readonly reason?: string;
} {
	const text = sentence.trim();
	for (const { kind, pattern, reason } of RULES) {
		if (!pattern.test(text)) continue;
		const isRule =
			kind === "prediction" &&
			WILL_ALONE.test(text) &&
			(CONDITION.test(text) || ASSURED.test(text)) &&
			!TIME_AHEAD.test(text);
		// PUT and DELETE are names, not orders.
		const isName = kind === "instruction" && /^(?:[A-Z]{2}|Let's \p{Lu})/u.test(text);
		if (!isRule && !isName) return { kind, reason };
	}
	if (judges(text)) return { kind: "opinion", reason: "judges, which no source can settle" };
	return { kind: "checkable" };
}
