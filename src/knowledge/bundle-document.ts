import { READING_LIMITS } from "../contract/contract.js";
import { BUNDLE_LIMITS } from "./bundle-limits.js";
import type { ConceptFile } from "./concept-reader.js";
import type { Finding, FindingRule } from "./finding.js";
import { parseMarkdown, textOf } from "./front-matter.js";
import { toGraphType } from "./record-reader.js";
import { cleanText } from "./served-text.js";

/** Where a bundle says what it is. */
export const RECORD_PATH = "graph.md";

/** Listings and logs are no concepts, at any level. */
export function isReserved(path: string): boolean {
	return /(?:^|\/)(?:index|log)\.md$/.test(path);
}

/** True for a relative path without dot segments, separators of other systems and characters no id may have. */
export function isConfined(path: string): boolean {
	return (
		!/[\\:?#%\p{Cc}]/u.test(path) &&
		path.split("/").every((segment) => segment !== "" && segment !== "." && segment !== "..")
	);
}

/** True unless `graph.md` is an ordinary concept of somebody else's bundle. */
export function isRecord({ path, type }: ConceptFile): boolean {
	return path === RECORD_PATH && toGraphType(type) !== undefined;
}

/** A file that can be a concept or the record, or what keeps it from being one; undefined for all other files. */
export function readDocument(path: string, bytes: Uint8Array): ConceptFile | Finding | undefined {
	if (!/\.md$/i.test(path) || isReserved(path)) return undefined;
	const refuse = (rule: FindingRule, message: string): Finding => ({
		file: path,
		rule,
		severity: "error",
		message,
	});
	if (!isConfined(path)) {
		return refuse("bad-path", "The path leaves the bundle or holds characters no id may have.");
	}
	if (path.length > READING_LIMITS.nodeIdChars) {
		return refuse("bad-path", `The path has more than ${READING_LIMITS.nodeIdChars} characters.`);
	}
	if (bytes.length > BUNDLE_LIMITS.fileBytes) {
		return refuse("too-large", `The file has more than ${BUNDLE_LIMITS.fileBytes} bytes.`);
	}
	const { data, body, problem } = parseMarkdown(new TextDecoder().decode(bytes));
	const type = textOf(data["type"]);
	if (problem) return refuse("bad-front-matter", problem);
	if (!type) return refuse("no-type", "The front matter has no type, which every concept needs.");
	return { path, type, data, body: cleanText(body).trim() };
}

/** By code unit: the same order on every machine. */
export function compareText(a: string, b: string): number {
	if (a === b) return 0;
	return a < b ? -1 : 1;
}
