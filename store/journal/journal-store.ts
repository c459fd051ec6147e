import { join } from "node:path";
import { Low } from "lowdb";
import { type Clock, type Random, systemRandom, unavailable } from "../../src/kernel/kernel.js";
import { createSerialQueue, messageOf, type Store, type StoreHealth, stopped } from "../store.js";
import { createAuditor, digestFrames } from "./audit.js";
import { backUp } from "./backup.js";
import { syncOwnName } from "./backup-folder.js";
import { createJournalParts } from "./books-parts.js";
import { createDamageLog } from "./damage.js";
import { openDocuments } from "./documents.js";
import type { FileSystem } from "./file-system.js";
import type { ChainLink } from "./frame.js";
import { createGroupCommit } from "./group-commit.js";
import { readHistory, readReceipts, readStatement } from "./history.js";
import { createJournal, type Journal, openHighWaterMark } from "./journal-log.js";
import { createColdRows, createJournalReader } from "./journal-reader.js";
import { nodeProcessTable, type ProcessTable, takeLock } from "./lock.js";
import { createQueryLog } from "./query-log.js";
import { recover } from "./recovery.js";
import { openSegmentWriter, type SegmentFacts } from "./segments.js";
import { createSnapshotScheduler } from "./snapshots.js";
import { copyState, copyTotals, countEntries, type JournalState } from "./state.js";
import { createTransactions } from "./transactions.js";

export interface JournalStoreDeps {
	/** Belongs to the store alone; made when it is missing. */
	readonly folder: string;
	readonly clock: Clock;
	readonly fileSystem: FileSystem;
	readonly processes?: ProcessTable;
	readonly random?: Random;
	/** Called once, when a failure of the disk stops the store. */
	readonly onStop?: (reason: string) => void;
	/** Called when the disk has no room: nothing is taken until `onResume`, and nothing that was taken is lost. */
	readonly onFull?: (reason: string) => void;
	readonly onResume?: () => void;
	/**
	 * Called where what was on the disk may be gone from the end of the journal, with a clause that says so: the store opens
	 * with what is there. Without it such a journal is refused.
	 */
	readonly acceptLoss?: ((problem: string) => void) | undefined;
	/** Called when rows of the query log were lost, at most once a second, with how many. */
	readonly onDroppedQueryRows?: (count: number) => void;
}

export type JournalStore = Awaited<ReturnType<typeof openJournalStore>>;

/**
 * Opens the store in a folder, for this process alone. Throws UNAVAILABLE, with a sentence that says what to do, when
 * another process holds the folder or when its files are not what was written.
 */
export async function openJournalStore(deps: JournalStoreDeps) {
	const { fileSystem, clock, folder, processes = nodeProcessTable } = deps;
	const { random = systemRandom } = deps;
	const folders = {
		root: folder,
		segments: join(folder, "segments"),
		snapshots: join(folder, "snapshots"),
		documents: join(folder, "documents"),
		queries: join(folder, "queries"),
	};
	for (const path of Object.values(folders)) await fileSystem.makeFolder(path);
	const path = join(folder, "lock");
	const releaseLock = await takeLock({ fileSystem, clock, random, processes, path });
	try {
		await fileSystem.syncFolder(folder);
		if (!(await fileSystem.size(join(folder, "mark")))) await syncOwnName(fileSystem, folder);
		return await openLocked(deps, folders, releaseLock);
	} catch (error) {
		await releaseLock();
		throw error;
	}
}

const ignore = () => undefined;

function assertRunning(reason: string | undefined): void {
	if (reason !== undefined) throw stopped(reason);
}

/** Of a store that is being backed up. */
function assertNotClosed(isClosed: boolean): void {
	if (!isClosed) return;
	throw unavailable(
		"No backup was made: the store was closed meanwhile. Run it again once the service is back.",
	);
}

type Folders = Record<"root" | "segments" | "snapshots" | "documents" | "queries", string>;

/** Since when the store is in the state it is in. */
function watchState({ clock, ...deps }: Pick<JournalStoreDeps, "clock" | keyof StateHooks>) {
	let since = clock.now();
	const begin = () => {
		since = clock.now();
	};
	return {
		since: () => since,
		hooks: {
			onStop(reason: string) {
				begin();
				deps.onStop?.(reason);
			},
			onFull(reason: string) {
				begin();
				deps.onFull?.(reason);
			},
			onResume() {
				begin();
				deps.onResume?.();
			},
		},
	};
}

type StateHooks = Pick<JournalStoreDeps, "onStop" | "onFull" | "onResume">;

async function openLocked(
	deps: JournalStoreDeps,
	folders: Folders,
	releaseLock: () => Promise<void>,
) {
	const { fileSystem, clock, random = systemRandom, onDroppedQueryRows: onDropped } = deps;
	const { since, hooks } = watchState(deps);
	const documents = await openDocuments({ fileSystem, clock, folder: folders.documents });
	const running = await openRunning({ ...deps, ...hooks }, folders);
	const { low, journal, commit, inTurn, look } = running;
	const damage = createDamageLog();
	const places = { fileSystem, folder: folders.segments, onDamage: damage.note };
	const reader = createJournalReader(places);
	const auditor = createAuditor(reader, folders.segments);
	const coldRows = createColdRows(reader, journal.segments);
	const queryLog = createQueryLog({ fileSystem, clock, folder: folders.queries, onDropped });
	const backups = new Set<Promise<unknown>>();
	const { processId, processes } = nameProcess(random);
	let closing: Promise<void> | undefined;
	const stopReason = () => commit.stopReason() ?? (closing && "it is closed");
	const assertOpen = () => assertNotClosed(closing !== undefined);
	const health = (): StoreHealth => {
		const isFull = commit.isWaitingForRoom() && closing === undefined;
		const facts = { ...journal.head(), since: since(), isChainIntact: damage.isIntact() };
		return toHealth(facts, stopReason(), isFull);
	};
	const settled = async () => {
		if (stopReason() === undefined) await commit.settle();
		return { head: journal.head(), segments: copySegments(journal) };
	};
	const store: Store = {
		...createTransactions({ processId, state: low.data, coldRows, commit, inTurn, stopReason }),
		/** They are in memory. */
		async *rows(table) {
			yield* await store.read((reader) => reader.list(table));
		},
		async *history() {
			yield* readHistory(reader, (await settled()).segments);
		},
		statement: async (owner, page) =>
			readStatement(reader, (await settled()).segments, { owner, ...page }),
		receipts: async (owner, page) =>
			readReceipts(reader, (await settled()).segments, { owner, ...page }),
		async verify(options) {
			const [target, isWhole] = [await look(), !options?.sinceLast];
			return damage.watch(() => auditor.audit(target, options), { isWhole });
		},
		digest: async (at) => digestFrames(reader, await settled(), at),
		async backup(folder, options) {
			assertRunning(stopReason());
			const source = { fileSystem, clock, random, folders, look, queryLog, documents };
			const backup = backUp({ ...source, health, assertOpen }, folder, options);
			backups.add(backup);
			return backup.finally(() => backups.delete(backup));
		},
		processes,
		documents,
		queryLog,
		health,
		close() {
			closing ??= shutDown({ ...running, backups, documents, queryLog, releaseLock });
			return closing;
		},
	};
	return {
		...store,
		parts: createJournalParts({ reader, settled, state: low.data, documents }),
		head: (): ChainLink => journal.head(),
		/** Entries kept in memory: as many as are open or recent, however long the history. */
		memoryEntries: () => countEntries(low.data) + coldRows.size(),
	};
}

function toHealth(
	{ sequence, since, isChainIntact }: Omit<StoreHealth, "kind" | "status" | "reason">,
	reason: string | undefined,
	isFull: boolean,
): StoreHealth {
	const status = isFull ? "full" : "stopped";
	const facts = { kind: "journal", sequence, since, isChainIntact, reason };
	return { ...facts, status: reason === undefined ? "ok" : status };
}

/** The folder's lock makes it the only one. */
function nameProcess(random: Random) {
	const processId = `proc_${Buffer.from(random.bytes(12)).toString("hex")}`;
	const processes = { isShared: false, ownId: () => processId, alive: async () => [processId] };
	return { processId, processes };
}

type Running = Awaited<ReturnType<typeof openRunning>>;

/** The journal, with snapshots taken while it grows. */
async function openRunning(deps: JournalStoreDeps, folders: Folders) {
	let onGrowth: (bytes: number) => void = () => undefined;
	const opened = await openJournal(deps, folders, (bytes) => onGrowth(bytes));
	const { low, journal, commit, recovered } = opened;
	const { segments, snapshot } = recovered;
	const inTurn = createSerialQueue();
	// No transaction runs while this one waits for the disk.
	const capture = <T>(copy: (state: JournalState) => T) =>
		inTurn(async () => {
			await commit.settle();
			return { head: journal.head(), segments: copySegments(journal), state: copy(low.data) };
		});
	const snapshots = createSnapshotScheduler({
		fileSystem: deps.fileSystem,
		folder: folders.snapshots,
		journal,
		capture: () => capture(copyState),
		newestBytes: snapshot?.bytes ?? 0,
		bytesSince: segments.reduce((sum, { bytes }) => sum + bytes, -(snapshot?.journalBytes ?? 0)),
	});
	onGrowth = snapshots.grew;
	return { ...opened, inTurn, snapshots, look: () => capture(copyTotals) };
}

/** The segments as they are now; the newest one still grows. */
function copySegments(journal: Journal): SegmentFacts[] {
	return journal.segments().map((facts) => ({ ...facts }));
}

/** Writes what is pending, unless the disk has failed: then it is left as it is, for the next start to judge. */
async function shutDown({
	inTurn,
	commit,
	snapshots,
	documents,
	queryLog,
	journal,
	backups,
	releaseLock,
}: Running & {
	readonly backups: ReadonlySet<Promise<unknown>>;
	readonly documents: { close(): Promise<void> };
	readonly queryLog: { close(): Promise<void> };
	readonly releaseLock: () => Promise<void>;
}): Promise<void> {
	try {
		// They read what the next process may change, and stop at their next part.
		await Promise.allSettled(backups);
		await documents.close();
		await inTurn(async () => undefined);
		await commit.settle().catch(() => undefined);
		commit.giveUpWaiting();
		await snapshots.close();
		await queryLog.close();
		await commit.idle();
		await journal.close({ isStopped: commit.stopReason() !== undefined });
	} finally {
		await releaseLock();
	}
}

/** Recovers what the folder holds and makes it ready for appending. Throws UNAVAILABLE when it is damaged. */
async function openJournal(
	{ fileSystem, clock, acceptLoss, ...hooks }: JournalStoreDeps,
	folders: Folders,
	onGrowth: (bytes: number) => void,
) {
	const markPath = join(folders.root, "mark");
	const mark = await openHighWaterMark(fileSystem, markPath);
	const found = { fileSystem, folders, markPath, mark: mark.found };
	const recovered = await recover({ ...found, acceptLoss });
	const { head, segments, lastFrame } = recovered;
	const isNew = segments.length === 0;
	if (isNew) {
		// The mark comes first: segments without a mark are refused.
		await mark.raise({ ...head, snapshot: 0, fileBytes: 0 });
		await fileSystem.syncFolder(folders.root);
		segments.push({ number: 1, start: { sequence: 0, crc: 0 }, bytes: 0, coldRange: undefined });
	} else {
		// A killed process may have left names in the system's memory only; mark and frames build on them now.
		await fileSystem.syncFolder(folders.segments);
		await fileSystem.syncFolder(folders.snapshots);
	}
	const newest = segments.at(-1);
	const snapshot = recovered.snapshot?.sequence ?? 0;
	let raiseMark = () => mark.raise({ ...head, snapshot, fileBytes: head.offset });
	const writer = await openSegmentWriter({
		fileSystem,
		folder: folders.segments,
		segment: newest?.number ?? 1,
		offset: newest?.bytes ?? 0,
		exists: !isNew,
		lastFrame,
		beforeCut: () => raiseMark(),
	});
	const { onStop = ignore, onFull = ignore, onResume = ignore } = hooks;
	const commit = createGroupCommit({ clock, write: () => low.write(), onStop, onFull, onResume });
	const journal = createJournal({
		clock,
		writer,
		mark,
		head,
		segments,
		snapshotSequence: snapshot,
		onFailure: (error) => commit.stop(messageOf(error), error),
	});
	// lowdb over the journal: `data` is the state, `write` appends the batch under way.
	const adapter = {
		read: async () => recovered.state,
		async write() {
			const batch = commit.underWay();
			if (batch) onGrowth(await journal.append(batch));
		},
	};
	const low: Low<JournalState> = new Low(adapter, recovered.state);
	await low.read();
	raiseMark = journal.raiseMark;
	await raiseMark();
	return { low, journal, commit, recovered };
}
