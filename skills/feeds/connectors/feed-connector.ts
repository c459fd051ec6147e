import { type FeedReading, lie, type RawItem, toItems } from "../feed-reading.js";

/** Reads RSS, RDF and Atom. Documents that define entities of their own are refused: they grow when they are read. */
export async function readNews(body: string, nowMs: number): Promise<FeedReading> {
	if (/<!ENTITY/i.test(body)) throw lie("It defines entities of its own, which are not read.");
	const { parseFeed } = await import("feedsmith");
	let parsed: ReturnType<typeof parseFeed>;
	try {
		parsed = parseFeed(body);
	} catch {
		throw lie("It did not answer with RSS or Atom.");
	}
	return toItems(rawItems(parsed), nowMs);
}

type Parsed = ReturnType<typeof import("feedsmith").parseFeed>;

function rawItems(parsed: Parsed): readonly RawItem[] {
	switch (parsed.format) {
		case "atom":
			return (parsed.feed.entries ?? []).map((entry) => ({
				title: entry.title?.value,
				url: (entry.links?.find(({ rel = "alternate" }) => rel === "alternate") ?? entry.links?.[0])
					?.href,
				date: entry.published ?? entry.updated,
				summary: entry.summary?.value ?? entry.content?.value,
			}));
		case "rss":
			return (parsed.feed.items ?? []).map((item) => ({
				title: item.title,
				url: item.link ?? item.guid?.value,
				date: item.pubDate ?? item.dc?.dates?.[0],
				summary: item.description,
			}));
		case "rdf":
			return (parsed.feed.items ?? []).map((item) => ({
				title: item.title,
				url: item.link,
				date: item.dc?.dates?.[0],
				summary: item.description,
			}));
		default:
			throw lie("It did not answer with RSS or Atom.");
	}
}
