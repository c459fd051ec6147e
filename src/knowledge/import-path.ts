import { isReserved } from "./bundle-reader.js";

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
	return text
		.normalize("NFKD")
		.replace(/\p{M}/gu, "")
		.normalize("NFC")
		.toLowerCase()
		.replace(/[^\p{L}\p{N}.]+/gu, "-")
		.replace(/^[-.]+|[-.]+$/g, "");
}
