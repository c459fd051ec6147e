import type { SpokenOf } from "./talk-context.js";

/** Nouns that "that", "this" and "the same" are put before without naming anything new. */
const GENERAL_NOUNS =
	"standard|specification|spec|proposal|protocol|algorithm|method|code|header|rule|idea|approach|vulnerability|cve|kep|eip|erc|rfc|pep|feature|concept|mechanism|extension|scheme|technique|model|format|version|document|draft|framework|library|tool|system|technology|practice|pattern|process|policy|token|field|change|flaw|bug|attack|index|metric|term|thing|one|topic|subject|paper|article|product|service|company|brand|project|process|law|regulation|directive";
const ONE_THING = new RegExp(
	`\\b(?:that|this|the same|said)\\s+(?:${GENERAL_NOUNS})\\b(['’]s)?`,
	"i",
);
const OF_THINGS = /\b(?:they|them|their|theirs)\b/i;

/** "it" that stands for nothing: "is it possible to", "it is true that". */
const EMPTY_IT =
	/\b(?:(?:is|was|would|does|will) it|it(?:['’]s| is| was| would be)?)\s+(?:be |still |really |also |even )?(?:possible|true|necessary|safe|ok(?:ay)?|better|worth|common|allowed|required|recommended|fair|likely|important|take|make sense|matter)\b(?:\s+(?:to|that|for|if|whether|how|until)\b)/i;
const POSSESSIVE = /\bits\b/i;
const IT = /\b(?:it|itself)\b(?!['’]s\b)|\bit(?=['’]s\b)/i;
/** "that" and "this" where no noun follows them and nothing they would join stands before them. */
const BEFORE_THAT =
	"about|of|for|to|with|than|like|by|from|in|on|under|is|was|are|does|did|do|has|can|could|will|would|should|why|how|when|where|and|but|so|after|before|since|use|uses|support|supports|replace|replaces|implement|implements|mean|explain|compare|define|describe|change|fix|affect|break|solve|prevent|adopt";
const BEHIND_THAT =
	"is|was|does|did|has|had|can|could|will|would|should|may|might|must|mean|means|work|works|differ|differs|apply|applies|happen|happens|relate|relates|compare|compares|replace|replaces|change|changes|start|begin|end|cost|need|require|exist|not|to|with|from|in|for|and|or|still|again|today|now|so|too|safe|secure|deprecated|stable|standardised|standardized|published|supported|finished|final|important|related";
const BARE_THAT = new RegExp(
	`(?<=^|\\b(?:${BEFORE_THAT})\\s)(?:that|this)(?=\\s*(?:[?.!,;:]|$)|\\s+(?:${BEHIND_THAT})\\b)`,
	"i",
);

const GENERAL_PLURALS = GENERAL_NOUNS.split("|")
	.map((noun) => (noun.endsWith("y") ? `${noun.slice(0, -1)}ies` : `${noun}s`))
	.join("|");
const MANY_THINGS = new RegExp(
	`\\b(?:all of (?:them|these|those)|the two|(?:these|those)(?: two)?|both)(?:\\s+(?:of (?:them|these|those)|${GENERAL_PLURALS})\\b|(?=\\s*(?:[?.!,;:]|$))|(?=\\s+(?:${BEHIND_THAT})\\b))`,
	"i",
);

/** Where one clause ends and the next begins. */
const CLAUSE_END = /\b(?:and|but|or|when|if|because|while|so|whether|although|though)\b|[,;:.]/i;
const NAME_LIKE =
	/(?:\s|^)(?:\p{Lu}{2,}[\p{L}\p{N}.-]*|\p{L}+[-.]?\d[\p{L}\p{N}.-]*|(?<=\s)\p{Lu}[\p{Ll}\p{N}.-]+)/u;

/**
 * The message with its pronouns said by name; undefined where it has none, or names what they stand for itself ("What is
 * EIP-712 and how does it work?").
 */
export function replacePronouns(
	said: string,
	topic: string,
	spokenOf: readonly SpokenOf[],
): string | undefined {
	const first = replaceFirst(said, topic, spokenOf);
	if (!first) return undefined;
	const { head, tail } = first;
	// The rest of the sentence may speak of the same thing again; what was put in is not looked at.
	return `${head}${CLAUSE_END.test(tail) ? tail : (replacePronouns(tail, topic, []) ?? tail)}`;
}

/** A form, and what it stands for. */
type NameFor = readonly [form: RegExp, name: (match: RegExpExecArray) => string];

interface Replaced {
	/** Up to the name that was put in, with it. */
	readonly head: string;
	readonly tail: string;
}

/** The first place where a pronoun stands for what was spoken of before. */
function replaceFirst(
	said: string,
	topic: string,
	spokenOf: readonly SpokenOf[],
): Replaced | undefined {
	const nameFor: readonly NameFor[] = [
		[MANY_THINGS, () => namesOf(topic, spokenOf)],
		[ONE_THING, ([, genitive = ""]) => `${topic}${genitive}`],
		...(EMPTY_IT.test(said) ? [] : [[IT, () => topic] satisfies NameFor]),
		[POSSESSIVE, () => `${topic}'s`],
		[OF_THINGS, ([word]) => (/^their/i.test(word) ? `${topic}'s` : topic)],
		[BARE_THAT, () => topic],
	];
	for (const [form, name] of nameFor) {
		const match = form.exec(said);
		if (!match || hasOwnName(said.slice(0, match.index))) continue;
		const head = `${said.slice(0, match.index)}${name(match)}`;
		return { head, tail: said.slice(match.index + match[0].length) };
	}
	return undefined;
}

/** A clause before the pronoun's names something: then it stands for that. */
function hasOwnName(before: string): boolean {
	const clauses = before.split(CLAUSE_END);
	return clauses.slice(0, -1).some((clause) => NAME_LIKE.test(clause));
}

const THINGS_MAX = 3;

function namesOf(topic: string, spokenOf: readonly SpokenOf[]): string {
	const names = [...new Set(spokenOf.map(({ name }) => name))].slice(0, THINGS_MAX);
	const last = names.at(-1);
	if (last === undefined || names.length === 1) return topic;
	return `${names.slice(0, -1).join(", ")} and ${last}`;
}
