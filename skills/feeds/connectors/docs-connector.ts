import { type FeedReading, toItems } from "../feed-reading.js";
import type { DocsReading, FeedSpec } from "../feed-spec.js";
import { atPath, type ExactJson, listAt, readExactJson } from "./exact-json.js";

type DocsFeed = Extract<FeedSpec, { readonly connector: "docs" }>;

/** Reads titles and links from the JSON of a search or a list of records. */
export function readDocs({ read }: DocsFeed, body: string, nowMs: number): FeedReading {
	const records = listAt(readExactJson(body), read.items);
	return toItems(
		records.map((record) => ({
			title: atPath(record, read.title),
			url: linkOf(record, read),
			date: read.date === undefined ? undefined : atPath(record, read.date),
			summary: read.summary === undefined ? undefined : atPath(record, read.summary),
		})),
		nowMs,
	);
}

function linkOf(record: ExactJson, { link, link_to, fallback_link }: DocsReading): unknown {
	const found = link === undefined ? undefined : atPath(record, link);
	if (found) return found;
	const template = link_to ?? fallback_link;
	return template === undefined ? undefined : fillPath(template, record);
}

/** Fields of a record in an address, each escaped; undefined when one is missing. */
function fillPath(template: string, record: ExactJson): string | undefined {
	let isWhole = true;
	const filled = template.replace(/\{([^{}]+)\}/g, (_, path: string) => {
		const value = atPath(record, path);
		if (typeof value !== "string" || value === "") isWhole = false;
		return encodeURIComponent(String(value));
	});
	return isWhole ? filled : undefined;
}
