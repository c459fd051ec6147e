import { join } from "node:path";
import ignore from "ignore";
import { isCompanion, isSection, toUtf8 } from "../../documents/documents.js";
import { invalidArgument } from "../../kernel/kernel.js";
import { listFolderTree, readBounded, unreadable } from "../bundle/bundle-folder.js";
import { BUNDLE_LIMITS } from "../bundle/bundle-limits.js";
import { runInTurns, visitInSteps } from "../model/work-in-turns.js";
import { reasonToPassOver } from "./bundle-paths.js";
import type { SkippedFile } from "./import-options.js";

/** Names what an owner keeps out of every import, in the syntax of `.gitignore`. */
const IGNORE_FILE = ".tollgraphignore";

/** What an import was told to take and to leave, by patterns of `.gitignore`. */
export interface SourceFilter {
	readonly only?: readonly string[] | undefined;
	readonly exclude?: readonly string[] | undefined;
}

type Reason = (path: string) => SkippedFile | undefined;

/** Files of a folder that an import reads, and all others with their reason. */
export async function scanFolder(folder: string, filter: SourceFilter) {
	const { paths, passedOver } = await listFolderTree(folder);
	const skipped: SkippedFile[] = passedOver.flatMap(({ path, reason }) =>
		path.endsWith(IGNORE_FILE) ? [] : [{ file: path, reason }],
	);
	const ignored = await readIgnoreFiles(
		folder,
		passedOver.map(({ path }) => path).filter(isIgnoreFile),
	);
	const reasonOf = createReason(filter, ignored);
	const companions: string[] = [];
	const wanted: string[] = [];
	const choose = visitInSteps(paths, (path) => {
		const reason = reasonOf(path);
		if (!reason) wanted.push(path);
		else if (reason.kind === undefined && isCompanion(path)) companions.push(path);
		else skipped.push(reason);
	});
	await runInTurns(choose);
	// What a section says counts for its folder also when it is left out itself.
	const sections = [...skipped.map(({ file }) => file).filter(isSection), ...companions];
	return { paths: wanted, skipped, sections };
}

export function isIgnoreFile(path: string): boolean {
	return path === IGNORE_FILE || path.endsWith(`/${IGNORE_FILE}`);
}

interface FolderIgnore {
	readonly folder: string;
	readonly ignores: (path: string) => boolean;
}

/** Throws INVALID_ARGUMENT when one cannot be read: what it would keep out must not go on sale. */
async function readIgnoreFiles(
	root: string,
	paths: readonly string[],
): Promise<readonly FolderIgnore[]> {
	const files: FolderIgnore[] = [];
	for (const path of paths) {
		const bytes = await readBounded(join(root, path)).catch((error: unknown) => {
			throw invalidArgument(
				`"${path}" says what is private. ${unreadable(error)} Make it readable, or remove it.`,
			);
		});
		files.push(toIgnore(path, bytes));
	}
	return files;
}

/**
 * The rules of an ignore file, in any encoding that documents may have, for the folder it lies in. Throws INVALID_ARGUMENT for
 * one that is too large, or no text.
 */
export function toIgnore(path: string, bytes: Uint8Array): FolderIgnore {
	const folder = path.slice(0, -IGNORE_FILE.length);
	if (bytes.length > BUNDLE_LIMITS.fileBytes) failTooLarge(path);
	const text = toUtf8(bytes);
	if (!text) {
		throw invalidArgument(
			`"${path}" says what is private and is not text. Save it as UTF-8, or remove it.`,
		);
	}
	const rules = ignore().add(new TextDecoder().decode(text));
	return { folder, ignores: (path) => ignore.isPathValid(path) && rules.ignores(path) };
}

export function failTooLarge(path: string): never {
	throw invalidArgument(
		`"${path}" says what is private and has more than ${BUNDLE_LIMITS.fileBytes} bytes. Shorten its list of patterns.`,
	);
}

/** Says of a file why it is left out; of what no one names, what speaks against its name. */
export function createReason(
	{ only = [], exclude = [] }: SourceFilter,
	ignored: readonly FolderIgnore[],
): Reason {
	const wanted = ignore().add([...only]);
	const unwanted = ignore().add([...exclude]);
	const isIn = (rules: typeof wanted, path: string) =>
		ignore.isPathValid(path) && rules.ignores(path);
	return (file) => {
		const by = ignored.find(
			({ folder, ignores }) => file.startsWith(folder) && ignores(file.slice(folder.length)),
		);
		const left = (reason: string): SkippedFile => ({ file, reason, kind: "ignored" });
		if (by) return left(`"${by.folder}${IGNORE_FILE}" names it.`);
		if (exclude.length > 0 && isIn(unwanted, file)) return left("--exclude names it.");
		if (only.length > 0 && !isIn(wanted, file)) return left("--only does not name it.");
		const reason = reasonToPassOver(file, 0);
		return reason === undefined ? undefined : { file, reason };
	};
}
