import { join } from "node:path";
import { Low } from "lowdb";
import { type Clock, type Random, ServiceError, systemRandom } from "../../src/kernel/kernel.js";
import type { Store, StoreHealth } from "../store.js";
import { createAuditor } from "./audit.js";
import { backUp, type Moment } from "./backup.js";
import { syncOwnName } from "./backup-folder.js";
import { createDamageLog, messageOf, stopped } from "./damage.js";
import { type JournalDocuments, openDocuments } from "./documents.js";
import type { FileSystem } from "./file-system.js";
import type { ChainLink } from "./frame.js";
import { createGroupCommit, type GroupCommit } from "./group-commit.js";
import { readHistory, readReceipts, readStatement } from "./history.js";
import { createJournal, type Journal, openHighWaterMark } from "./journal-log.js";
import { createColdRows, createJournalReader } from "./journal-reader.js";
import { nodeProcessTable, type ProcessTable, takeLock } from "./lock.js";
import { createQueryLog, type JournalQueryLog } from "./query-log.js";
import { type Recovered, recover } from "./recovery.js";
import { openSegmentWriter, type SegmentFacts } from "./segments.js";
import { createSerialQueue, type SerialQueue } from "./serial-queue.js";
import { createSnapshotKeeper, type Snapshot, type SnapshotKeeper } from "./snapshots.js";
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
	/** Called when rows of the query log were lost, at most once a second, with how many. */
	readonly onDroppedQueryRows?: (count: number) => void;
}

export interface JournalStore extends Store {
	/** The last frame that is durable. */
	head(): ChainLink;
	/** Entries kept in memory, everything counted: as many as are open or recent, however long the history. */
	memoryEntries(): number;
}

/**
 * Opens the store in a folder, for this process alone. Throws UNAVAILABLE, with a sentence that says what to do, when
 * another process holds the folder or when its files are not what was written.
 */
export async function openJournalStore(deps: JournalStoreDeps): Promise<JournalStore> {
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

type Folders = Record<"root" | "segments" | "snapshots" | "documents" | "queries", string>;

async function openLocked(
	deps: JournalStoreDeps,
	folders: Folders,
	releaseLock: () => Promise<void>,
): Promise<JournalStore> {
	const { fileSystem, clock, random = systemRandom, onDroppedQueryRows: onDropped } = deps;
	const documents = await openDocuments({ fileSystem, clock, folder: folders.documents });
	const running = await openRunning(deps, folders);
	const { low, journal, commit, inTurn, look } = running;
	const damage = createDamageLog();
	const onDamage = damage.note;
	const reader = createJournalReader({ fileSystem, folder: folders.segments, onDamage });
	const auditor = createAuditor(reader, folders.segments);
	const coldRows = createColdRows({ reader, segments: journal.segments });
	const queryLog = createQueryLog({ fileSystem, clock, folder: folders.queries, onDropped });
	let isClosed = false;
	const stopReason = () => commit.stopReason() ?? (isClosed ? "it is closed" : undefined);
	let closing: Promise<void> | undefined;
	const backups = createUnderWay();
	const assertOpen = () => {
		if (!isClosed) return;
		throw new ServiceError(
			"UNAVAILABLE",
			"No backup was made: the store was closed meanwhile. Run it again once the service is back.",
		);
	};
	const health = (): StoreHealth => {
		const reason = stopReason();
		const status = reason === undefined ? "ok" : "stopped";
		const isChainIntact = damage.isIntact();
		return { status, reason, sequence: journal.head().sequence, isChainIntact };
	};

	return {
		...createTransactions({ state: low.data, coldRows, commit, inTurn, stopReason }),
		async *history() {
			if (stopReason() === undefined) await commit.settle();
			yield* readHistory(reader, factsOf(journal));
		},
		async statement(owner, page) {
			if (stopReason() === undefined) await commit.settle();
			return readStatement(reader, factsOf(journal), { owner, ...page });
		},
		async receipts(owner, page) {
			if (stopReason() === undefined) await commit.settle();
			return readReceipts(reader, factsOf(journal), { owner, ...page });
		},
		async verify(options) {
			const target = await look();
			const isWhole = !options?.sinceLast;
			return damage.watch(() => auditor.audit(target, options), { isWhole });
		},
		async backup(folder, options) {
			const reason = stopReason();
			if (reason !== undefined) throw stopped(reason);
			const source = { fileSystem, clock, random, folders, look, queryLog, documents };
			return backups.run(() => backUp({ ...source, health, assertOpen }, folder, options));
		},
		documents,
		queryLog,
		health,
		close() {
			isClosed = true;
			closing ??= shutDown({ ...running, backups, documents, queryLog, releaseLock });
			return closing;
		},
		head: journal.head,
		memoryEntries: () => countEntries(low.data) + coldRows.size(),
	};
}

interface Running extends OpenedJournal {
	readonly inTurn: SerialQueue;
	readonly keeper: SnapshotKeeper;
	/** Balances and head of the same moment. */
	readonly look: () => Promise<Moment>;
}

/** The journal, with snapshots taken while it grows. */
async function openRunning(deps: JournalStoreDeps, folders: Folders): Promise<Running> {
	const { fileSystem, clock } = deps;
	let onGrowth: SnapshotKeeper["grew"] = () => undefined;
	const opened = await openJournal({
		fileSystem,
		clock,
		folders,
		onGrowth: (bytes) => onGrowth(bytes),
		onStop: (reason) => deps.onStop?.(reason),
	});
	const { low, journal, commit, recovered } = opened;
	const inTurn = createSerialQueue();
	// No transaction runs while this one waits for the disk.
	const atOnce = <T>(copy: () => T) =>
		inTurn(async () => {
			await commit.settle();
			return { head: journal.head(), segments: factsOf(journal), state: copy() };
		});
	const capture = (): Promise<Snapshot> => atOnce(() => copyState(low.data));
	const look = (): Promise<Moment> => atOnce(() => copyTotals(low.data));
	const keeper = createSnapshotKeeper({
		fileSystem,
		folder: folders.snapshots,
		journal,
		capture,
		newest: recovered.snapshot,
		bytesSince: bytesAfterSnapshot(recovered),
	});
	onGrowth = keeper.grew;
	return { ...opened, inTurn, keeper, look };
}

/** As they are now; the newest segment grows on. */
function factsOf(journal: Journal): SegmentFacts[] {
	return journal.segments().map((facts) => ({ ...facts }));
}

/** Writes what is pending, unless the disk has failed: then it is left as it is, for the next start to judge. */
async function shutDown(closable: Closable): Promise<void> {
	const { inTurn, commit, keeper, documents, queryLog, journal, releaseLock } = closable;
	try {
		// Told to end before the next part; they read what the next process may change.
		await closable.backups.ended();
		await documents.close();
		await inTurn(async () => undefined);
		await commit.settle().catch(() => undefined);
		await keeper.close();
		await queryLog.close();
		await commit.idle();
		await journal.close({ isStopped: commit.stopReason() !== undefined });
	} finally {
		await releaseLock();
	}
}

interface Closable extends Running {
	readonly backups: UnderWay;
	readonly documents: JournalDocuments;
	readonly queryLog: JournalQueryLog;
	readonly releaseLock: () => Promise<void>;
}

interface UnderWay {
	run<T>(task: () => Promise<T>): Promise<T>;
	/** Resolves when all that run have ended, well or not. */
	ended(): Promise<void>;
}

function createUnderWay(): UnderWay {
	const running = new Set<Promise<unknown>>();
	return {
		run(task) {
			const result = task();
			running.add(result);
			const forget = () => running.delete(result);
			result.then(forget, forget);
			return result;
		},
		async ended() {
			await Promise.allSettled(running);
		},
	};
}

function bytesAfterSnapshot({ segments, snapshot }: Recovered): number {
	const all = segments.reduce((sum, { bytes }) => sum + bytes, 0);
	return snapshot ? all - snapshot.journalBytes : all;
}

export interface JournalFolders {
	readonly root: string;
	readonly segments: string;
	readonly snapshots: string;
}

export interface OpenedJournal {
	/** lowdb over the journal: `data` is the state, `write` appends the batch under way. */
	readonly low: Low<JournalState>;
	readonly journal: Journal;
	readonly commit: GroupCommit;
	readonly recovered: Recovered;
}

export interface OpenJournalDeps {
	readonly fileSystem: FileSystem;
	readonly clock: Clock;
	readonly folders: JournalFolders;
	/** After each frame, with its bytes. */
	readonly onGrowth: (bytes: number) => void;
	readonly onStop: (reason: string) => void;
}

/** Recovers what the folder holds and makes it ready for appending. Throws UNAVAILABLE when it is damaged. */
export async function openJournal(deps: OpenJournalDeps): Promise<OpenedJournal> {
	const { fileSystem, clock, folders, onGrowth, onStop } = deps;
	const markPath = join(folders.root, "mark");
	const mark = await openHighWaterMark(fileSystem, markPath);
	const recovered = await recover({
		fileSystem,
		segmentFolder: folders.segments,
		snapshotFolder: folders.snapshots,
		markPath,
		mark: mark.found,
	});
	const { head, segments, lastFrame } = recovered;
	const isNew = segments.length === 0;
	const snapshotSequence = recovered.snapshot?.sequence ?? 0;
	if (isNew) {
		// The mark comes first: segments without a mark are refused.
		await mark.raise({ ...head, snapshot: 0 });
		await fileSystem.syncFolder(folders.root);
		segments.push({ number: 1, start: { sequence: 0, crc: 0 }, bytes: 0, coldRange: undefined });
	} else {
		// A killed process may have left names in the system's memory only; mark and frames build on them now.
		await fileSystem.syncFolder(folders.segments);
		await fileSystem.syncFolder(folders.snapshots);
	}
	const newest = segments.at(-1);
	const writer = await openSegmentWriter({
		fileSystem,
		folder: folders.segments,
		segment: newest?.number ?? 1,
		offset: newest?.bytes ?? 0,
		exists: !isNew,
		lastFrame,
	});
	const commit = createGroupCommit({ clock, write: () => low.write(), onStop });
	const journal = createJournal({
		clock,
		writer,
		mark,
		head,
		segments,
		snapshotSequence,
		onFailure: (error) => commit.stop(messageOf(error), error),
	});
	const adapter = {
		read: async () => recovered.state,
		async write() {
			const batch = commit.underWay();
			if (batch) onGrowth(await journal.append(batch));
		},
	};
	const low: Low<JournalState> = new Low(adapter, recovered.state);
	await low.read();
	await journal.raiseMark();
	return { low, journal, commit, recovered };
}
