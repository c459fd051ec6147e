import { unavailable } from "../../src/kernel/kernel.js";
import { COLD_TABLES } from "../store.js";
import { damaged } from "./damage.js";
import type { FileSystem } from "./file-system.js";
import { CHAIN_START, type ChainLink, decodeHeader, judgeTail } from "./frame.js";
import { DATA_FORMAT, type MarkFound, type MarkRecord } from "./journal-log.js";
import { decodeBody, type FrameBody } from "./operation.js";
import {
	type Frame,
	isCutShort,
	type JournalHead,
	listSegments,
	merge,
	readFirstHeader,
	type SegmentFacts,
	segmentPath,
	type TimeRange,
	walkFrames,
	widen,
} from "./segments.js";
import { badSnapshot, readNewestSnapshot, type Snapshot, snapshotPath } from "./snapshots.js";
import { applyBody, createState, type JournalState } from "./state.js";

/** Closed segments before the snapshot whose checksums are read at every start; `verify` reads all. */
const CHECKED_SEGMENTS = 16;

export interface Recovered {
	readonly state: JournalState;
	readonly head: JournalHead;
	/** Ascending and without gaps; empty for a new journal. */
	readonly segments: SegmentFacts[];
	/** Of the newest segment; undefined when it holds none. */
	readonly lastFrame: { readonly bytes: Buffer; readonly start: number } | undefined;
	readonly snapshot:
		| {
				readonly sequence: number;
				/** Its own size. */
				readonly bytes: number;
				/** Bytes of journal that it spares a restart. */
				readonly journalBytes: number;
		  }
		| undefined;
}

export interface RecoveryDeps {
	readonly fileSystem: FileSystem;
	readonly folders: Readonly<Record<"segments" | "snapshots", string>>;
	readonly markPath: string;
	readonly mark: MarkFound;
	/** Called instead of throwing where the last frames may be gone, and the rest is sound. */
	readonly acceptLoss?: ((problem: string) => void) | undefined;
}

/**
 * Reads the newest snapshot and every frame after it, and changes nothing. Throws UNAVAILABLE, not retryable, with the
 * file, the byte and the remedy, unless what is found is exactly what was written, but for a last frame cut short.
 */
export async function recover(deps: RecoveryDeps): Promise<Recovered> {
	const numbers = await listSegments(deps.fileSystem, deps.folders.segments);
	const found = await readNewestSnapshot(deps.fileSystem, deps.folders.snapshots);
	if (numbers.length === 0) return startNew(deps, found?.snapshot);
	const mark = getMark(deps);
	assertKnownFormat(deps, mark);
	assertNoGap(deps, numbers, found?.snapshot);
	if (found && found.snapshot.head.sequence < mark.snapshot) {
		const path = snapshotPath(deps.folders.snapshots, found.snapshot.head.sequence);
		throw badSnapshot(path, 0, `it is older than the one of frame ${mark.snapshot} that was here`);
	}
	const replay = createReplay(deps, mark, found?.snapshot);
	for (const number of numbers) await replay.read(number, number === numbers.at(-1));
	const recovered = replay.finish();
	return {
		...recovered,
		snapshot: found && {
			sequence: found.snapshot.head.sequence,
			bytes: found.bytes,
			journalBytes: found.snapshot.segments.reduce((sum, { bytes }) => sum + bytes, 0),
		},
	};
}

function startNew(deps: RecoveryDeps, snapshot: Snapshot | undefined): Recovered {
	const { mark, folders } = deps;
	if (snapshot || (typeof mark === "object" && mark.sequence > 0)) {
		const path = segmentPath(folders.segments, 1);
		throw damaged({ path, offset: 0, problem: "the journal is missing: there is no such file" });
	}
	return {
		state: createState(),
		head: { ...CHAIN_START, segment: 1, offset: 0 },
		segments: [],
		lastFrame: undefined,
		snapshot: undefined,
	};
}

function getMark({ mark, markPath }: RecoveryDeps): MarkRecord {
	if (typeof mark === "object") return mark;
	const problem =
		mark === "missing"
			? "the high-water mark is missing, so nobody can tell whether the journal is whole"
			: "no record of the high-water mark is readable";
	throw damaged({ path: markPath, offset: 0, problem });
}

function assertKnownFormat({ markPath }: RecoveryDeps, { format = 0 }: MarkRecord): void {
	if (format <= DATA_FORMAT) return;
	throw unavailable(
		`The data folder has format ${format}, of a newer version of tollgraph; this one knows formats up to ${DATA_FORMAT}. Nothing was changed ("${markPath}"). Start the newer version, or restore a backup that this one made.`,
		{ retryable: false },
	);
}

function assertNoGap(
	{ folders }: RecoveryDeps,
	numbers: readonly number[],
	snapshot: Snapshot | undefined,
): void {
	const needed = Math.max(numbers.at(-1) ?? 0, snapshot?.head.segment ?? 0);
	for (let number = 1; number <= needed; number++) {
		if (numbers[number - 1] === number) continue;
		const path = segmentPath(folders.segments, number);
		throw damaged({ path, offset: 0, problem: "a segment is missing: there is no such file" });
	}
}

function createReplay(deps: RecoveryDeps, mark: MarkRecord, snapshot: Snapshot | undefined) {
	const { fileSystem, folders } = deps;
	const state = createState(snapshot?.state);
	const known = new Map(snapshot?.segments.map((facts) => [facts.number, facts]));
	const firstChecked = (snapshot?.head.segment ?? 1) - CHECKED_SEGMENTS;
	const segments: SegmentFacts[] = [];
	let head: JournalHead = { ...CHAIN_START, segment: 1, offset: 0 };
	let lastFrame: Recovered["lastFrame"];
	let isShort = false;

	const applyFrame = (path: string, frame: Frame): TimeRange | undefined => {
		const { link, end } = frame;
		assertExpected({ path, end, link }, mark);
		if (snapshot && link.sequence <= snapshot.head.sequence) {
			assertExpected({ path, end, link }, snapshot.head);
			return undefined;
		}
		const body = decodeBody(frame.json());
		applyBody(state, body);
		return coldRangeOf(body);
	};

	const walk = async (number: number, isLast: boolean) => {
		const path = segmentPath(folders.segments, number);
		const bytes = (await fileSystem.read(path)) ?? Buffer.alloc(0);
		const facts = known.get(number);
		let coldRange = facts?.coldRange;
		const { link, lastStart, end, problem } = walkFrames(bytes, head, (frame) => {
			coldRange = merge(coldRange, applyFrame(path, frame));
		});
		if (problem !== undefined && !(isLast && judgeTail(bytes, end, link) !== "damaged")) {
			throw damaged({ path, offset: end, problem });
		}
		if (isLast) isShort = isShortEnd(mark, { number, fileBytes: bytes.length, lastStart });
		const { sequence, crc } = head;
		segments.push({ number, start: { sequence, crc }, bytes: end, coldRange });
		// A segment without frames, made just before a crash, leaves the head where the last frame ends.
		if (lastStart !== undefined) head = { ...link, segment: number, offset: end };
		lastFrame =
			lastStart === undefined
				? undefined
				: { bytes: bytes.subarray(lastStart, end), start: lastStart };
	};

	return {
		async read(number: number, isLast: boolean): Promise<void> {
			const facts = known.get(number);
			const next = known.get(number + 1);
			if (facts && next && number < firstChecked) {
				await assertSame(deps, facts);
				segments.push(facts);
				head = { ...next.start, segment: number, offset: facts.bytes };
			} else await walk(number, isLast);
		},
		/** Throws when the journal ends before the mark. */
		finish(): Omit<Recovered, "snapshot"> {
			const floor = Math.max(mark.sequence, snapshot?.head.sequence ?? 0);
			const loss =
				head.sequence < floor
					? `the journal ends after frame ${head.sequence}, although frame ${floor} was on the disk already`
					: `the file is shorter than it was made before frame ${head.sequence} was written, so payments behind that frame may be gone`;
			const isWithSnapshot = head.sequence >= (snapshot?.head.sequence ?? 0);
			const acceptLoss = isWithSnapshot ? deps.acceptLoss : undefined;
			if (head.sequence < floor || isShort) refuseLoss({ ...deps, acceptLoss }, head, loss);
			return { state, head, segments, lastFrame };
		},
	};
}

function isShortEnd(
	mark: MarkRecord,
	newest: {
		readonly number: number;
		readonly fileBytes: number;
		readonly lastStart?: number | undefined;
	},
): boolean {
	if (mark.fileBytes === undefined) return false;
	const knownBytes = mark.segment === newest.number ? mark.fileBytes : 0;
	return isCutShort({ ...newest, knownBytes });
}

/** What is left is sound, and only its owner can say that it is to do. */
function refuseLoss(
	{ folders, acceptLoss }: RecoveryDeps,
	head: JournalHead,
	problem: string,
): void {
	if (acceptLoss) {
		acceptLoss(problem);
		return;
	}
	const path = segmentPath(folders.segments, head.segment);
	throw damaged({ path, offset: head.offset, problem, remedy: LOSS_REMEDY });
}

const LOSS_REMEDY =
	"Nothing was changed. Restore the store's folder from a backup that is newer, all its files together; without one, start with --accept-loss to go on with what is there, then run: tollgraph ledger reconcile.";

/** Throws when the frame is the one remembered, and differs from it. */
function assertExpected(
	{ path, end, link }: { path: string; end: number; link: ChainLink },
	remembered: JournalHead,
): void {
	if (link.sequence !== remembered.sequence) return;
	if (link.crc === remembered.crc && end === remembered.offset) return;
	const problem = `frame ${link.sequence} is another one than was written here`;
	throw damaged({ path, offset: end, problem });
}

/** A closed segment that the snapshot knows: same length, same first frame; its middle is left to `verify`. */
async function assertSame(
	{ fileSystem, folders }: RecoveryDeps,
	{ number, start, bytes }: SegmentFacts,
): Promise<void> {
	const path = segmentPath(folders.segments, number);
	const size = await fileSystem.size(path);
	if (size !== bytes) {
		const problem = `the segment has ${size} bytes instead of ${bytes}`;
		throw damaged({ path, offset: Math.min(size ?? 0, bytes), problem });
	}
	const header = decodeHeader(await readFirstHeader(fileSystem, folders.segments, number), 0);
	if (header?.sequence === start.sequence + 1 && header.previousCrc === start.crc) return;
	throw damaged({ path, offset: 0, problem: "another segment's frames are there" });
}

function coldRangeOf({ transactions }: FrameBody): TimeRange | undefined {
	let range: TimeRange | undefined;
	for (const operation of transactions.flat()) {
		if (operation.kind !== "put" || !COLD_TABLES.has(operation.table)) continue;
		range = widen(range, operation.row.id);
	}
	return range;
}
