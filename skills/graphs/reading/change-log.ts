import { cleanText, toPlainText, truncateText } from "../../../src/knowledge/knowledge.js";

/** What a bundle's `log.md` tells of one day. */
export interface LogEntry {
	/** `YYYY-MM-DD`. */
	readonly day: string;
	readonly lines: readonly string[];
}

const ENTRIES_MAX = 50;
const LINES_MAX = 20;
const LINE_CHARS = 500;
const LOG_CHARS = 256 * 1024;

/** The newest entries of a log, in the order of the file: a heading per day, a line per change. Other text is passed over. */
export function readChangeLog(markdown: string): readonly LogEntry[] {
	const entries: { day: string; lines: string[] }[] = [];
	for (const line of cleanText(markdown.slice(0, LOG_CHARS)).split("\n")) {
		const day = /^#{1,6}[ \t]+\[?(\d{4}-\d{2}-\d{2})\b/.exec(line)?.[1];
		if (day !== undefined) {
			if (entries.length === ENTRIES_MAX) break;
			entries.push({ day, lines: [] });
			continue;
		}
		const item = /^[ \t]{0,3}[-*+][ \t]+(\S.*)$/.exec(line.slice(0, 2 * LINE_CHARS))?.[1];
		const lines = entries.at(-1)?.lines;
		if (item !== undefined && lines && lines.length < LINES_MAX) {
			lines.push(truncateText(toPlainText(item), LINE_CHARS));
		}
	}
	return entries;
}
