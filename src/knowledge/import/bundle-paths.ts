import { READING_LIMITS } from "../../contract/contract.js";
import { reasonAgainstFormat, toUtf8, withoutEnding } from "../../documents/documents.js";
import { foldersAbove, isConfined, isReserved, RECORD_PATH } from "../bundle/bundle-document.js";
import { BUNDLE_LIMITS } from "../bundle/bundle-limits.js";
import type { BundleFiles } from "../bundle/bundle-reader.js";
import type { BundleMemory } from "../model/graph.js";
import { entriesOf, valueAt } from "../model/path-map.js";
import type { Steps } from "../model/work-in-turns.js";
import type { SkippedFile } from "./import-options.js";

export function stemOf(path: string): string {
	return pathWithoutExtension(path).split("/").at(-1) ?? path;
}

export function pathWithoutExtension(path: string): string {
	return withoutEnding(path);
}

/**
 * The path a document gets in a bundle; never a reserved name, empty when nothing usable is left of
 * its own.
 */
export function toBundlePath(sourcePath: string): string {
	const segments = pathWithoutExtension(sourcePath).split("/").map(toSlug);
	if (segments.some((segment) => segment === "")) return "";
	const path = `${segments.join("/")}.md`;
	if (path === "graph.md") return "graph-page.md";
	if (!isReserved(path)) return path;
	return path.endsWith("index.md")
		? path.replace(/index\.md$/, "overview.md")
		: path.replace(/log\.md$/, "log-page.md");
}

/** A name as it is written in a path of a bundle. */
export function toSlug(text: string): string {
	const slug = text
		.normalize("NFKD")
		.replace(/\p{M}/gu, "")
		.normalize("NFC")
		.toLowerCase()
		.replace(/[^\p{L}\p{N}.]+/gu, "-")
		.replace(/^[-.]+|[-.]+$/g, "");
	return cutToBytes(slug, BUNDLE_LIMITS.nameBytes).replace(/[-.]+$/, "");
}

function cutToBytes(text: string, maxBytes: number): string {
	const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes));
	return text.slice(0, read);
}

/** True when every name of a path can be written on any file system. */
export function fitsNames(path: string): boolean {
	return path.split("/").every((name) => Buffer.byteLength(name) <= BUNDLE_LIMITS.nameBytes);
}

/** Files that every bundle has at its root, anyone who wrote it. */
export const FRAME_PATHS: ReadonlySet<string> = new Set(["index.md", "log.md", "graph.md"]);

/** Claims paths for one bundle; returns why a path is refused: no name can be a file and a folder at once. */
export function createPathClaims(): (path: string) => string | undefined {
	const files = new Set(FRAME_PATHS);
	const holderOfFolder = new Map<string, string>();
	return (path) => {
		const folders = foldersAbove(path);
		const file = folders.find((folder) => files.has(folder));
		const obstacle = file ?? holderOfFolder.get(path);
		if (obstacle !== undefined) {
			return `The file cannot stand beside "${obstacle}": one name would be a file and a folder.`;
		}
		files.add(path);
		for (const folder of folders) holderOfFolder.set(folder, path);
		return undefined;
	};
}

/** Why a concept cannot be kept under this path, one whole sentence; undefined when it can. */
export function reasonAgainstPath(
	path: string,
	{ memory }: { readonly memory: BundleMemory },
): string | undefined {
	const names = path.split("/");
	if (!path.endsWith(".md")) return `The path "${path}" does not end in ".md".`;
	if (!isConfined(path)) {
		return `The path "${path}" leaves the bundle or holds characters no concept id may have.`;
	}
	if (path === RECORD_PATH || isReserved(path)) {
		return `The path "${path}" names a record, listing or log; a concept needs another name.`;
	}
	if (names.some((name) => name.startsWith("."))) {
		return `The path "${path}" is hidden; no name in it may begin with a dot.`;
	}
	if (names.length > BUNDLE_LIMITS.depth + 1) {
		return `The path "${path}" lies more than ${BUNDLE_LIMITS.depth} folders deep.`;
	}
	if (path.length > READING_LIMITS.nodeIdChars) {
		return `The path "${path}" has more than ${READING_LIMITS.nodeIdChars} characters.`;
	}
	if (!fitsNames(path)) {
		return `A name in the path "${path}" has more than ${BUNDLE_LIMITS.nameBytes} bytes.`;
	}
	const obstacle = foldersAbove(path).find((folder) => valueAt(memory.files, folder) !== undefined);
	const isKnown = valueAt(memory.files, path) !== undefined;
	if (obstacle !== undefined || (!isKnown && hasFileBelow(memory, path))) {
		return `The path "${path}" would make one name a file and a folder.`;
	}
	return undefined;
}

function hasFileBelow({ files }: BundleMemory, folder: string): boolean {
	for (const [path] of entriesOf(files)) if (path.startsWith(`${folder}/`)) return true;
	return false;
}

/** Lets Markdown of sensible name and size through. */
export function* screenFiles(
	source: BundleFiles,
): Steps<{ files: BundleFiles; skipped: readonly SkippedFile[] }> {
	const files = new Map<string, Uint8Array>();
	const skipped: SkippedFile[] = [];
	for (const [path, bytes] of [...source].sort(([a], [b]) => (a < b ? -1 : 1))) {
		const over = reasonToPassOver(path, bytes.length);
		const text = over === undefined ? toUtf8(bytes) : undefined;
		const reason = over ?? (text ? reasonToSkip(text) : "The file is not text.");
		if (reason === undefined && text) files.set(path, text);
		else skipped.push({ file: path, reason: reason ?? "" });
		yield;
	}
	return { files, skipped };
}

/** Why a file is not even read: one whole sentence; undefined when it is. */
export function reasonToPassOver(path: string, sizeBytes: number): string | undefined {
	const format = reasonAgainstFormat(path);
	if (format !== undefined) return format;
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

export const EMPTY = "The file is empty.";

/** Why what is in a file cannot become a concept: one whole sentence; undefined when it may. */
export function reasonToSkip(bytes: Uint8Array): string | undefined {
	if (bytes.includes(0)) return "The file is not text.";
	return new TextDecoder().decode(bytes).trim() === "" ? EMPTY : undefined;
}
