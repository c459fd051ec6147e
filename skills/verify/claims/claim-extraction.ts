import type { ClaimKind } from "../../../src/contract/contract.js";
import { splitSentences } from "../../../src/evidence/evidence.js";
import { visibleText } from "../../../src/kernel/kernel.js";
import { findDateSpans } from "./date-spans.js";
import { findNames } from "./names.js";
import { findQuantifiers, isDenial } from "./polarity.js";
import { findQuantities } from "./quantities.js";
import type { AtomicClaim } from "./verification.js";

/** Atomic claims of one text, at most; what is behind them is not read. */
const CLAIMS_MAX = 50;
const TEXT_CHARS = 20_000;

/** Predicates that may stand behind a shared subject: an auxiliary, or a verb in the third person. */
const VERB =
	"(?:is|are|was|were|has|have|had|does|do|did|can|cannot|could|may|might|must|should|will|would|never|always|also|only|\\p{Ll}{2,}(?:s|ed)(?<!ss|us|is|ies)|\\p{Ll}{2,}ies)";
const SUBJECT = new RegExp(`^(?<subject>.{2,120}?)\\s(?=${VERB}\\s)`, "u");
const STARTS_WITH_VERB = new RegExp(`^${VERB}\\s`, "u");
const SECOND_PREDICATE =
	/(?:,?\s(?:and|but)|;|,\s(?:while|whereas))\s(?:it\s|they\s|that\s|then\s)?(?=(?:is|are|was|were|has|have|had|does|do|did|can|cannot|could|may|might|must|never|\p{Ll}{3,}(?:es|[^su]s|ed))\s)/gu;
const SECOND_CLAUSE =
	/(?:;\s+|,\s+(?:and|but|while|whereas)\s+)(?=(?:the|a|an|its|their|it|they|\p{Lu}|\p{Ll}+s\b)\s*\S+\s)/gu;
/** A second statement with a subject of its own: its verb takes an object, so that no list is cut. */
const OBJECT_VERB =
	"(?:\\p{Ll}{3,}[^s\\W]s|is|are|was|were|has|have|can|may|must)\\s(?:not\\s)?(?:a|an|the|no|its|their|every|all|\\d)";
const SECOND_SUBJECT = new RegExp(
	`\\sand\\s(?=(?:(?:the|a|an|its|their)\\s)?(?:[\\p{L}\\p{N}-]+\\s){1,3}${OBJECT_VERB})`,
	"gu",
);
const HAS_OBJECT_VERB = new RegExp(`\\s${OBJECT_VERB}`, "u");
const PRONOUN = /^(?:it|they|this|these|that)\s/i;

/**
 * The claims of a text, one thing said at a time, each a whole sentence. Sentences that state nothing are kept with their
 * kind, so that a caller can report what was not checked. Never throws; cut at CLAIMS_MAX.
 */
export function extractClaims(text: string): readonly AtomicClaim[] {
	const plain = visibleText(text.slice(0, TEXT_CHARS)).replace(/\s+/g, " ").trim();
	const claims: AtomicClaim[] = [];
	for (const sentence of splitSentences(plain)) {
		if (claims.length >= CLAIMS_MAX) break;
		const { kind, reason } = findClaimKind(sentence);
		const parts = kind === "checkable" ? splitClaims(sentence) : [sentence];
		for (const part of parts) claims.push(toAtomicClaim(part, kind, reason));
	}
	return claims.slice(0, CLAIMS_MAX);
}

/** One sentence as a claim, without being split. */
function toAtomicClaim(text: string, kind: ClaimKind, reason: string | undefined): AtomicClaim {
	const dates = findDateSpans(text);
	const [quantifier] = findQuantifiers(text);
	return {
		text,
		kind,
		reason,
		entities: findNames(text).map((name) => name.text),
		quantities: findQuantities(text, dates),
		dates,
		quantifier,
		isNegated: isDenial(text),
	};
}

/** Two predicates of one subject become two sentences; what has no verb of its own stays where it is. */
function splitClaims(sentence: string): readonly string[] {
	const clauses = cutAt(sentence, SECOND_CLAUSE)
		.flatMap((clause) => cutAt(clause, SECOND_PREDICATE))
		.flatMap(cutAtSubject);
	const [first, ...rest] = clauses;
	if (first === undefined || rest.length === 0) return [sentence];
	const subject = SUBJECT.exec(first)?.groups?.["subject"];
	if (subject === undefined || clauses.some((clause) => clause.split(" ").length < 3))
		return [sentence];
	return clauses.map((clause, index) => {
		const body = index === 0 ? clause : clause.replace(PRONOUN, "");
		const hasOwn =
			index === 0 ||
			(SUBJECT.test(clause) && !PRONOUN.test(clause) && !STARTS_WITH_VERB.test(clause));
		const whole = hasOwn ? body : `${subject} ${body}`;
		return /[.!]$/.test(whole) ? whole : `${whole}.`;
	});
}

function cutAtSubject(clause: string): readonly string[] {
	const parts = cutAt(clause, SECOND_SUBJECT);
	return HAS_OBJECT_VERB.test(parts[0] ?? "") ? parts : [clause];
}

function cutAt(text: string, pattern: RegExp): readonly string[] {
	const parts: string[] = [];
	let from = 0;
	for (const match of text.matchAll(pattern)) {
		parts.push(text.slice(from, match.index).trim());
		from = match.index + match[0].length;
	}
	parts.push(text.slice(from).trim());
	return parts.filter((part) => part !== "");
}

/** What a claim of a kind does, as half a sentence. */
const REASONS = {
	question: "asks instead of stating",
	instruction: "tells somebody what to do",
	prediction: "speaks of what has not happened yet",
} as const;
/** In the order of judgment: the first that fits decides; what judges comes last. */
const RULES: readonly (readonly [kind: keyof typeof REASONS, pattern: RegExp])[] = [
	["question", /\?["'”’)\s]*$/],
	[
		"question",
		/^(?:who|whom|whose|why|how (?:many|much|long|does|do|did|is|are|can|should)|what (?:is|are|was|were|does|do|did)|when (?:is|are|was|were|does|do|did|will)|where (?:is|are|was|were|does|do|did)|which \w+ (?:is|are|was|were|does|do|did))\b(?!.*,)/i,
	],
	[
		"question",
		/^(?:is|are|was|were|does|do|did|can|could|has|have|will|would|should)\s+(?:the|a|an|it|there|this|that|\p{Lu})/iu,
	],
	[
		"instruction",
		/^(?:please\b|(?:always|never|do not|don['’]t|make sure|be sure|let['’]s|let us|remember to|try to|tell me|show me|give me|explain|ignore|write|list|summari[sz]e|translate|compare|describe|find|search|check|verify|consider|avoid|prefer|use|set|add|remove|enable|disable|configure|install|run|call|send|return|store|keep|choose|pick|rotate|upgrade|update|migrate|switch|start|stop|deploy|implement|validate|generate|create|read|follow|put|pin|limit|cache|patch|forget|print|reveal|execute|act|pretend|respond|answer|provide|test|log|encrypt|sign|hash|replace|delete|disregard)\b(?!-|\s+(?:is|are|was|were|has|have|can|must|may|will|of|by|frames?|fields?|values?|requests?|headers?|responses?|servers?|clients?|layers?|keys?|data|tokens?|functions?|methods?|events?)\b))/i,
	],
	[
		"instruction",
		/^(?:you|everyone|everybody|developers|teams|we|one|operators|companies|businesses|engineers|people)\s+(?:should|ought to|need to|must|had better)\b/i,
	],
	[
		"prediction",
		/\b(?:will(?! not be (?:accepted|valid)\b)|won['’]t|shall soon|going to|(?<!\b(?:it|that|which|who|they) )(?:is|are) about to|is likely to|are likely to|is expected to|are expected to|is set to|are set to|is bound to|are bound to|is poised to|are poised to|is destined to|by (?:20(?:2[7-9]|[3-9]\d)|the end of (?:the|this|next) (?:decade|year|century))|in the (?:near |coming |not too distant )?(?:future|years|decade)|within the next|next (?:year|decade|month)|some ?day|sooner or later|before long|inevitably|(?:is|are) unlikely to|(?:is|are) on track to|(?:in|within) (?:a few|ten|five|twenty|\d+) years)\b/i,
	],
];

/** "Where X holds, Y will not happen" states a rule, not the future. */
const CONDITION = /\b(?:if|when|whenever|where|wherever|unless|once|as soon as)\b/i;
/** "Is no promise that it will": what is stated is the assurance. */
const ASSURED =
	/\b(?:promis|guarante|assur|ensur|warrant|confirm|impl(?:y|ies)|mean|signal|indicat|warn|announc|stat|sa(?:y|id)|declar)\w*\b[^.;]{0,200}\bthat\b[^.;]{0,200}\b(?:will|won't)\b/i;
const WILL_ALONE = /\b(?:will|won't)\b/i;
const TIME_AHEAD =
	/\b(?:soon|by 20\d\d|in the (?:near |coming )|next|future|some ?day|eventually|20[3-9]\d)\b/i;

/** What kind of sentence it is, and why when it cannot be checked. */
function findClaimKind(sentence: string): Pick<AtomicClaim, "kind" | "reason"> {
	const text = sentence.trim();
	for (const [kind, pattern] of RULES) {
		if (!pattern.test(text)) continue;
		const isRule =
			kind === "prediction" &&
			WILL_ALONE.test(text) &&
			(CONDITION.test(text) || ASSURED.test(text)) &&
			!TIME_AHEAD.test(text);
		// PUT and DELETE are names, not orders.
		const isName = kind === "instruction" && /^(?:[A-Z]{2}|Let's \p{Lu})/u.test(text);
		if (!isRule && !isName) return { kind, reason: REASONS[kind] };
	}
	if (judges(text)) return { kind: "opinion", reason: "judges, which no source can settle" };
	return { kind: "checkable" };
}

/** Words of judgment: no source can settle what they say. Data, from general usage. */
const ADJECTIVES = `
	needless needlessly cleaner neater neat nifty prettier pretty nicer nicest ugly uglier ugliest beautiful beautifully elegant
	elegantly inelegant awful awfully terrible terribly horrible horribly horrid amazing amazingly awesome great greatest
	wonderful wonderfully fantastic excellent brilliant brilliantly stupid silly dumb pointless overrated underrated
	underappreciated undervalued overhyped over-hyped over-engineered overengineered overcomplicated over-complicated bloated
	boring exciting annoying annoyingly fun cool pleasant unpleasant delightful clumsy sloppy lovely disappointing disappointingly
	wise wisest wisely sensible saner sanest stupidest silliest dumbest
	impressive impressively tasteful cleverest clever cleverly smartest superior inferior favorite favorite ingenious genius
	insane crazy ridiculous ridiculously absurd absurdly laughable miserable dreadful lousy mediocre disgraceful shameful
	admirable admirably outstanding superb splendid gorgeous charming hideous tedious tiresome hopeless hopelessly regrettable
	embarrassing embarrassingly underwhelming unwise foolish foolishly overkill cumbersome baffling infuriating refreshing
	refreshingly marvellous marvelous magnificent atrocious abysmal pathetic uninspired uninspiring unforgivable inexcusable
	messy woeful thoughtful misguided ill-conceived half-baked long-overdue well-designed badly-designed poorly-designed
`;
const PHRASES: readonly RegExp[] = [
	/\b(?:i|we) (?:think|believe|feel|guess|hope|suspect|prefer|like|love|hate|find|doubt)\b/i,
	/\b(?:in|to|for) (?:my|our) (?:humble )?(?:opinion|view|experience|mind|taste|money)\b/i,
	/\b(?:imho|imo|arguably|personally|frankly|honestly|sadly|unfortunately|thankfully|fortunately|obviously|clearly|admittedly)\b/i,
	/\b(?:the best(?! current practices?\b)|the worst|worst|feels?)\b/i,
	/(?<!\b(?:do|does|did|perform|performs|performed|work|works|worked|score|scores|scored|fare|fares|fared) )\b(?:better than|worse than)\b/i,
	/\b(?:(?:good|bad|great|poor|sensible|wise|right|wrong|perfect|obvious) (?:idea|choice|decision|design|call|way|thing|place|day|taste|deal))\b/i,
	/\ba(?:n)? (?:\p{L}+ )?(?:mistake|disaster|joke|mess|waste|shame|pity|pleasure|nightmare|triumph|masterpiece|nuisance|delight|blessing|curse|gem|kludge|pain|must-have|godsend|travesty|failure of \p{L}+)\b/iu,
	/\b(?:completely|utterly|totally|practically|basically|simply|just) (?:useless|broken|wrong)\b/i,
	/\b(?:far|way|much|simply|just|frankly) too \p{L}+/iu,
	/\btoo (?:complex|complicated|hard|easy|slow|verbose|strict|late|early|expensive|difficult|much|little|many|cautious|conservative|clever|ambitious|bureaucratic|lenient|lax|timid|greedy|vague)\b/i,
	/\b(?:as|more|most|less|least|very|really|quite|so|extremely|far too|rather|pretty) (?:interesting|important|beautiful|elegant|exciting|useful|annoying|confusing|intuitive|readable|enjoyable|pleasant|ugly|boring|natural|sensible|attractive|convincing|impressive|promising|trustworthy|fun|tedious|user-friendly|painful|innovative|inspiring|frustrating|underrated|overrated|sane|satisfying|appealing|mature|disappointing|clever|thoughtful)\b/i,
	/\b(?:\p{L}{3,}est|most|least) \p{L}+ (?:\p{L}+ )?(?:ever|there is|in years|of all time|imaginable|in existence)\b/iu,
	/\b(?:waste of|worth (?:it|the|every|learning|having|reading)|deserves?|ought to|easier to (?:love|like|read|learn)|makes? (?:no )?sense|silver bullet|game[- ]changer|step (?:backwards?|forwards?|in the right direction)|breath of fresh air|(?:reads|looks|sounds) (?:like|as if)|more trouble than|for no good reason|no good reason|second to none|takes? the fun|long overdue|high time)\b/i,
	/\b(?:nobody|no one) (?:likes|wants|needs|should|would|in their right mind)\b|\beveryone (?:loves|hates|should)\b/i,
];

const WORDS = new RegExp(
	`(?<![\\p{L}-])(?:${ADJECTIVES.trim().split(/\s+/).join("|")})(?![\\p{L}-])`,
	"iu",
);

/** What a specification gives rules to: "a client should" states its rule, "browsers should" a wish. */
const RULED =
	/\b(?:it|they|clients?|consumers?|sellers?|buyers?|servers?|agents?|crawlers?|senders?|receivers?|recipients?|issuers?|verifiers?|signers?|payees?|payers?|caches?|prox(?:y|ies)|gateways?|parsers?|generators?|decoders?|encoders?|nodes?|wallets?|relays?|implementations?|applications?|intermediar(?:y|ies)|names?|headers?|fields?|values?|keys?|tokens?|amounts?|identifiers?|passwords?|nonces?|requests?|responses?|messages?|codes?|timestamps?|certificates?|signatures?|challenges?|salts?|numbers?|strings?|members?|parameters?|queries|query|URIs?|URLs?)(?:\s(?:that|which|who)\s(?:\S+\s){1,4})?\s*(?:\S+\s){0,4}?should\b/i;
/** "A study of what a retriever should do" only names what the study is about. */
const SHOULD =
	/(?<!\b(?:of|on|about|into|asks|describes|defines|says|tells|explains) (?:what|how|when|which|whether)\b[^.,;]{0,60})\bshould\b/i;
/** What is wanted of rules, not what they say. */
const WANTED =
	/\bshould (?:(?:never|really|just|simply|finally|all|have|already) |be (?:ashamed|proud|abolished|banned|retired|abandoned|scrapped|mandatory by law)|stop|switch|adopt|abandon|give up|learn|embrace)/i;

/** True for a sentence that judges instead of stating. */
function judges(text: string): boolean {
	if (WORDS.test(text) || PHRASES.some((phrase) => phrase.test(text))) return true;
	return SHOULD.test(text) && (!RULED.test(text) || WANTED.test(text));
}
