import { join } from "node:path";
import type { Clock } from "../../src/core/clock.js";
import { ServiceError } from "../../src/core/errors.js";
import type { DocumentStore } from "../store.js";
import { messageOf } from "./damage.js";
import { replaceFile } from "./durable-file.js";
import type { FileSystem } from "./file-system.js";

const HOUR_MS = 3_600_000;
const DOCUMENT_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/;
const FILE_NAME = /^([A-Za-z0-9][A-Za-z0-9_-]{0,127})\.(\d{1,16})$/;
/** A folder for each hour of expiry, so that what expires together lies together. */
const HOUR_FOLDER = /^\d{1,10}$/;
const NEW = "new";

export interface DocumentDeps {
	readonly fileSystem: FileSystem;
	readonly clock: Clock;
	readonly folder: string;
}

/**
 * One file for each document, `<hour of expiry>/<id>.<expiry>`: whole or not there, on the disk before `put` resolves,
 * off it before `delete` does. A document past its expiry is not shown, swept or not. Ids that could leave the folder
 * throw INVALID_ARGUMENT; a failing disk throws UNAVAILABLE and touches no other document.
 */
export async function openDocuments(deps: DocumentDeps): Promise<DocumentStore> {
	const { fileSystem, clock, folder } = deps;
	const expiryOf = await findDocuments(deps);
	const newFolder = join(folder, NEW);
	await fileSystem.makeFolder(newFolder);
	await fileSystem.syncFolder(folder);
	const last = new Map<string, Promise<unknown>>();
	let written = 0;

	// Changes of one document happen one after the other, those of different ones side by side.
	const inTurn = async <T>(id: string, task: () => Promise<T>): Promise<T> => {
		assertId(id);
		const result = (last.get(id) ?? Promise.resolve()).then(task, task).catch((error: unknown) => {
			throw unavailable(id, error);
		});
		last.set(id, result);
		const forget = () => last.get(id) === result && last.delete(id);
		result.then(forget, forget);
		return result;
	};
	const removeFile = async (id: string, expiresAt: number) => {
		await fileSystem.remove(documentPath(folder, id, expiresAt));
		await fileSystem.syncFolder(hourFolder(folder, expiresAt));
	};
	const drop = (id: string) =>
		inTurn(id, async () => {
			const expiresAt = expiryOf.get(id);
			if (expiresAt === undefined) return;
			await removeFile(id, expiresAt);
			expiryOf.delete(id);
		});

	return {
		put: (id, text, expiresAt) =>
			inTurn(id, async () => {
				assertTime(expiresAt);
				await makeHourFolder(fileSystem, folder, expiresAt);
				const earlier = expiryOf.get(id);
				const temporaryPath = join(newFolder, String(written++));
				const path = documentPath(folder, id, expiresAt);
				await replaceFile(fileSystem, { path, temporaryPath, chunks: [Buffer.from(text, "utf8")] });
				expiryOf.set(id, expiresAt);
				if (earlier !== undefined && earlier !== expiresAt) await removeFile(id, earlier);
			}),

		get: (id) =>
			inTurn(id, async () => {
				const expiresAt = expiryOf.get(id);
				if (expiresAt === undefined || expiresAt <= clock.now()) return undefined;
				return (await fileSystem.read(documentPath(folder, id, expiresAt)))?.toString("utf8");
			}),

		delete: drop,

		async sweep(now) {
			const expired = [...expiryOf].filter(([, expiresAt]) => expiresAt < now);
			for (const [id] of expired) await drop(id);
			await removeEmptyHours(fileSystem, folder, now);
			return expired.length;
		},
	};
}

/** What an earlier process left: expiry by id. Of two files with one id, which a crash can leave, the later expiry stays. */
async function findDocuments({ fileSystem, folder }: DocumentDeps): Promise<Map<string, number>> {
	const expiryOf = new Map<string, number>();
	for (const name of await fileSystem.list(join(folder, NEW))) {
		await fileSystem.remove(join(folder, NEW, name));
	}
	for (const hour of (await fileSystem.list(folder)).filter((name) => HOUR_FOLDER.test(name))) {
		for (const name of await fileSystem.list(join(folder, hour))) {
			const [, id, expiry] = FILE_NAME.exec(name) ?? [];
			if (id === undefined) continue;
			const expiresAt = Number(expiry);
			const other = expiryOf.get(id);
			expiryOf.set(id, Math.max(expiresAt, other ?? 0));
			if (other !== undefined) {
				await fileSystem.remove(documentPath(folder, id, Math.min(expiresAt, other)));
			}
		}
	}
	return expiryOf;
}

async function makeHourFolder(
	fileSystem: FileSystem,
	folder: string,
	expiresAt: number,
): Promise<void> {
	await fileSystem.makeFolder(hourFolder(folder, expiresAt));
	await fileSystem.syncFolder(folder);
}

async function removeEmptyHours(
	fileSystem: FileSystem,
	folder: string,
	now: number,
): Promise<void> {
	for (const name of (await fileSystem.list(folder)).filter((hour) => HOUR_FOLDER.test(hour))) {
		const isOver = (Number(name) + 1) * HOUR_MS <= now;
		if (!isOver || (await fileSystem.list(join(folder, name))).length > 0) continue;
		await fileSystem.remove(join(folder, name));
	}
}

function hourFolder(folder: string, expiresAt: number): string {
	return join(folder, String(Math.floor(expiresAt / HOUR_MS)));
}

function documentPath(folder: string, id: string, expiresAt: number): string {
	return join(hourFolder(folder, expiresAt), `${id}.${expiresAt}`);
}

function assertId(id: string): void {
	if (DOCUMENT_ID.test(id)) return;
	throw new ServiceError(
		"INVALID_ARGUMENT",
		`"${id.slice(0, 80)}" cannot name a document; use 1 to 128 letters, digits, hyphens and underscores.`,
	);
}

function assertTime(expiresAt: number): void {
	if (Number.isSafeInteger(expiresAt) && expiresAt >= 0) return;
	throw new ServiceError("INVALID_ARGUMENT", `A document cannot expire at "${expiresAt}".`);
}

function unavailable(id: string, error: unknown): ServiceError {
	if (error instanceof ServiceError) return error;
	return new ServiceError(
		"UNAVAILABLE",
		`The document "${id}" could not be read or written (${messageOf(error)}). Try again in a moment.`,
		{ cause: error },
	);
}
