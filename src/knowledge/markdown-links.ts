import { withoutCode } from "./markdown-prose.js";

/** Where a link of one file leads. */
export type LinkTarget =
	/** Another site, an anchor of the same file, an asset: nothing this bundle must answer for. */
	| { readonly kind: "external" }
	/** A Markdown file of the bundle, by path from the root; it need not exist. */
	| { readonly kind: "internal"; readonly path: string; readonly explicit: boolean }
	/** A path that climbs out of the bundle. */
	| { readonly kind: "outside" };

const INLINE = /\]\([ \t]*(?:<([^<>\n]{1,2000})>|((?:[^()\s<>]|\([^()\s]{0,500}\)){1,2000}))/g;
const DEFINITION = /^ {0,3}\[(?!\^)[^\]\n]{1,300}\]:[ \t]*<?([^\s<>]{1,2000})/gm;

/** Every link destination of a body in reading order, as written; code is not looked into. */
export function findLinkTargets(body: string): readonly string[] {
	const text = withoutCode(body);
	const inline = [...text.matchAll(INLINE)].map((match) => match[1] ?? match[2] ?? "");
	const definitions = [...text.matchAll(DEFINITION)].map((match) => match[1] ?? "");
	return [...inline, ...definitions];
}

/**
 * Resolves a destination against the file it stands in: `/a.md` from the bundle root, others from the file's folder.
 * Anchors and queries are dropped. `explicit` is false when `.md` was left out and had to be added.
 */
export function resolveLink(fromPath: string, target: string): LinkTarget {
	if (/^[a-z][a-z0-9+.-]*:/i.test(target) || target.startsWith("//")) return { kind: "external" };
	const [bare = ""] = target.split(/[?#]/, 1);
	const decoded = decode(bare);
	if (decoded === "" || decoded.endsWith("/") || /[\p{Cc}\\]/u.test(decoded)) {
		return { kind: "external" };
	}
	const path = walkPath(decoded.startsWith("/") ? "" : fromPath, decoded);
	if (path === undefined) return { kind: "outside" };
	if (path === "") return { kind: "external" };
	if (/\.md$/i.test(path)) return { kind: "internal", path, explicit: true };
	return { kind: "internal", path: `${path}.md`, explicit: false };
}

/** Undefined when the steps climb above the root. */
function walkPath(fromPath: string, steps: string): string | undefined {
	const segments = fromPath.split("/").slice(0, -1);
	for (const step of steps.split("/")) {
		if (step === "" || step === ".") continue;
		if (step !== "..") segments.push(step);
		else if (segments.pop() === undefined) return undefined;
	}
	return segments.join("/");
}

function decode(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}
