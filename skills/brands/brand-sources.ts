import { daysOf, toArticleAddress } from "../../src/evidence/evidence.js";
import { findPublisher } from "../verify/verify.js";
import { countTones, type ToneCount } from "./brand-tone.js";
import { articlesOf, type DatedMention, textsRead } from "./brand-window.js";

/** One publisher's pages, as far as they carry what is said of a brand. */
export interface BrandPublisher {
	readonly publisher: string;
	readonly hosts: string[];
	readonly articles: number;
	readonly first_seen: string | null;
	readonly last_seen: string | null;
	readonly graphs: string[];
	/** Newest first. */
	readonly mentions: readonly DatedMention[];
	readonly sentiment: ToneCount;
}

/** Who carries most first; a mention with sources of several publishers counts for each. */
export function groupByPublisher(mentions: readonly DatedMention[]): readonly BrandPublisher[] {
	const byPublisher = new Map<string, DatedMention[]>();
	for (const mention of mentions) {
		const publishers = new Set(mention.sources.map((source) => findPublisher(source).owner));
		for (const publisher of publishers) {
			byPublisher.set(publisher, [...(byPublisher.get(publisher) ?? []), mention]);
		}
	}
	return [...byPublisher]
		.map(([publisher, own]) => toPublisher(publisher, own))
		.sort((a, b) => b.mentions.length - a.mentions.length || (a.publisher < b.publisher ? -1 : 1));
}

function toPublisher(publisher: string, mentions: readonly DatedMention[]): BrandPublisher {
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
