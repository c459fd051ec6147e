import { compareText } from "./bundle-document.js";
import { BUNDLE_LIMITS } from "./bundle-limits.js";
import type { ConceptFile } from "./concept-reader.js";
import { parseMarkdown } from "./front-matter.js";
import type { BundleFrame, Concept, GraphRecord } from "./graph.js";
import { firstHeading } from "./markdown-prose.js";
import { readRecord } from "./record-reader.js";
import { cleanText } from "./served-text.js";

const EPOCH = "1970-01-01";

/** What a bundle says of itself beside its concepts, from its three files at the root. */
export function readFrame(files: {
	readonly record: ConceptFile | undefined;
	readonly index: Uint8Array | undefined;
	readonly log: Uint8Array | undefined;
	readonly fallbackId: string | undefined;
}): BundleFrame {
	return {
		record: files.record && { data: files.record.data, body: files.record.body },
		listedTitle: listedTitleOf(files.index),
		loggedDay: loggedDayOf(files.log),
		fallbackId: files.fallbackId ?? "graph",
	};
}

/** The record as written, or what frame and concepts let one guess. Throws INVALID_ARGUMENT when no valid id names the graph. */
export function recordOf(frame: BundleFrame, concepts: readonly Concept[]): GraphRecord {
	return readRecord(frame.record ?? { data: {}, body: "" }, {
		id: frame.fallbackId,
		title: frame.listedTitle,
		updated: newestDay(concepts, frame.loggedDay ?? EPOCH),
	});
}

export function listedTitleOf(index: Uint8Array | undefined): string | undefined {
	return firstHeading(proseOf(index));
}

export function loggedDayOf(log: Uint8Array | undefined): string | undefined {
	return /^##[ \t]+(\d{4}-\d{2}-\d{2})/m.exec(proseOf(log))?.[1];
}

/** A listing of many concepts is longer than what is read of a file. */
function proseOf(bytes: Uint8Array | undefined): string {
	if (!bytes) return "";
	const read = bytes.subarray(0, BUNDLE_LIMITS.fileBytes + 1);
	return cleanText(parseMarkdown(new TextDecoder().decode(read)).body);
}

function newestDay(concepts: readonly Concept[], start: string): string {
	let newest = start;
	for (const { generatedAt } of concepts) {
		if (generatedAt !== undefined && compareText(generatedAt, newest) > 0) newest = generatedAt;
	}
	return newest;
}
