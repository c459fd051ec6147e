import { titled } from "../../src/evidence/evidence.js";
import { type JudgedSearch, readPairs, type TextPair } from "../../src/search/search.js";
import { groupSources } from "../answers/answers.js";
import type { Brand } from "./brand-grouping.js";
import { shortNamesOf } from "./brand-identity.js";
import { BRAND_LIMITS } from "./brand-index.js";
import type { DatedMention } from "./brand-reading.js";

export const RISK_KINDS = [
	"security",
	"legal",
	"lifecycle",
	"operations",
	"financial",
	"market",
] as const;
type RiskKind = (typeof RISK_KINDS)[number];

/** A danger as it is put to the judge, and the words without which a sentence is not asked about it. */
interface RiskCue {
	readonly kind: RiskKind;
	readonly risk: string;
	readonly words: RegExp;
}

const cue = (kind: RiskKind, risk: string, words: string): RiskCue => {
	return { kind, risk, words: new RegExp(`\\b(?:${words})`, "i") };
};

const CUES: readonly RiskCue[] = [
	cue("security", "ransomware", "ransomware"),
	cue("security", "a data breach", "breach|leak|stolen|stole "),
	cue("security", "an attack", "attack|hack|intru|malware|phish|backdoor"),
	cue("security", "exploited vulnerabilities", "exploit|zero-day"),
	cue("security", "a vulnerability", "vulnerab|overflow|injection|flaw"),
	cue("legal", "a fine", "fine[ds]?\\b|penalt"),
	cue("legal", "a lawsuit", "lawsuit|sued|sues|suit\\b|litigat|plaintiff|jury|court"),
	cue("legal", "an antitrust case", "antitrust|monopol"),
	cue("legal", "an investigation", "investigat|probe[ds]?\\b|subpoena"),
	cue("legal", "regulation", "sanction|regulat|export control|ban(?:ned|s)?\\b"),
	cue("lifecycle", "the end of support", "end of (?:life|support)|end-of-life|deprecat|obsolet"),
	cue("lifecycle", "the end of a product", "discontinu|withdrawn|sunset|retired|abandon"),
	cue("operations", "a recall", "recall"),
	cue("operations", "an outage", "outage|downtime|crash"),
	cue("operations", "a shortage", "shortage|delay"),
	cue("operations", "an accident", "accident|explosion|spill"),
	cue("operations", "layoffs", "layoff|laid off|job cuts|strike"),
	cue(
		"operations",
		"dependence on suppliers",
		"depend(?:s|ed|ence|ent)? on|relies on|sole source|single source|supplier",
	),
	cue("financial", "a loss", "loss(?:es)?\\b|write-?down|impairment"),
	cue(
		"financial",
		"lower sales",
		"(?:lower|falling|fell|declin\\w+|drop\\w*)\\b.{0,40}\\b(?:sales|revenue|demand|profit)|(?:sales|revenue|demand|profits?)\\b.{0,40}\\b(?:fell|declin|drop|decreas)",
	),
	cue("financial", "debt", "debt|bankrupt|default"),
	cue("market", "competition", "compet"),
	cue("market", "tariffs", "tariff"),
	cue("market", "changes of exchange rates", "exchange rates?|currenc"),
];

/** What the judge must read for a sentence to say that a brand is affected, and how far it must read more for it than for any other named. */
const SUPPORTS_LEAST = 0.7;
const LEAD_LEAST = 0.05;
/** Pairs of one call: some three seconds of one core. */
const PAIRS_MOST = 120;
const CUES_PER_MENTION = 2;
const OTHERS_PER_MENTION = 2;

export interface BrandRisk {
	readonly kind: RiskKind;
	/** What was put to the judge. */
	readonly claim: string;
	/** How sure it read that, 0..1. */
	readonly supports: number;
	/** Those that say so, the surest first. */
	readonly mentions: readonly [DatedMention, ...DatedMention[]];
	readonly sourcesIndependent: number;
}

/** Risks, or why none were looked for, as a sentence. */
export interface RiskReading {
	readonly risks: readonly BrandRisk[];
	/** Mentions with a word of danger that were not read. */
	readonly unread: number;
	readonly problem: string | undefined;
}

/**
 * Dangers by which a brand is affected as the judge reads its mentions: only sentences with a word of that danger are read, and what is
 * said of another brand of the sentence as much is no risk of this one. By independent sources, then by sureness.
 */
export async function findRisks(
	{ judge }: Pick<JudgedSearch, "judge">,
	brand: Brand,
	mentions: readonly DatedMention[],
	signal: AbortSignal,
): Promise<RiskReading> {
	const asked = mentions.flatMap((mention) => questionsOf(brand, mention));
	const chosen: RiskQuestion[] = [];
	let pairs = 0;
	for (const question of asked) {
		pairs += question.pairs.length;
		if (pairs > PAIRS_MOST) break;
		chosen.push(question);
	}
	const { readings, problem } = await readPairs(
		judge,
		chosen.flatMap((question) => question.pairs),
		signal,
	);
	const unread = new Set(asked.slice(chosen.length).map(({ mention }) => mention)).size;
	if (!readings) return { risks: [], unread: 0, problem };
	let from = 0;
	const found = chosen.flatMap((question) => {
		const [own, ...others] = readings.slice(from, from + question.pairs.length);
		from += question.pairs.length;
		if (!own || own.supports < SUPPORTS_LEAST) return [];
		const isOwn = others.every(({ supports }) => own.supports - supports >= LEAD_LEAST);
		return isOwn ? [{ ...question, supports: own.supports }] : [];
	});
	return { risks: toRisks(found), unread, problem: undefined };
}

interface RiskQuestion {
	readonly mention: DatedMention;
	readonly cue: RiskCue;
	/** The brand's own first. */
	readonly pairs: readonly TextPair[];
}

function questionsOf(brand: Brand, mention: DatedMention): readonly RiskQuestion[] {
	const { concept, heading, text } = mention.sentence;
	const passage = titled([concept.title, heading ?? ""], [text]);
	const others = [...mention.links.keys()].filter(
		(other) => other !== brand && other !== brand.maker && other.maker !== brand,
	);
	return CUES.filter(({ words }) => words.test(text))
		.filter(({ kind }) => !isActing(brand, kind, text))
		.slice(0, CUES_PER_MENTION)
		.map((cue) => {
			const affected = others.filter((other) => !isActing(other, cue.kind, text));
			const about = [brand, ...affected.slice(0, OTHERS_PER_MENTION)];
			return { mention, cue, pairs: about.map((one) => ({ text: claimOf(one, cue), passage })) };
		});
}

function claimOf({ name }: Brand, { risk }: RiskCue): string {
	return `${shortNamesOf(name)[0] ?? name} is affected by ${risk}.`;
}

/** What someone does who sues or reports a flaw: the danger is another's. */
const ACTS: Readonly<Partial<Record<RiskKind, string>>> = {
	legal: "sued|sues|accused|fined|won|beat|filed suit",
	security: "reported|found|discovered|disclosed|detected|fixed|patched",
};

function isActing({ name }: Brand, kind: RiskKind, text: string): boolean {
	const verbs = ACTS[kind];
	if (verbs === undefined) return false;
	const names = [name, ...shortNamesOf(name)].map((one) =>
		one.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"),
	);
	return new RegExp(`(?:${names.join("|")})\\s+(?:has |have |had )?(?:${verbs})\\b`, "iu").test(
		text,
	);
}

function toRisks(
	found: readonly (RiskQuestion & { readonly supports: number })[],
): readonly BrandRisk[] {
	const byClaim = new Map<string, (typeof found)[number][]>();
	const seen = new Set<string>();
	for (const one of [...found].sort((a, b) => b.supports - a.supports)) {
		const { evidenceId, text } = one.mention.sentence;
		const key = one.cue.risk;
		// One sentence is one risk: the one that it says most surely.
		if (seen.has(evidenceId) || seen.has(text)) continue;
		seen.add(evidenceId).add(text);
		byClaim.set(key, [...(byClaim.get(key) ?? []), one]);
	}
	const risks = [...byClaim.values()].flatMap((own): readonly BrandRisk[] => {
		const [first, ...others] = own;
		if (!first) return [];
		const [pair] = first.pairs;
		const sources = own.flatMap(({ mention }) => mention.sources);
		return [
			{
				kind: first.cue.kind,
				claim: pair?.text ?? "",
				supports: first.supports,
				mentions: [first.mention, ...others.map(({ mention }) => mention)],
				sourcesIndependent: groupSources(sources).length,
			},
		];
	});
	return risks
		.sort(
			(a, b) =>
				b.sourcesIndependent - a.sourcesIndependent ||
				b.mentions.length - a.mentions.length ||
				b.supports - a.supports,
		)
		.slice(0, BRAND_LIMITS.risksMax);
}
