import { daysOf, findPublisher, toArticleAddress } from "../../src/evidence/evidence.js";
import { addToList } from "../entities/entities.js";
import type { Brand } from "./brand-grouping.js";
import { BRAND_LIMITS, wordsIn } from "./brand-index.js";
import { articlesOf, type DatedMention, textsRead } from "./brand-reading.js";

/** How the tone is measured, for readers. */
export const TONE_METHOD =
	"rules: words of a fixed list make a sentence positive or negative; a negation up to three words before turns a word around; the greater count decides, equal counts are neutral";

/** A trailing * stands for any ending. */
const POSITIVE = toList(
	`accept* accura* achiev* adopt* advance* advantag* approv* award* benefi* best* clarif* compatib* efficien* enabl*
	endors* faster fastest fix* fixed gain* graduat* growth harden* healthy improv* innovat* interoperab* lead* mitigat*
	outperform* patched popular praise* profit* progress* promis* protect* recommend* record reliab* resilien* robust
	safe safer safety* secure* simplif* smooth* stable stabilit* strong* success* superior support* trust* upgrad* win wins won`,
);
const NEGATIVE = toList(
	`abandon* abus* attack* ban banned breach* break* broke* bug bugs complain* compromis* confus* corrupt* crash* crisis
	critical* danger* decline* defect* delay* deprecat* deni* difficult* disput* drawback* drop* error* escalat* expos*
	exploit* fail* fake fault* fine* flaw* fraud* hack* harm* illegal* inadequa* incident* inconsisten* insecure insufficien*
	lack* lawsuit* leak* loss* lost malicious* malware missing obsolet* outage* overflow* penalt* phish* poor* problem*
	ransom* recall* reject* remov* risk* shortag* slow* spoof* suffer* threat* unsafe unstable unsupported violat* vulnerab*
	warn* weak* withdraw* withdrew worm* worse worst wrong*`,
);
const NEGATIONS: ReadonlySet<string> = new Set(
	"not no never none nor neither without cannot hardly isn doesn don didn wasn aren won".split(" "),
);
const REACH_WORDS = 3;

/** Looks at words alone: whatever a sentence demands, it is counted. */
export function toneOf(text: string): "positive" | "neutral" | "negative" {
	const words = wordsIn(text).map((word) => word.toLowerCase());
	let sum = 0;
	for (const [at, word] of words.entries()) {
		const weight = Number(POSITIVE(word)) - Number(NEGATIVE(word));
		if (weight === 0) continue;
		const before = words.slice(Math.max(0, at - REACH_WORDS), at);
		sum += before.some((other) => NEGATIONS.has(other)) ? -weight : weight;
	}
	return sum > 0 ? "positive" : sum < 0 ? "negative" : "neutral";
}

export type ToneCount = Readonly<ReturnType<typeof countTones>>;

/**
 * Tone of some sentences, in numbers: `net` is (positive − negative) / n, -1..1, 0 where nothing was counted; the interval is
 * that of the positive share among the sentences with a tone.
 */
export function countTones(texts: readonly string[]) {
	const count = { positive: 0, neutral: 0, negative: 0 };
	for (const text of texts) count[toneOf(text)] += 1;
	const { positive, negative } = count;
	const n = texts.length;
	const net = n === 0 ? 0 : round((positive - negative) / n);
	return { net, ...count, n, positive_interval: wilsonInterval(positive, positive + negative) };
}

/** Whether a word is on a list. */
function toList(text: string): (word: string) => boolean {
	const entries = text.split(/\s+/);
	const whole = new Set(entries.filter((entry) => !entry.endsWith("*")));
	const stems = new Set(
		entries.flatMap((entry) => (entry.endsWith("*") ? [entry.slice(0, -1)] : [])),
	);
	return (word) => {
		if (whole.has(word)) return true;
		for (let end = 3; end <= word.length; end++) if (stems.has(word.slice(0, end))) return true;
		return false;
	};
}

/** 97.5 % quantile of the normal distribution: bounds of 95 %. */
const Z = 1.959_963_984_540_054;
const PARTS = 10_000;

/**
 * Wilson's score interval of a share of `count` in `total` at 95 % (Wilson 1927): (p + z²/2n ± z √(p(1−p)/n + z²/4n²)) /
 * (1 + z²/n). It stays within 0..1 and holds for small samples; nothing counted is nothing known, 0..1. Four decimals.
 */
export function wilsonInterval(count: number, total: number) {
	if (total <= 0) return { low: 0, high: 1 };
	const share = Math.min(1, Math.max(0, count / total));
	const square = (Z * Z) / total;
	const middle = share + square / 2;
	const reach = Z * Math.sqrt((share * (1 - share)) / total + square / (4 * total));
	return {
		low: round(Math.max(0, (middle - reach) / (1 + square))),
		high: round(Math.min(1, (middle + reach) / (1 + square))),
	};
}

/**
 * Shares of some counts with four decimals that add up to exactly 1 (largest remainder); zeros where nothing was counted.
 */
export function sharesOf(counts: readonly number[]): readonly number[] {
	const total = counts.reduce((sum, count) => sum + count, 0);
	if (total <= 0) return counts.map(() => 0);
	const exact = counts.map((count) => (count / total) * PARTS);
	const parts = exact.map(Math.floor);
	const left = PARTS - parts.reduce((sum, part) => sum + part, 0);
	const byRemainder = exact
		.map((value, place) => ({ place, remainder: value - Math.floor(value) }))
		.sort((a, b) => b.remainder - a.remainder || a.place - b.place);
	for (const { place } of byRemainder.slice(0, left)) parts[place] = (parts[place] ?? 0) + 1;
	return parts.map((part) => part / PARTS);
}

/** Four decimals. */
export function round(value: number): number {
	return Math.round(value * PARTS) / PARTS;
}

/** How much of what is said of some brands is said of each, a mention of two counting for both; greatest first. */
export function shareVoice(
	readings: readonly { readonly brand: Brand; readonly mentions: readonly DatedMention[] }[],
) {
	const counts = readings.map(({ mentions }) => mentions.length);
	const n = counts.reduce((sum, count) => sum + count, 0);
	const shares = sharesOf(counts);
	return readings
		.map(({ brand, mentions }, place) => ({
			brand: brand.key,
			name: brand.name,
			share: shares[place] ?? 0,
			mentions: mentions.length,
			n,
			interval: wilsonInterval(mentions.length, n),
			is_small_sample: n < BRAND_LIMITS.smallSample,
		}))
		.sort((a, b) => b.mentions - a.mentions);
}

/** Of those that are read, the newest. */
export function toneOfMentions(mentions: readonly DatedMention[]) {
	const count = countTones(textsRead(mentions));
	return { ...count, is_small_sample: count.n < BRAND_LIMITS.smallSample, method: TONE_METHOD };
}

/** Counts alone, for stretches and publishers. */
export function toneCounts({ net, positive, neutral, negative, n }: ToneCount) {
	return { net, positive, neutral, negative, n };
}

/** Who carries most first; a mention with sources of several publishers counts for each. */
export function groupByPublisher(mentions: readonly DatedMention[]) {
	const byPublisher = new Map<string, DatedMention[]>();
	for (const mention of mentions) {
		const publishers = new Set(mention.sources.map((source) => findPublisher(source).owner));
		for (const publisher of publishers) addToList(byPublisher, publisher, mention);
	}
	return [...byPublisher]
		.map(([publisher, own]) => toPublisher(publisher, own))
		.sort((a, b) => b.mentions.length - a.mentions.length || (a.publisher < b.publisher ? -1 : 1));
}

/** One publisher's pages, as far as they carry what is said of a brand; its mentions newest first. */
function toPublisher(publisher: string, mentions: readonly DatedMention[]) {
	const own = mentions.map((mention) => {
		const sources = mention.sources.filter((source) => findPublisher(source).owner === publisher);
		return { ...mention, sources, sentence: { ...mention.sentence, sources } };
	});
	const sources = own.flatMap((mention) => mention.sources);
	const hosts = sources.map(({ sourceUrl }) => toArticleAddress(sourceUrl)?.host ?? "");
	const { oldest, newest } = daysOf(sources.map(({ publishedAt }) => publishedAt));
	return {
		publisher,
		hosts: [...new Set(hosts)].sort(),
		articles: articlesOf(sources),
		first_seen: oldest,
		last_seen: newest,
		graphs: [...new Set(own.map(({ sentence }) => sentence.graph.record.id))].sort(),
		mentions: own,
		sentiment: countTones(textsRead(own)),
	};
}
