import { contentWords } from "../../src/evidence/evidence.js";
import type { FeedRegistry, FeedSpec } from "./feed-registry.js";

/** Fields in which a word is looked for, and what a match in each is worth, the highest first. */
const WEIGHTS = { topics: 1, title: 0.9, provider: 0.6, unit: 0.4 };
type Field = keyof typeof WEIGHTS;

/**
 * Feeds about a topic, best first, by the words it shares with what the registry says of a feed, rare ones first: in a
 * registry where most feeds are about prices, "oil" says more than "price". The score is the share of the topic's words that
 * a feed has, weighted by how rare they are and by their field, from 0 to 1.
 */
export function createSuggestFeeds(registry: FeedRegistry) {
	const feeds = [...registry.values()].map((feed) => ({ feed, fields: fieldsOf(feed) }));
	const counts = new Map<string, number>();
	for (const { fields } of feeds) {
		for (const term of fields.keys()) counts.set(term, (counts.get(term) ?? 0) + 1);
	}
	const rarity = (term: string) => Math.log(1 + feeds.length / (1 + (counts.get(term) ?? 0)));
	return (topic: string, limit: number) => {
		const words = contentWords(spellOut(withoutNow(topic))).map((forms) => ({
			forms,
			weight: Math.max(...forms.map(rarity)),
		}));
		const total = words.reduce((sum, { weight }) => sum + weight, 0);
		return feeds
			.flatMap(({ feed, fields }) => {
				const found = words.flatMap(({ forms, weight }) => {
					const field = fields.get(forms.find((form) => fields.has(form)) ?? "");
					return field === undefined ? [] : [{ word: forms[0] ?? "", field, weight }];
				});
				if (found.length === 0) return [];
				const sum = found.reduce((at, { field, weight }) => at + weight * WEIGHTS[field], 0);
				const matched = found.map(({ word }) => word);
				return [{ feed, score: sum / total, matched, reason: reasonOf(found) }];
			})
			.sort((a, b) => b.score - a.score || (a.feed.id < b.feed.id ? -1 : 1))
			.slice(0, limit);
	};
}

/** Every feed tells of now and of then: these words are of no feed more than of others. */
const WHEN =
	/\b(?:latest|newest|recent(?:ly)?|lately|currently|now|nowadays|today(?:['’]s)?|so far|(?:19|20)\d{2})\b/gi;

/** A topic without the words that ask for its newest figures, and without its years. */
export function withoutNow(topic: string): string {
	return topic.replace(WHEN, " ");
}

/** Every word that the registry says of a feed, as index terms. */
export function suggestionTerms(feed: FeedSpec): ReadonlySet<string> {
	return new Set(fieldsOf(feed).keys());
}

function reasonOf(found: readonly { readonly word: string; readonly field: Field }[]): string {
	const fields = [...new Set(found.map(({ field }) => field))].join(" and ");
	const words = found.map(({ word }) => `"${word}"`).join(", ");
	return `Its ${fields} ${found.length === 1 ? "has" : "have"} ${words}.`;
}

/** The field that counts most of those in which each term stands. */
function fieldsOf(feed: FeedSpec): ReadonlyMap<string, Field> {
	const texts: readonly (readonly [Field, string])[] = [
		["topics", feed.topics.join(" ")],
		["title", feed.title],
		["provider", feed.provider],
		["unit", "unit" in feed ? feed.unit : ""],
	];
	const fields = new Map<string, Field>();
	for (const [field, text] of texts) {
		for (const term of contentWords(text).flat()) {
			if (!fields.has(term)) fields.set(term, field);
		}
	}
	return fields;
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
