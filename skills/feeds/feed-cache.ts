import { createHash } from "node:crypto";
import { z } from "zod";
import type { IndexDisk } from "../../src/search/search.js";
import type { FeedReading } from "./feed-reading.js";

/** The last good value of a feed, and what its server wants to hear when it is asked again. */
export interface KeptReading {
	readonly reading: FeedReading;
	/** When the source last said so, in milliseconds since the epoch. */
	readonly retrievedAt: number;
	readonly etag?: string | undefined;
	readonly lastModified?: string | undefined;
	/** Told by a source, or part of the software. */
	readonly origin: "source" | "bundle";
}

/** Last good values, one file for each feed. */
export interface FeedCache {
	/** Undefined when there is none, or the file is not whole. */
	read(feedId: string): Promise<KeptReading | undefined>;
	/** The file holds the new value or the old one, whenever the power fails. */
	write(feedId: string, kept: KeptReading): Promise<void>;
}

const fileSchema = z.object({
	reading: z.discriminatedUnion("kind", [
		z.object({
			kind: z.literal("series"),
			observations: z.array(z.tuple([z.string(), z.string()])).min(1),
		}),
		z.object({
			kind: z.literal("items"),
			items: z.array(
				z.object({
					title: z.string(),
					url: z.string(),
					publishedAt: z.string().nullable(),
					summary: z.string().nullable(),
				}),
			),
		}),
	]),
	retrievedAt: z.number(),
	etag: z.string().optional(),
	lastModified: z.string().optional(),
	origin: z.literal("source"),
});

/** Keeps them in a folder; the disk may fail, which loses values and nothing else. */
export function createFeedCache(disk: () => Promise<IndexDisk>): FeedCache {
	let opened: Promise<IndexDisk> | undefined;
	const open = () => {
		opened ??= disk();
		return opened;
	};
	return {
		async read(feedId) {
			const bytes = await (await open()).read(fileOf(feedId));
			return bytes && decode(Buffer.from(bytes).toString("utf8"));
		},
		async write(feedId, kept) {
			const folder = await open();
			const name = fileOf(feedId);
			await folder.write(`${name}.new`, once(Buffer.from(encode(kept), "utf8")));
			await folder.rename(`${name}.new`, name);
		},
	};
}

/** Ids hold nothing else that a file name could not. */
function fileOf(feedId: string): string {
	return `${feedId.replace(":", "+")}.json`;
}

/** The first line tells whether the second is whole. */
function encode(kept: KeptReading): string {
	const text = JSON.stringify(kept);
	return `${digestOf(text)}\n${text}\n`;
}

function decode(file: string): KeptReading | undefined {
	const [digest, text = ""] = file.split("\n");
	if (digest !== digestOf(text)) return undefined;
	const parsed = fileSchema.safeParse(JSON.parse(text));
	return parsed.success ? parsed.data : undefined;
}

function digestOf(text: string): string {
	return createHash("sha256").update(text).digest("hex");
}

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
	yield bytes;
}
