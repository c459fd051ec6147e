import type { FileSystem } from "./file-system.js";
import type { Journal } from "./journal-log.js";
import { type Snapshot, writeSnapshot } from "./snapshot.js";

export interface SnapshotKeeperDeps {
	readonly fileSystem: FileSystem;
	readonly folder: string;
	readonly journal: Journal;
	/** The state exactly as of the journal's head. */
	readonly capture: () => Promise<Snapshot>;
	/** The newest snapshot found at start. */
	readonly newest: { readonly bytes: number } | undefined;
	/** Journal bytes after it, at start. */
	readonly bytesSince: number;
}

export interface SnapshotKeeper {
	/** Tells that the journal has grown; begins a snapshot in the background when enough has come together. */
	grew(bytes: number): void;
	/** Waits for a snapshot under way, and takes a last one when a restart would otherwise replay much. */
	close(): Promise<void>;
}

/** So much journal is replayed in a fraction of a second. */
const DUE_BYTES = 4 * 1024 * 1024;
const DUE_AT_CLOSE_BYTES = 256 * 1024;

/** Takes snapshots seldom enough that writing them stays a small part of writing the journal. */
export function createSnapshotKeeper(deps: SnapshotKeeperDeps): SnapshotKeeper {
	const { fileSystem, folder, journal, capture } = deps;
	let snapshotBytes = deps.newest?.bytes ?? 0;
	let { bytesSince } = deps;
	let running: Promise<void> | undefined;

	const take = async () => {
		const counted = bytesSince;
		try {
			const snapshot = await capture();
			snapshotBytes = await writeSnapshot(fileSystem, folder, snapshot);
			await journal.setSnapshot(snapshot.head.sequence);
		} catch {
			// Derived data: a restart replays more. A disk that fails is told by the journal itself.
		}
		bytesSince = Math.max(0, bytesSince - counted);
	};

	return {
		grew(bytes) {
			bytesSince += bytes;
			if (running || bytesSince < Math.max(DUE_BYTES, 2 * snapshotBytes)) return;
			running = take().finally(() => {
				running = undefined;
			});
		},
		async close() {
			await running;
			if (bytesSince >= Math.max(DUE_AT_CLOSE_BYTES, snapshotBytes)) await take();
		},
	};
}
