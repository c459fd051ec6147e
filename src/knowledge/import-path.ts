import { isReserved } from "./bundle-document.js";
import { BUNDLE_LIMITS } from "./bundle-limits.js";

/** File name without folder and `.md`. */
export function stemOf(path: string): string {
	return pathWithoutExtension(path).split("/").at(-1) ?? path;
}

export function pathWithoutExtension(path: string): string {
	return path.replace(/\.(?:md|markdown)$/i, "");
}

/** Markdown by its name; everything else in a folder of notes is passed over with a reason. */
export function isMarkdownPath(path: string): boolean {
	return /\.(?:md|markdown)$/i.test(path);
}

/**
 * The path a document gets in a bundle: letters, digits, dots and hyphens, lower case, and no name that the format
 * reserves (`index.md` of a site becomes `overview.md`). Empty when nothing usable is left of a name.
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

/** A heading or file name as one segment of a path. */
function toSlug(text: string): string {
	const slug = text
		.normalize("NFKD")
		.replace(/\p{M}/gu, "")
		.normalize("NFC")
		.toLowerCase()
		.replace(/[^\p{L}\p{N}.]+/gu, "-")
		.replace(/^[-.]+|[-.]+$/g, "");
	return cutToBytes(slug, BUNDLE_LIMITS.nameBytes).replace(/[-.]+$/, "");
}

/** As many whole characters as fit. */
function cutToBytes(text: string, maxBytes: number): string {
	const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes));
	return text.slice(0, read);
}

/** True when every name of a path can be written on any file system. */
export function fitsNames(path: string): boolean {
	return path.split("/").every((name) => Buffer.byteLength(name) <= BUNDLE_LIMITS.nameBytes);
}

/** Files that every bundle has at its root, whoever wrote it. */
export const FRAME_PATHS: ReadonlySet<string> = new Set(["index.md", "log.md", "graph.md"]);

/**
 * Takes paths for one bundle, first come first served. Each call returns why the path cannot be had beside those taken
 * before, one whole sentence, or undefined: no name can be a file and a folder at once.
 */
export function createPathClaims(): (path: string) => string | undefined {
	const files = new Set(FRAME_PATHS);
	const holderOfFolder = new Map<string, string>();
	return (path) => {
		const names = path.split("/");
		const folders = names.slice(1).map((_, index) => names.slice(0, index + 1).join("/"));
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
