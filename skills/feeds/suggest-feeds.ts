import { contentWords } from "../../src/evidence/evidence.js";
import type { FeedRegistry, FeedSpec } from "./feed-registry.js";

export interface FeedSuggestion {
	readonly feed: FeedSpec;
	/** Share of the question's words that it has, weighed by how rare they are and where they stand; 0..1. */
	readonly score: number;
	/** Words of the question that it has, as they were asked. */
	readonly matched: readonly string[];
	readonly reason: string;
}

/** Feeds that tell of a topic, best first. */
export type SuggestFeeds = (topic: string, limit: number) => readonly FeedSuggestion[];

const PLACES = ["topics", "title", "provider", "unit"] as const;
type Place = (typeof PLACES)[number];
const WEIGHTS: Readonly<Record<Place, number>> = {
	topics: 1,
	title: 0.9,
	provider: 0.6,
	unit: 0.4,
};

interface IndexedFeed {
	readonly feed: FeedSpec;
	/** Where each term stands that counts most. */
	readonly terms: ReadonlyMap<string, Place>;
}

/**
 * Ranks by the words a topic shares with what the registry says of a feed, rare ones first: in a registry where most feeds
 * tell of prices, "oil" says more than "price".
 */
export function createSuggestFeeds(registry: FeedRegistry): SuggestFeeds {
	const feeds = [...registry.values()].map(toIndexed);
	const counts = new Map<string, number>();
	for (const { terms } of feeds) {
		for (const term of terms.keys()) counts.set(term, (counts.get(term) ?? 0) + 1);
	}
	const rarity = (term: string) => Math.log(1 + feeds.length / (1 + (counts.get(term) ?? 0)));
	return (topic, limit) => {
		const words = contentWords(spellOut(topic)).map((terms) => ({
			terms,
			weight: Math.max(...terms.map(rarity)),
		}));
		const total = words.reduce((sum, { weight }) => sum + weight, 0);
		return feeds
			.flatMap((indexed) => toSuggestion(indexed, words, total) ?? [])
			.sort((a, b) => b.score - a.score || (a.feed.id < b.feed.id ? -1 : 1))
			.slice(0, limit);
	};
}

function toIndexed(feed: FeedSpec): IndexedFeed {
	const texts: Readonly<Record<Place, string>> = {
		topics: feed.topics.join(" "),
		title: feed.title,
		provider: feed.provider,
		unit: "unit" in feed ? feed.unit : "",
	};
	const terms = new Map<string, Place>();
	for (const place of PLACES) {
		for (const term of contentWords(texts[place]).flat()) {
			if (!terms.has(term)) terms.set(term, place);
		}
	}
	return { feed, terms };
}

const SHORT = /\b(?:USA?|UK|EU|EUR|USD|GBP|JPY|CNY|CHF|CAD|AUD|INR|BRL)\b|\bU\.S\.(?=\s|$)/g;
const SPELT: Readonly<Record<string, string>> = {
	US: "united states",
	USA: "united states",
	"U.S.": "united states",
	UK: "united kingdom",
	EU: "european union",
	EUR: "euro",
	USD: "dollar",
	GBP: "pound sterling",
	JPY: "yen",
	CNY: "yuan",
	CHF: "franc",
	CAD: "canada dollar",
	AUD: "australia dollar",
	INR: "rupee",
	BRL: "brazil real",
};

/** Places and currencies in the words of the registry; in capitals only, as "us" is a word of its own. */
function spellOut(topic: string): string {
	return topic.replace(SHORT, (short) => ` ${SPELT[short] ?? short} `);
}

interface AskedWord {
	readonly terms: readonly string[];
	readonly weight: number;
}

function toSuggestion(
	{ feed, terms }: IndexedFeed,
	words: readonly AskedWord[],
	total: number,
): FeedSuggestion | undefined {
	const found = words.flatMap(({ terms: forms, weight }) => {
		const form = forms.find((term) => terms.has(term));
		const place = form === undefined ? undefined : terms.get(form);
		return place === undefined ? [] : [{ word: forms[0] ?? "", place, weight }];
	});
	if (found.length === 0) return undefined;
	const score = found.reduce((sum, { place, weight }) => sum + weight * WEIGHTS[place], 0) / total;
	return {
		feed,
		score,
		matched: found.map(({ word }) => word),
		reason: `Its ${[...new Set(found.map(({ place }) => place))].join(" and ")} ${found.length === 1 ? "has" : "have"} ${found.map(({ word }) => `"${word}"`).join(", ")}.`,
	};
}
