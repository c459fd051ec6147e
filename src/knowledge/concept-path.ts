import { READING_LIMITS } from "../contract/contract.js";
import { isConfined, isReserved, RECORD_PATH } from "./bundle-document.js";
import { BUNDLE_LIMITS } from "./bundle-limits.js";
import type { BundleMemory } from "./graph.js";
import { fitsNames } from "./import-path.js";
import { entriesOf, valueAt } from "./path-map.js";

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
	const obstacle = names
		.map((_, index) => names.slice(0, index).join("/"))
		.find((folder) => valueAt(memory.files, folder) !== undefined);
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
