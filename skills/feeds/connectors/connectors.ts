import { type FeedReading, lie } from "../feed-reading.js";
import type { FeedSpec } from "../feed-spec.js";
import { readCsv } from "./csv-connector.js";
import { readDocs } from "./docs-connector.js";
import { readNews } from "./feed-connector.js";
import { readJson } from "./json-connector.js";
import { readJsonStat } from "./json-stat-connector.js";

const MARKUP = /^[\s\ufeff]*</;
const PAGE = /^[\s\ufeff]*<(?:!doctype\s+html|html|head|body)[\s>]/i;

/** What a reply says, read as its registry entry describes. Throws a lie (UPSTREAM) with the reason. */
export async function readReply(feed: FeedSpec, body: string, nowMs: number): Promise<FeedReading> {
	if (PAGE.test(body) || (feed.connector !== "feed" && MARKUP.test(body))) {
		throw lie(`It answered with a page, not with ${NAMES[feed.connector]}.`);
	}
	switch (feed.connector) {
		case "csv":
			return readCsv(feed, body, nowMs);
		case "json":
			return readJson(feed, body, nowMs);
		case "json-stat":
			return readJsonStat(feed, body, nowMs);
		case "feed":
			return readNews(body, nowMs);
		case "docs":
			return readDocs(feed, body, nowMs);
	}
}

const NAMES = {
	csv: "CSV",
	json: "JSON",
	"json-stat": "JSON-stat",
	feed: "RSS or Atom",
	docs: "JSON",
} as const;
