import { join } from "node:path";
import { type Clock, ServiceError, unavailable } from "../../src/kernel/kernel.js";
import {
	assertDocumentId,
	assertExpiry,
	type DocumentStore,
	messageOf,
	stopped,
} from "../store.js";
import { type FileSystem, replaceFile } from "./file-system.js";

const HOUR_MS = 3_600_000;
const FILE_NAME = /^([A-Za-z0-9][A-Za-z0-9_-]{0,127})\.(\d{1,16})$/;
/** A folder for each hour of expiry, so that what expires together lies together. */
const HOUR_FOLDER = /^\d{1,10}$/;
const NEW = "new";

export type JournalDocuments = Awaited<ReturnType<typeof openDocuments>>;

/**
 * One file for each document, `<hour of expiry>/<id>.<expiry>`: whole or absent, on the disk before
 * `put` resolves, off it before `delete` does. Expired documents are not shown. Ids that could
 * leave the folder throw INVALID_ARGUMENT; a failing disk throws UNAVAILABLE and touches no other
 * document. Text that a failure left goes with the next deletion or sweep.
 */
export async function openDocuments({
	fileSystem,
	clock,
	folder,
}: {
	readonly fileSystem: FileSystem;
	readonly clock: Clock;
	readonly folder: string;
}) {
	const expiryOf = await findDocuments(fileSystem, folder);
	const newFolder = join(folder, NEW);
	await fileSystem.makeFolder(newFolder);
	await fileSystem.syncFolder(folder);
	const inTurn = createTurns();
	const newFiles = createNewFiles(fileSystem, newFolder);
	const removeFile = (id: string, expiresAt: number) =>
		removeDocument(fileSystem, folder, id, expiresAt);
	const currentPath = (id: string, now: number) => {
		const expiresAt = expiryOf.get(id) ?? now;
		return expiresAt <= now ? undefined : documentPath("", id, expiresAt);
	};
	const leftovers = createLeftovers(expiryOf, removeFile);
	const drop = (id: string) =>
		inTurn.change(id, async () => {
			const expiresAt = expiryOf.get(id);
			if (expiresAt !== undefined) await removeFile(id, expiresAt);
			expiryOf.delete(id);
			await leftovers.remove(id);
		});

	const documents: DocumentStore = {
		put: (id, text, expiresAt) =>
			inTurn.change(id, async () => {
				assertExpiry(expiresAt);
				await fileSystem.makeFolder(hourFolder(folder, expiresAt));
				await fileSystem.syncFolder(folder);
				// Until the end says otherwise: a failure may come after the file is in place.
				leftovers.add(id, expiresAt);
				await newFiles.putInto(documentPath(folder, id, expiresAt), Buffer.from(text, "utf8"));
				const earlier = expiryOf.get(id);
				expiryOf.set(id, expiresAt);
				if (earlier !== undefined) leftovers.add(id, earlier);
				await leftovers.remove(id);
			}),

		get: (id) =>
			inTurn.look(id, async () => {
				const path = currentPath(id, clock.now());
				return path && (await fileSystem.read(join(folder, path)))?.toString("utf8");
			}),

		delete: drop,

		async sweep(now) {
			const expired = [...expiryOf].filter(([, expiresAt]) => expiresAt < now);
			for (const [id] of expired) await drop(id);
			for (const id of leftovers.ids()) await inTurn.change(id, () => leftovers.remove(id));
			await inTurn.tidy(async () => {
				await newFiles.sweep();
				await removeEmptyHours(fileSystem, folder, now);
			});
			return expired.length;
		},
	};
	return {
		...documents,
		ids: () => [...expiryOf.keys()],
		/**
		 * The current text of a document that expires after `now`, as no later change alters it; the
		 * caller closes it. The path is within the folder, with forward slashes.
		 */
		open: (id: string, now: number) =>
			inTurn.look(id, async () => {
				const path = currentPath(id, now);
				if (path === undefined) return undefined;
				const file = await fileSystem.openForReading(join(folder, path));
				return file && { path: path.replaceAll("\\", "/"), file };
			}),
		/** Refuses further changes and resolves when those under way have ended. */
		close: inTurn.close,
	};
}

/** Files beside the current ones that a failure may have left, to be removed. */
function createLeftovers(
	current: ReadonlyMap<string, number>,
	removeFile: (id: string, expiresAt: number) => Promise<void>,
) {
	const left = new Map<string, Set<number>>();
	return {
		add: (id: string, expiresAt: number) =>
			left.set(id, (left.get(id) ?? new Set()).add(expiresAt)),
		ids: () => [...left.keys()],
		/** Removes those of one document, but for the one that is current. */
		async remove(id: string): Promise<void> {
			const expiries = left.get(id) ?? new Set();
			for (const expiresAt of expiries) {
				if (current.get(id) !== expiresAt) await removeFile(id, expiresAt);
				expiries.delete(expiresAt);
			}
			left.delete(id);
		},
	};
}

/** What an earlier process left: expiry by id. Of two files with one id, which a crash can leave, the later expiry stays. */
async function findDocuments(fileSystem: FileSystem, folder: string): Promise<Map<string, number>> {
	const expiryOf = new Map<string, number>();
	for (const name of await fileSystem.list(join(folder, NEW))) {
		await fileSystem.remove(join(folder, NEW, name));
	}
	for (const hour of await listHours(fileSystem, folder)) {
		for (const name of await fileSystem.list(join(folder, hour))) {
			const [, id, expiry] = FILE_NAME.exec(name) ?? [];
			if (id === undefined) continue;
			const [expiresAt, other] = [Number(expiry), expiryOf.get(id)];
			expiryOf.set(id, Math.max(expiresAt, other ?? 0));
			if (other === undefined) continue;
			await fileSystem.remove(documentPath(folder, id, Math.min(expiresAt, other)));
		}
	}
	return expiryOf;
}

async function listHours(fileSystem: FileSystem, folder: string): Promise<readonly string[]> {
	return (await fileSystem.list(folder)).filter((name) => HOUR_FOLDER.test(name));
}

async function removeDocument(
	fileSystem: FileSystem,
	folder: string,
	id: string,
	expiresAt: number,
): Promise<void> {
	await fileSystem.remove(documentPath(folder, id, expiresAt));
	await fileSystem.syncFolder(hourFolder(folder, expiresAt)).catch((error: unknown) => {
		// An hour that is over may be gone as a whole.
		if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
	});
}

async function removeEmptyHours(
	fileSystem: FileSystem,
	folder: string,
	now: number,
): Promise<void> {
	for (const name of await listHours(fileSystem, folder)) {
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

/** Serializes what is done with one document; different documents go side by side. */
function createTurns() {
	const last = new Map<string, Promise<unknown>>();
	const tidying = new Set<Promise<void>>();
	let isClosed = false;
	/** Throws INVALID_ARGUMENT for what cannot name a document, UNAVAILABLE when the task fails. */
	const look = async <T>(id: string, task: () => Promise<T>): Promise<T> => {
		assertDocumentId(id);
		const result = (last.get(id) ?? Promise.resolve()).then(task, task).catch((error: unknown) => {
			throw documentFailed(id, error);
		});
		last.set(id, result);
		const forget = () => last.get(id) === result && last.delete(id);
		result.then(forget, forget);
		return result;
	};
	return {
		look,
		/** As `look`, and UNAVAILABLE once closed. */
		async change<T>(id: string, task: () => Promise<T>): Promise<T> {
			if (isClosed) throw stopped("it is closed");
			return look(id, task);
		},
		/** A task about no document in particular: UNAVAILABLE once closed. */
		async tidy(task: () => Promise<void>): Promise<void> {
			if (isClosed) throw stopped("it is closed");
			const result = task();
			tidying.add(result);
			try {
				await result;
			} finally {
				tidying.delete(result);
			}
		},
		/** Resolves when no change is under way any more. */
		async close(): Promise<void> {
			isClosed = true;
			await Promise.allSettled([...last.values(), ...tidying]);
		},
	};
}

function documentFailed(id: string, error: unknown): ServiceError {
	if (error instanceof ServiceError) return error;
	return unavailable(
		`The document "${id}" could not be read or written (${messageOf(error)}). Try again in a moment.`,
		{ cause: error },
	);
}

/** Files being written, in a folder of their own until they are whole. */
function createNewFiles(fileSystem: FileSystem, folder: string) {
	const underWay = new Set<string>();
	let count = 0;
	return {
		/** Puts a whole file into place, on the disk once the promise resolves. */
		async putInto(path: string, bytes: Buffer): Promise<void> {
			const name = String(count++);
			underWay.add(name);
			try {
				const temporaryPath = join(folder, name);
				await replaceFile(fileSystem, { path, temporaryPath, chunks: [bytes] });
			} finally {
				underWay.delete(name);
			}
		},
		/** Deletes what failures left in the folder. */
		async sweep(): Promise<void> {
			for (const name of await fileSystem.list(folder)) {
				if (!underWay.has(name)) await fileSystem.remove(join(folder, name));
			}
		},
	};
}
