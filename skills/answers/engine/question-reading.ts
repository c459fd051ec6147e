/** What a question asks for, which decides the form of its answer. */
export const QUESTION_KINDS = [
	"comparison",
	"list",
	"when",
	"forecast",
	"cause",
	"how-to",
	"who",
	"yes-no",
	"definition",
	"explanation",
] as const;
export type QuestionKind = (typeof QUESTION_KINDS)[number];

/** A question that can be answered by itself. */
export interface QuestionPart {
	readonly question: string;
	/** What of a comparison it asks: places in `compared` and `attributes`; undefined elsewhere. */
	readonly cell?: { readonly subject: number; readonly attribute: number } | undefined;
	/** The one of several names that it asks of. */
	readonly name?: string | undefined;
	/** How much it counts in the choice of evidence: the question itself 2, its parts 1. */
	readonly weight: number;
}

export interface QuestionReading {
	readonly kind: QuestionKind;
	/** The whole question first. */
	readonly parts: readonly [QuestionPart, ...QuestionPart[]];
	/** What a comparison compares, as the question names it; none of any other question. */
	readonly compared: readonly string[];
	/** In what it compares them; one where it does not say in several things. */
	readonly attributes: readonly string[];
}

const PARTS_MOST = 4;
/** Cells of a comparison that are asked for one by one; of more things than that a question is answered as a whole. */
const CELLS_MOST = 9;

/** Tried in this order: the first that fits decides. */
const KINDS: readonly (readonly [QuestionKind, RegExp])[] = [
	[
		"comparison",
		/\b(?:compare[ds]?|comparison|versus|vs\.?|differ(?:s|ed|ences?|ent)?|distinguish(?:es)?|as (?:often|much|many|fast|well|large) as|(?:better|faster|slower|cheaper|safer|larger|smaller|older|newer) than)\b/i,
	],
	[
		"forecast",
		/^\s*(?:will|when will|what will|how will|is .+ going to)\b|\bby (?:the end of )?20[3-9]\d\b/i,
	],
	[
		"when",
		/^\s*(?:when|since when|until when|(?:in|from|since|with|as of) (?:which|what) (?:[\w.'’-]+ ){0,2}(?:year|month|version|release)|on (?:which|what) (?:day|date)|(?:what|which) (?:year|date|day)|how (?:did|has) .+ (?:develop|evolve|change))\b|\b(?:timeline|history|chronology|release date)\b/i,
	],
	[
		"who",
		/^\s*(?:who|whose|whom|by whom|which (?:[\w-]+ ){0,2}(?:person|people|company|companies|organi[sz]ation|team|group|agency|sig|author|vendor))\b/i,
	],
	[
		"how-to",
		/^\s*(?:how (?:do|can|should|would|could|must|to)\b|(?:what|which) (?:are the )?steps|steps to|(?:guide|instructions) (?:to|for))/i,
	],
	[
		"cause",
		/^\s*(?:why|how come|what (?:caused?|causes|led|leads|makes?|explains?|motivated?)|for what reason|what (?:is|was|are|were) the (?:reason|cause|motivation|rationale)s?)\b|\breasons? (?:for|why|behind)\b/i,
	],
	[
		"list",
		/^\s*(?:list|name|enumerate|give me|show)\b|^\s*(?:what|which) (?:are|were)\b|^\s*(?:what|which) (?:[\w/.'’-]+ ){0,5}?(?!(?:does|is|was|has|this|process|status|access|address|class|https|dns|tls)\b)[\w-]{3,}s\b/i,
	],
	[
		"yes-no",
		/(?:^|, )\s*(?:is|are|was|were|do|does|did|can|could|may|might|must|should|has|have|had|would|am)(?:n['’]t)?\b/i,
	],
	[
		"definition",
		/^\s*(?:what(?:['’]s| is| are| was| were) (?!the (?:default|name|number|maximum|minimum|size|limit)\b)|define\b|what does .+ (?:mean|stand for)\b|(?:meaning|definition) of\b)/i,
	],
];

/** Reads what kind of question it is, and what it asks for one by one. */
export function readQuestion(question: string): QuestionReading {
	const kind = KINDS.find(([, form]) => form.test(question))?.[0] ?? "explanation";
	const whole = { question, weight: 2 };
	const compared = kind === "comparison" ? readCompared(question) : undefined;
	if (compared) {
		const { subjects, attributes } = compared;
		const parts = subjects.flatMap((name, subject) =>
			attributes.map((attribute, place) => ({
				question: `${name} ${attribute}`.trim(),
				cell: { subject, attribute: place },
				weight: 1,
			})),
		);
		return { kind, parts: [whole, ...parts], compared: subjects, attributes };
	}
	const pieces = splitQuestion(question).slice(0, PARTS_MOST);
	const asked =
		pieces.length > 1 ? pieces.map((piece) => ({ question: piece })) : askOfEach(question);
	const parts = asked.map((part) => ({ ...part, weight: 1 }));
	return { kind, parts: [whole, ...parts], compared: [], attributes: [] };
}

/** "TLS 1.0", "crates.io", "JavaScript": up to three words that are written as no common word is. */
const NAME_WORD =
	"(?:\\p{Lu}[\\p{L}\\p{N}+#'’/-]*|(?!\\p{Lu})\\p{L}*\\p{N}[\\p{L}\\p{N}]*|(?!\\p{Ll}*\\p{N})\\p{Ll}+\\p{Lu}\\p{L}*)(?:\\.[\\p{L}\\p{N}]+)*|\\p{Ll}+\\.\\p{Ll}+";
const NAME = `(?:${NAME_WORD})(?: (?:${NAME_WORD})){0,2}`;
const NAMES = new RegExp(
	`(?<=\\s)(?<!\\b(?:between|both|from|to) )(?:${NAME}, )*${NAME},? (?:and|or) ${NAME}(?=['’]?s?\\b)(?! [\\p{Lu}\\p{N}])`,
	"u",
);
const NAMES_MOST = 6;
const WHOLE_NAME = new RegExp(`^(?:${NAME})$`, "u");
const isName = (text: string) => WHOLE_NAME.test(text);

/** "When were SSL 3.0 and TLS 1.0 prohibited?" → of each of them; none where no two names stand beside each other. */
function askOfEach(question: string): readonly Pick<QuestionPart, "question" | "name">[] {
	const [listed] = NAMES.exec(question) ?? [];
	// "What is Sarbanes and Oxley?" asks for one thing.
	if (listed === undefined || /^\s*what(?:['’]s| is| was)\b/i.test(question)) return [];
	const names = listed.split(/,? (?:and|or) |, /);
	if (names.length > NAMES_MOST) return [];
	return names.map((name) => ({ name, question: question.replace(listed, name) }));
}

/** "how", "what" and so on, where they begin another question. */
const ASKS =
	"what|which|who|whose|when|where|why|how|since when|by whom|for how long|is|are|does|do|did|can|must|should|may";
const NEXT_QUESTION = new RegExp(`(?:,? and|;|,|\\?)\\s+(?=(?:${ASKS})\\b)`, "i");
const ASKED_WORDS_LEAST = 2;

/** "What is X and who uses it?" → "What is X", "who uses it (X)". The whole where it asks one thing. */
function splitQuestion(question: string): readonly string[] {
	const bare = question.replace(/[?.!\s]+$/, "");
	const pieces = bare.split(NEXT_QUESTION).map((piece) => piece.trim());
	const [first = "", ...others] = pieces;
	if (
		others.length === 0 ||
		pieces.some((piece) => piece.split(/\s+/).length < ASKED_WORDS_LEAST)
	) {
		return [question];
	}
	// What the others are about is named in the first one.
	return [first, ...others.map((piece) => `${piece} (${first})`)];
}

const SUBJECT = "[^,;:?]{1,60}?";
const SUBJECTS = `${SUBJECT}(?:, ${SUBJECT})*,? and ${SUBJECT}`;
const REST = "(?<rest>(?:,|:| (?:in|on|for|when|if|with|regarding|by|as|under|at|after)\\b).*)?$";
const COMPARED: readonly RegExp[] = [
	`\\b(?:differences?|differentiates|distinguishes|trade-?offs?|distinction|comparison) (?:is there )?(?:between|of) (?<list>${SUBJECTS})${REST}`,
	`\\b(?:do|does|did|is|are|was|were) (?<one>${SUBJECT}) (?:differ(?:s|ent)?|compared?) (?:from|to|with) (?<other>${SUBJECTS}|${SUBJECT})${REST}`,
	`\\bcompare (?!(?:in|with|to|on|for)\\b)(?<list>${SUBJECT}(?:, ${SUBJECT})*,? (?:and|with|to|against|versus|vs\\.?) ${SUBJECT})${REST}`,
	`\\b(?:do|does|did) (?<list>${SUBJECTS}) (?:differ|compare)(?<rest>.*)$`,
	`^(?<one>${SUBJECT}(?:, ${SUBJECT})*) (?:vs\\.?|versus|compared (?:to|with)|or) (?<other>${SUBJECT})${REST}`,
	`\\b(?<one>${SUBJECT}) (?:compared (?:to|with)) (?<other>${SUBJECT})${REST}`,
].map((form) => new RegExp(form, "i"));

/** What is compared, and in what; undefined where the question does not say so in a known form. */
function readCompared(question: string) {
	const bare = question.replace(/[?.!\s]+$/, "");
	for (const form of COMPARED) {
		const groups = form.exec(bare)?.groups;
		if (!groups) continue;
		const subjects = readSubjects(groups);
		if (!subjects) continue;
		const rest = (groups["rest"] ?? "").replace(/^[,:\s]+/, "");
		const attributes = readAttributes(rest.replace(/\b(?:how|what) (?:do|does|did|is|are) /i, ""));
		const isSmall = subjects.length * attributes.length <= CELLS_MOST;
		return {
			subjects,
			attributes: isSmall ? attributes : [attributes.join(", ")],
		};
	}
	return undefined;
}

/** Undefined where there are too few or too many for a table, or one has no name. */
function readSubjects(groups: Readonly<Record<string, string>>): readonly string[] | undefined {
	const named = [groups["list"] ?? [], groups["one"] ?? [], groups["other"] ?? []].flat();
	const subjects = completeOwned(
		named
			.flatMap((names) => names.split(/,? (?:and|with|to|against|versus|vs\.?) |, /i))
			.map((name) => name.replace(/^(?:the|an?)\s+/i, "").trim()),
	);
	const isTable = subjects.length >= 2 && subjects.length <= CELLS_MOST;
	return isTable && !subjects.includes("") ? subjects : undefined;
}

/**
 * "Generators in Python", "Rust's" → "Generators in Python", "Generators in Rust"; so with "Rust" alone, where both are names: it is not Rust as a
 * whole that is compared. "Bank of England" is one name, and owns nothing.
 */
function completeOwned([first = "", ...others]: readonly string[]): readonly string[] {
	const [, owned, owner = ""] = /^(.+ (?:in|of|on|under)) (\S.*)$/.exec(first) ?? [];
	if (owned === undefined) return [first, ...others];
	const isOneName = /\p{Lu}\S* of$/u.test(owned);
	const complete = (name: string) => {
		const [, possessor = name] = /^(\S+)['’]s$/.exec(name) ?? [];
		const isOwner = possessor !== name || (!isOneName && [owner, name].every(isName));
		return isOwner ? `${owned} ${possessor}` : name;
	};
	return [first, ...others.map(complete)];
}

/** "they compare in index size, speed and quality" → each of them; what is no list is one. */
function readAttributes(rest: string): readonly string[] {
	const listed = /^(?:they )?(?:compare |differ )?(?:in|by|on|regarding|as to) ([^;]+)$/i.exec(
		rest.trim(),
	)?.[1];
	if (listed === undefined) return [rest.replace(/:?\s*they (?:compare|differ)\b/i, "").trim()];
	const names = listed.split(/, (?:and )?| and /).map((name) => name.trim());
	return names.length > 1 && names.every((name) => name.split(" ").length <= 4)
		? names
		: [listed.trim()];
}
