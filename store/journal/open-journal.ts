import { join } from "node:path";
import { Low } from "lowdb";
import type { Clock } from "../../src/kernel/kernel.js";
import { messageOf } from "./damage.js";
import type { FileSystem } from "./file-system.js";
import { createGroupCommit, type GroupCommit } from "./group-commit.js";
import { openHighWaterMark } from "./high-water-mark.js";
import { createJournal, type Journal } from "./journal-log.js";
import { type Recovered, recover } from "./recovery.js";
import { openSegmentWriter } from "./segment-writer.js";
import type { JournalState } from "./state.js";

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
