import type { ClaimKind } from "../../../src/contract/contract.js";
import { splitSentences } from "../../../src/evidence/evidence.js";
import { visibleText } from "../../../src/kernel/kernel.js";
import { findClaimKind } from "./claim-kinds.js";
import { findDateSpans } from "./date-spans.js";
import { findNames } from "./names.js";
import { findNegations } from "./polarity.js";
import { findQuantifiers } from "./quantifiers.js";
import { findQuantities } from "./quantities.js";
import type { AtomicClaim } from "./verification.js";

/** Atomic claims of one text, at most; what is behind them is not read. */
const CLAIMS_MAX = 50;
const TEXT_CHARS = 20_000;

/** Predicates that may stand behind a shared subject: an auxiliary, or a verb in the third person. */
const VERB =
	"(?:is|are|was|were|has|have|had|does|do|did|can|cannot|could|may|might|must|should|will|would|never|always|also|only|\\p{Ll}{2,}(?:s|ed)(?<!ss|us|is|ies)|\\p{Ll}{2,}ies)";
const SUBJECT = new RegExp(`^(?<subject>.{2,120}?)\\s(?=${VERB}\\s)`, "u");
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
 * kind, so that a caller can tell what was not checked. Never throws; cut at CLAIMS_MAX.
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
export function toAtomicClaim(
	text: string,
	kind: ClaimKind = "checkable",
	reason?: string,
): AtomicClaim {
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
		isNegated: findNegations(text).length > 0,
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
			index === 0 || (SUBJECT.test(clause) && !PRONOUN.test(clause) && !startsWithVerb(clause));
		const whole = hasOwn ? body : `${subject} ${body}`;
		return /[.!]$/.test(whole) ? whole : `${whole}.`;
	});
}

function startsWithVerb(clause: string): boolean {
	return new RegExp(`^${VERB}\\s`, "u").test(clause);
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
