import { join } from "node:path";
import { ServiceError } from "../../src/kernel/kernel.js";
import { type BackupFile, isManifestWhole, MANIFEST } from "./backup-folder.js";
import { copyFile, hashFile } from "./copied-file.js";
import { messageOf } from "./damage.js";
import type { FileSystem } from "./file-system.js";

const CHANGED = "its contents are not what was backed up";

export interface Manifest {
	readonly kind: string;
	readonly version: number;
	/** When the books were looked at: keys and graphs are of a moment before, text is of one after. */
	readonly created_at: string;
	readonly sequence: number;
	/** Of the last frame; only of a journal. */
	readonly crc?: number;
	readonly transactions: number;
	readonly files: readonly BackupFile[];
}

/** Throws INVALID_ARGUMENT when the folder is no backup of this kind, UNAVAILABLE when its manifest is damaged. */
export async function readManifest(
	fileSystem: FileSystem,
	folder: string,
	{ kind, version }: Pick<Manifest, "kind" | "version">,
): Promise<Manifest> {
	const path = join(folder, MANIFEST);
	const bytes = await fileSystem.read(path).catch((error: unknown) => {
		throw unreadable(path, error);
	});
	if (!bytes) {
		throw new ServiceError(
			"INVALID_ARGUMENT",
			`"${folder}" is no whole backup: it has no ${MANIFEST}, which is written last. Use another backup.`,
		);
	}
	const found = isManifestWhole(bytes) ? parse(bytes) : undefined;
	if (!found) throw spoiled(path, CHANGED);
	if (found.kind === kind && found.version === version) return found;
	throw new ServiceError(
		"INVALID_ARGUMENT",
		`"${folder}" holds a "${String(found.kind)}" backup of version ${String(found.version)}; this command restores "${kind}" of version ${version}. Use the tollgraph that made it.`,
	);
}

/** Copies every file that the manifest names to the same place below another folder, each checked against its hash. */
export async function copyChecked(
	fileSystem: FileSystem,
	{ from, to, manifest, onFile }: CheckedCopy,
): Promise<void> {
	const folders = new Set([to]);
	for (const { path, bytes, sha256 } of manifest.files) {
		const source = join(from, path);
		const size = await fileSystem.size(source);
		if (size === undefined) throw spoiled(source, "the file is missing");
		if (size !== bytes) throw spoiled(source, `it has ${size} bytes instead of ${bytes}`);
		const target = join(to, path);
		for (let above = join(target, ".."); above.length > to.length; above = join(above, "..")) {
			folders.add(above);
		}
		await fileSystem.makeFolder(join(target, ".."));
		const copied = await copyFile(fileSystem, { from: source, to: target, bytes });
		if (copied?.sha256 !== sha256) throw spoiled(source, CHANGED);
		onFile?.();
	}
	const innermostFirst = [...folders].sort((a, b) => b.length - a.length);
	for (const folder of innermostFirst) await fileSystem.syncFolder(folder);
}

export interface CheckedCopy {
	readonly from: string;
	readonly to: string;
	readonly manifest: Manifest;
	readonly onFile?: (() => void) | undefined;
}

/** Throws unless the file is what was backed up, byte for byte. */
export async function assertUnspoiled(
	fileSystem: FileSystem,
	folder: string,
	file: Pick<BackupFile, "path"> & Partial<BackupFile>,
): Promise<void> {
	const source = join(folder, file.path);
	const found = await hashFile(fileSystem, source);
	if (!found) throw spoiled(source, "the file is missing");
	if (found.sha256 !== file.sha256) throw spoiled(source, CHANGED);
}

/** What is in the backup is not what was put there. */
export function spoiled(path: string, problem: string): ServiceError {
	return new ServiceError(
		"UNAVAILABLE",
		`The backup is damaged: "${path}": ${problem}. Nothing was restored; use another backup.`,
		{ retryable: false },
	);
}

function unreadable(path: string, error: unknown): ServiceError {
	return new ServiceError(
		"INVALID_ARGUMENT",
		`"${path}" cannot be read (${messageOf(error)}); name the folder of a backup.`,
	);
}

function parse(bytes: Buffer): Manifest | undefined {
	let found: Partial<Manifest> | null;
	try {
		found = JSON.parse(bytes.toString("utf8")) as Partial<Manifest> | null;
	} catch {
		return undefined;
	}
	const { created_at, sequence, transactions, files } = found ?? {};
	const isWhole =
		typeof created_at === "string" &&
		!Number.isNaN(Date.parse(created_at)) &&
		isCount(sequence) &&
		isCount(transactions) &&
		Array.isArray(files) &&
		files.every(isFile);
	return isWhole ? (found as Manifest) : undefined;
}

/** A path that leads out of the backup is refused like any other damage. */
function isFile(file: Partial<BackupFile> | null): boolean {
	const { path, bytes, sha256 } = file ?? {};
	if (typeof path !== "string" || !isCount(bytes) || typeof sha256 !== "string") return false;
	const names = path.split("/");
	return !/[\\\0]/.test(path) && names.every((name) => !["", ".", ".."].includes(name));
}

function isCount(value: unknown): value is number {
	return Number.isSafeInteger(value) && (value as number) >= 0;
}
