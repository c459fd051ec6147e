import { dirname, join, resolve } from "node:path";
import { crc32 } from "node:zlib";
import { invalidArgument, type ServiceError, unavailable } from "../../src/kernel/kernel.js";
import { messageOf } from "../store.js";
import { assertSpace, copyOpened, type FileHash, hashFile, withFile } from "./file-copy.js";
import { type FileSystem, type ReadableFile, replaceFile } from "./file-system.js";
import { hex } from "./frame.js";

/** The last file of a backup: a folder without it is none, so that an unfinished backup is never taken for a whole one. */
export const MANIFEST = "manifest.json";

const MANIFEST_END = ',"crc32":"';

export interface BackupFile extends FileHash {
	readonly path: string;
}

export type BackupFolder = Awaited<ReturnType<typeof openBackupFolder>>;

/** Throws INVALID_ARGUMENT unless the folder is missing or empty; all is durable before `finish` resolves. */
export async function openBackupFolder(
	fileSystem: FileSystem,
	path: string,
	/** Called before each part of a file; what it throws ends the copy. */
	{ onPart }: { readonly onPart?: (() => void) | undefined } = {},
) {
	const folder = resolve(path);
	await assertEmpty(fileSystem, folder);
	const files: BackupFile[] = [];
	const folders = new Set<string>();

	const prepare = async (path: string): Promise<string> => {
		const fullPath = join(folder, path);
		const own = dirname(fullPath);
		if (folders.has(own)) return fullPath;
		for (let above = own; above.length >= folder.length; above = dirname(above)) folders.add(above);
		await fileSystem.makeFolder(own);
		return fullPath;
	};
	const takeIn = async (path: string) => {
		const found = await hashFile(fileSystem, await prepare(path));
		if (!found) throw new Error(`"${path}" is missing`);
		files.push({ path, ...found });
	};
	const copyOpenFile = async (source: ReadableFile, path: string, bytes?: number) => {
		const to = await prepare(path);
		await assertSpace(fileSystem, folder, { bytes: bytes ?? source.bytes, files: 1 });
		files.push({ path, ...(await copyOpened(fileSystem, source, { to, bytes, onPart })) });
	};
	await prepare(MANIFEST);

	return {
		/** Copies the first bytes of a file, all of them by default; false when there is none. */
		async copy(from: string, path: string, bytes?: number): Promise<boolean> {
			const copied = await withFile(fileSystem, from, async (source) => {
				await copyOpenFile(source, path, bytes);
				return true;
			});
			return copied ?? false;
		},
		copyOpened: (source: ReadableFile, path: string) => copyOpenFile(source, path),
		/** Takes in a file that `write` makes under the name it is given. */
		async add(path: string, write: (fullPath: string) => Promise<void>): Promise<void> {
			await write(await prepare(path));
			await takeIn(path);
		},
		/** Takes in a file that is in the folder, and on the disk, already. */
		takeIn,
		/** Writes the manifest, after everything else. */
		async finish(facts: object): Promise<{ readonly files: number; readonly bytes: number }> {
			await syncInnermostFirst(fileSystem, folders);
			await syncOwnName(fileSystem, folder);
			const path = join(folder, MANIFEST);
			const chunks = manifestChunks(facts, files);
			await replaceFile(fileSystem, { path, temporaryPath: `${path}.new`, chunks });
			const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
			return { files: files.length, bytes };
		},
	};
}

/** Throws INVALID_ARGUMENT when something is there already. */
export async function assertEmpty(fileSystem: FileSystem, folder: string): Promise<void> {
	const names = await fileSystem.list(folder).catch((error: unknown) => {
		throw invalidArgument(
			`"${folder}" is no folder that can be used (${messageOf(error)}); name an empty or a new one.`,
		);
	});
	if (names.length === 0) return;
	throw invalidArgument(
		`The folder "${folder}" is not empty (it holds "${names[0]}"); name an empty or a new one.`,
	);
}

/** Puts a folder's own name on the disk. */
export async function syncOwnName(fileSystem: FileSystem, folder: string): Promise<void> {
	try {
		await fileSystem.syncFolder(dirname(resolve(folder)));
	} catch (error) {
		// Anyone who may not even list the folder above did not make this one.
		if ((error as NodeJS.ErrnoException).code !== "EACCES") throw error;
	}
}

/** One line for each file, and last a checksum of what comes before it. */
function* manifestChunks(facts: object, files: readonly BackupFile[]): Generator<Buffer> {
	const lines = files.map(
		(file, index) => `${JSON.stringify(file)}${files[index + 1] ? "," : ""}\n`,
	);
	let crc = 0;
	for (const text of [`${JSON.stringify(facts).slice(0, -1)},"files":[\n`, ...lines, "]"]) {
		const chunk = Buffer.from(text);
		crc = crc32(chunk, crc);
		yield chunk;
	}
	yield Buffer.from(`${MANIFEST_END}${hex(crc, 8)}"}\n`);
}

/** False when a byte of the manifest is another one than was written. */
function isManifestWhole(bytes: Buffer): boolean {
	const end = bytes.lastIndexOf(MANIFEST_END);
	if (end === -1) return false;
	const expected = `${MANIFEST_END}${hex(crc32(bytes.subarray(0, end)), 8)}"}\n`;
	return bytes.toString("utf8", end) === expected;
}

const CHANGED = "its contents are not what was backed up";

export interface Manifest {
	readonly kind: string;
	readonly version: number;
	/** When the books were looked at: keys and graphs are of a moment before, text is of one after. */
	readonly created_at: string;
	readonly sequence: number;
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
		throw invalidArgument(
			`"${path}" cannot be read (${messageOf(error)}); name the folder of a backup.`,
		);
	});
	if (!bytes) {
		throw invalidArgument(
			`"${folder}" is no whole backup: it has no ${MANIFEST}, which is written last. Use another backup.`,
		);
	}
	const found = isManifestWhole(bytes) ? parse(bytes) : undefined;
	if (!found) throw spoiled(path, CHANGED);
	if (found.kind === kind && found.version === version) return found;
	throw invalidArgument(
		`"${folder}" holds a "${String(found.kind)}" backup of version ${String(found.version)}; this command restores "${kind}" of version ${version}. Use the tollgraph that made it.`,
	);
}

/** Copies every file that the manifest names to the same place below another folder, each checked against its hash. */
export async function copyChecked(
	fileSystem: FileSystem,
	copy: { from: string; to: string; manifest: Manifest; onFile?: (() => void) | undefined },
): Promise<void> {
	const { from, to, manifest, onFile } = copy;
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
		const copied = await withFile(fileSystem, source, (file) =>
			copyOpened(fileSystem, file, { to: target, bytes }),
		);
		if (copied?.sha256 !== sha256) throw spoiled(source, CHANGED);
		onFile?.();
	}
	await syncInnermostFirst(fileSystem, folders);
}

async function syncInnermostFirst(
	fileSystem: FileSystem,
	folders: ReadonlySet<string>,
): Promise<void> {
	const sorted = [...folders].sort((a, b) => b.length - a.length);
	for (const folder of sorted) await fileSystem.syncFolder(folder);
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
	return unavailable(
		`The backup is damaged: "${path}": ${problem}. Nothing was restored; use another backup.`,
		{ retryable: false },
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
