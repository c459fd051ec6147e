import { contentWords } from "../../src/evidence/evidence.js";
import { ServiceError } from "../../src/kernel/kernel.js";
import { type Embedder, type JudgedSearch, readPairs } from "../../src/search/search.js";
import { FEED_LIMITS } from "./feed-limits.js";
import { type FeedRegistry, type FeedSpec, type Frequency, isSeries } from "./feed-registry.js";
import { type AskedYears, FREQUENCIES } from "./feed-wire.js";
import { createPlaceReader, type ReadPlaces } from "./places.js";
import { suggestionTerms, withoutNow } from "./suggest-feeds.js";

/** Feeds that measure what a topic asks for, best first, and the years that it names. */
export interface AskedFeeds {
	readonly feeds: readonly FeedSpec[];
	readonly years: AskedYears | undefined;
}

type Models = Pick<JudgedSearch, "embedder" | "judge">;

/** What the judge must read in what a feed is, as a probability that it answers the topic. */
const READING_LEAST = 0.6;
/** How near a feed must be to the topic, in cosine, and how much less near than the nearest one. */
const NEAR_LEAST = 0.5;
const BEHIND_MOST = 0.06;
/** A word that a feed does not have may say the same in another way: "jobless", for unemployment. */
const WORD_NEAR_LEAST = 0.32;

/**
 * Chooses feeds whose series are of what a topic asks for: the same place, unit, frequency and attribute. A word of the topic that a
 * feed neither has nor, by the encoder, comes near is a reason against it; the judge reads what is left. Without models words decide.
 */
export function createAskedFeeds(registry: FeedRegistry) {
	const readPlaces = createPlaceReader();
	const feeds = [...registry.values()]
		.filter((feed) => !feed.isSearch)
		.map((feed): KnownFeed => {
			const titled = readPlaces(feed.title).places;
			const { places } = titled.size > 0 ? { places: titled } : readPlaces(feed.topics.join(" ; "));
			return { feed, places, terms: suggestionTerms(feed) };
		});
	const vectors = new WeakMap<object, Promise<ReadonlyMap<KnownFeed, Float32Array>>>();
	const vectorsOf: VectorsOf = (embedder) => {
		const known = vectors.get(embedder) ?? embedFeeds(embedder, feeds);
		vectors.set(embedder, known);
		// One that failed is asked anew.
		known.catch(() => vectors.delete(embedder));
		return known;
	};
	return async (topic: string, models: Models, signal: AbortSignal): Promise<AskedFeeds> => {
		const asked = readTopic(topic, readPlaces);
		const fitting = feeds.flatMap((known) => fitOf(asked, known) ?? []);
		const near =
			models.embedder && (await chooseNear(models.embedder, vectorsOf, { asked, fitting }));
		const chosen = near
			? await readFitting(models.judge, { text: asked.text, chosen: near, signal })
			: chooseByWords(asked, fitting);
		const most = chosen.slice(0, FEED_LIMITS.topicFeedsMax);
		return { feeds: most.map(({ known }) => known.feed), years: asked.years };
	};
}

type VectorsOf = (
	embedder: Pick<Embedder, "embed">,
) => Promise<ReadonlyMap<KnownFeed, Float32Array>>;

interface KnownFeed {
	readonly feed: FeedSpec;
	/** Region codes: of its title; where that names none, of its topics. */
	readonly places: ReadonlySet<string>;
	readonly terms: ReadonlySet<string>;
}

async function embedFeeds(embedder: Pick<Embedder, "embed">, feeds: readonly KnownFeed[]) {
	const vectors = await embedder.embed(feeds.map(describe), "passage");
	return new Map(feeds.map((known, at) => [known, vectors[at] ?? new Float32Array()]));
}

/** A feed of the place, frequency and currency that are asked for. */
interface FittingFeed {
	readonly known: KnownFeed;
	/** Words of the topic that it does not have. */
	readonly foreign: readonly string[];
}

interface AskedTopic {
	readonly text: string;
	/** Region codes. */
	readonly places: ReadonlySet<string>;
	readonly frequency: Frequency | undefined;
	readonly years: AskedYears | undefined;
	/** Content words beside these, each in its forms. */
	readonly words: readonly (readonly string[])[];
}

const YEAR = /\b(?:19|20)\d{2}\b/g;
const SINCE = /\b(?:since|from|after) (?:19|20)\d{2}\b/i;
const FREQUENCY = new RegExp(`\\b(?:${FREQUENCIES.join("|")}|yearly)\\b`, "i");

function readTopic(text: string, readPlaces: (text: string) => ReadPlaces): AskedTopic {
	const found = (text.match(YEAR) ?? []).map(Number);
	const [from, to] = [Math.min(...found), Math.max(...found)];
	const isOpen = found.length === 1 && SINCE.test(text);
	const frequency = FREQUENCY.exec(text)?.[0].toLowerCase();
	const plain = withoutNow(spellCurrencies(text)).replace(/\s+/g, " ").trim();
	const { places, rest } = readPlaces(plain.replace(FREQUENCY, " "));
	return {
		text: plain,
		places,
		years: found.length === 0 ? undefined : { from, to: isOpen ? Number.POSITIVE_INFINITY : to },
		frequency: frequency === "yearly" ? "annual" : (frequency as Frequency | undefined),
		words: contentWords(rest),
	};
}

/** What currencies are called, their countries left out: "dollar". */
const CURRENCY_NAMES: ReadonlyMap<string, string> = readCurrencies();
/** But for codes that are words in capitals: "ALL". */
const CURRENCY_CODE = /\b(?!ALL|TRY|TOP|COP|PEN|MAD|CUP|GEL|MOP\b)[A-Z]{3}\b/g;
/** Names of currencies that are common words first: "real wages", "gold price". */
const COMMON_NAMES: ReadonlySet<string> = new Set(
	"real mark gold silver platinum palladium right rights unit units won sol".split(" "),
);

function readCurrencies() {
	const names = new Intl.DisplayNames("en", { type: "currency" });
	const lastWord = (name: string) => name.toLowerCase().split(" ").at(-1) ?? name;
	const codes = Intl.supportedValuesOf("currency");
	return new Map(codes.map((code) => [code, lastWord(names.of(code) ?? code)]));
}

function spellCurrencies(text: string): string {
	const spelt = (code: string) => CURRENCY_NAMES.get(code) ?? code;
	return text.replaceAll("/", " ").replace(CURRENCY_CODE, spelt);
}

/** Undefined for a feed of another place, frequency or currency; a topic without a place is answered for any. */
function fitOf(
	{ places, frequency, words }: AskedTopic,
	known: KnownFeed,
): FittingFeed | undefined {
	const { feed, terms } = known;
	// "Annual inflation" is published each month.
	const isOfTime =
		frequency === undefined ||
		frequency === "annual" ||
		(isSeries(feed) && feed.frequency === frequency);
	if (!isOfTime || ![...places].every((code) => isOfPlace(known, code))) return undefined;
	const lacking = words.filter((forms) => !forms.some((form) => terms.has(form)));
	// A figure in one currency says nothing in another.
	const isOtherMoney = lacking.some((forms) => forms.some((form) => CURRENCIES.has(form)));
	return isOtherMoney ? undefined : { known, foreign: lacking.map(([word = ""]) => word) };
}

const CURRENCIES = new Set(
	[...CURRENCY_NAMES.values()]
		.filter((name) => !COMMON_NAMES.has(name))
		.flatMap((name) => contentWords(name).flat()),
);

const WORLD = "001";

/** What names no place is the world's. */
function isOfPlace({ places }: KnownFeed, code: string): boolean {
	return places.has(code) || (code === WORLD && places.size === 0);
}

/** Feeds that have all words of a topic, and one of them among what they are about. */
function chooseByWords(
	{ words }: AskedTopic,
	fitting: readonly FittingFeed[],
): readonly FittingFeed[] {
	return fitting.filter(({ known, foreign }) => {
		const about = new Set(known.feed.topics.flatMap((topic) => contentWords(topic).flat()));
		return foreign.length === 0 && words.some((forms) => forms.some((form) => about.has(form)));
	});
}

/** The feeds nearest to a topic, whose words they all have or come near; undefined where the encoder fails. */
async function chooseNear(
	embedder: Pick<Embedder, "embed">,
	vectorsOf: VectorsOf,
	{ asked, fitting }: { readonly asked: AskedTopic; readonly fitting: readonly FittingFeed[] },
): Promise<readonly FittingFeed[] | undefined> {
	const words = [...new Set(fitting.flatMap(({ foreign }) => foreign))];
	try {
		const [vectors, [topic, ...wordVectors]] = await Promise.all([
			vectorsOf(embedder),
			embedder.embed([asked.text, ...words], "query"),
		]);
		const nearness = ({ known }: FittingFeed) => cosineOf(topic, vectors.get(known));
		const isNear = ({ known, foreign }: FittingFeed) =>
			foreign.every((word) => {
				const vector = wordVectors[words.indexOf(word)];
				return cosineOf(vector, vectors.get(known)) >= WORD_NEAR_LEAST;
			});
		const near = fitting.filter(isNear).sort((a, b) => nearness(b) - nearness(a));
		const least = Math.max(NEAR_LEAST, (near[0] ? nearness(near[0]) : 1) - BEHIND_MOST);
		return near.filter((one) => nearness(one) >= least);
	} catch (error) {
		// What it failed with is in the status, for the operator.
		if (error instanceof ServiceError) return undefined;
		throw error;
	}
}

function cosineOf(one: Float32Array | undefined, other: Float32Array | undefined): number {
	if (!one || !other) return 0;
	return one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
}

/** Those that the judge reads to answer the topic; where it is not there, those that have all its words. */
async function readFitting(
	judge: Models["judge"],
	{
		text,
		chosen,
		signal,
	}: {
		readonly text: string;
		readonly chosen: readonly FittingFeed[];
		readonly signal: AbortSignal;
	},
): Promise<readonly FittingFeed[]> {
	const pairs = chosen.map(({ known }) => ({ text, passage: describe(known) }));
	const { readings } = await readPairs(judge, pairs, signal);
	return chosen.filter(({ foreign }, at) =>
		readings ? (readings[at]?.answers ?? 0) >= READING_LEAST : foreign.length === 0,
	);
}

/** What a feed is, as models read it. */
function describe({ feed }: Pick<KnownFeed, "feed">): string {
	const measured = isSeries(feed) ? `, in ${feed.unit}, ${feed.frequency}` : "";
	return `${feed.title}${measured}. ${feed.topics.join(", ")}.`;
}
