import { BUNDLE_LIMITS } from "./bundle-limits.js";
import type { BundleFiles } from "./bundle-reader.js";
import type { SkippedFile } from "./import-options.js";
import { isMarkdownPath } from "./import-path.js";
import type { Steps } from "./work-in-turns.js";

/** Lets Markdown of sensible name and size through. */
export function* screenFiles(
	source: BundleFiles,
): Steps<{ files: BundleFiles; skipped: readonly SkippedFile[] }> {
	const files = new Map<string, Uint8Array>();
	const skipped: SkippedFile[] = [];
	for (const [path, bytes] of [...source].sort(([a], [b]) => (a < b ? -1 : 1))) {
		const reason = reasonToPassOver(path, bytes.length) ?? reasonToSkip(bytes);
		if (reason === undefined) files.set(path, bytes);
		else skipped.push({ file: path, reason });
		yield;
	}
	return { files, skipped };
}

/** Why a file is not even read: one whole sentence; undefined when it is. */
export function reasonToPassOver(path: string, sizeBytes: number): string | undefined {
	if (!isMarkdownPath(path)) return "The file is not Markdown.";
	const names = path.split("/");
	if (names.includes("..") || path.startsWith("/")) return "The path leaves the source.";
	if (names.length > BUNDLE_LIMITS.depth + 1) {
		return `The file lies more than ${BUNDLE_LIMITS.depth} folders deep.`;
	}
	if (names.some((name) => name.length > BUNDLE_LIMITS.nameChars)) {
		return `A name in the path has more than ${BUNDLE_LIMITS.nameChars} characters.`;
	}
	if (sizeBytes > BUNDLE_LIMITS.fileBytes) {
		return `The file has more than ${BUNDLE_LIMITS.fileBytes} bytes.`;
	}
	return undefined;
}

/** Why what is in a file cannot become a concept: one whole sentence; undefined when it may. */
export function reasonToSkip(bytes: Uint8Array): string | undefined {
	if (bytes.includes(0)) return "The file is not text.";
	return new TextDecoder().decode(bytes).trim() === "" ? "The file is empty." : undefined;
}
