import { createGroupCommit } from "../../../store/journal/group-commit.js";
import { createJournal, openHighWaterMark } from "../../../store/journal/journal-log.js";
import { openSegmentWriter, type SegmentFacts } from "../../../store/journal/segments.js";
import { createFakeDisk, type FakeDisk } from "../fake-disk.js";
import { timedClock } from "./timed-clock.js";

export const FOLDER = "/segments";
export const MARK = "/mark";
/** Bytes of one record of the mark. */
export const SLOT = 512;

/** The two records of the mark, undefined for one that was never written. */
export async function slotsOf(disk: FakeDisk): Promise<unknown[]> {
	const text = (await disk.read(MARK))?.toString("latin1") ?? "";
	return [0, SLOT].map((start) => {
		const slot = text.slice(start, start + SLOT - 10).trim();
		return /^\{/.test(slot) ? JSON.parse(slot) : undefined;
	});
}

/** A journal over a disk, and the way to append a frame of about so many bytes. */
export async function openLog(disk = createFakeDisk()) {
	const timed = timedClock();
	const mark = await openHighWaterMark(disk, MARK);
	const failures: unknown[] = [];
	const facts: SegmentFacts = {
		number: 1,
		start: { sequence: 0, crc: 0 },
		bytes: 0,
		coldRange: undefined,
	};
	const segments = [facts];
	const beforeCut = async () => undefined;
	const places = { fileSystem: disk, folder: FOLDER, segment: 1, offset: 0, exists: false };
	const journal = createJournal({
		clock: timed.clock,
		writer: await openSegmentWriter({ ...places, beforeCut }),
		mark,
		head: { sequence: 0, crc: 0, segment: 1, offset: 0 },
		segments,
		snapshotSequence: 3,
		onFailure: (error) => failures.push(error),
	});
	const noop = async () => undefined;
	const hooks = { onStop: noop, onFull: noop, onResume: noop };
	const { current } = createGroupCommit({ clock: timed.clock, write: noop, ...hooks });
	const append = (text: string, coldRange?: { from: number; to: number }) =>
		journal.append({ ...current(), transactions: [`["${text}"]`], coldRange });
	const markOf = async () =>
		(await slotsOf(disk)).sort((a, b) => turnOf(b) - turnOf(a))[0] as Record<string, unknown>;
	return { ...timed, disk, journal, segments, append, markOf, failures };
}

const turnOf = (slot: unknown) => (slot as { turn?: number } | undefined)?.turn ?? 0;
