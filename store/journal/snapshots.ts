import { join } from "node:path";
import { crc32 } from "node:zlib";
import { nextTurn } from "../../src/kernel/kernel.js";
import { encodeObject, type Row, reviveMoney, type TableName } from "../store.js";
import { damaged } from "./damage.js";
import { type FileSystem, replaceFile } from "./file-system.js";
import { hex } from "./frame.js";
import type { Journal } from "./journal-log.js";
import type { JournalHead, SegmentFacts } from "./segments.js";
import type { StateCopy } from "./state.js";

/** What the journal added up to at one frame; derived, so that losing it costs time and nothing else. */
export interface Snapshot {
	readonly head: JournalHead;
	readonly segments: readonly SegmentFacts[];
	readonly state: StateCopy;
}

const NAME = /^(\d{12})\.snapshot$/;
/** Rows encoded between two turns of the event loop. */
const ROWS_PER_LINE = 500;
const END_BYTES = "end 00000000\n".length;

type FirstLine = Omit<Snapshot, "state"> & Pick<StateCopy, "transactions">;

type Line =
	| { readonly table: TableName; readonly rows: readonly Row[] }
	| { readonly balances: readonly (readonly [string, string])[] }
	| { readonly hour: number; readonly keys: readonly string[] };

/** Writes a snapshot in slices, lets it take the place of the older ones and returns its size in bytes. */
async function writeSnapshot(
	fileSystem: FileSystem,
	folder: string,
	snapshot: Snapshot,
): Promise<number> {
	const older = await fileSystem.list(folder);
	const path = snapshotPath(folder, snapshot.head.sequence);
	let bytes = 0;
	async function* chunks(): AsyncGenerator<Buffer> {
		let crc = 0;
		for (const line of linesOf(snapshot)) {
			const chunk = Buffer.from(`${line}\n`, "utf8");
			crc = crc32(chunk, crc);
			bytes += chunk.length;
			yield chunk;
			await nextTurn();
		}
		yield Buffer.from(`end ${hex(crc, 8)}\n`, "latin1");
	}
	await replaceFile(fileSystem, { path, temporaryPath: `${path}.new`, chunks: chunks() });
	for (const name of older) {
		if (join(folder, name) !== path) await fileSystem.remove(join(folder, name));
	}
	return bytes + END_BYTES;
}

/** The newest snapshot with its size, or undefined when there is none. Throws UNAVAILABLE when it is damaged. */
export async function readNewestSnapshot(
	fileSystem: FileSystem,
	folder: string,
): Promise<{ readonly snapshot: Snapshot; readonly bytes: number } | undefined> {
	const names = (await fileSystem.list(folder)).filter((name) => NAME.test(name));
	const name = names.at(-1);
	if (name === undefined) return undefined;
	const path = join(folder, name);
	const bytes = (await fileSystem.read(path)) ?? Buffer.alloc(0);
	const end = bytes.length - END_BYTES;
	if (
		end < 0 ||
		bytes.toString("latin1", end) !== `end ${hex(crc32(bytes.subarray(0, end)), 8)}\n`
	) {
		throw badSnapshot(path, Math.max(0, end), "the checksum of what comes before does not match");
	}
	const snapshot = decode(bytes.toString("utf8", 0, end));
	if (path !== snapshotPath(folder, snapshot.head.sequence)) {
		throw badSnapshot(path, 0, `it is the snapshot of frame ${snapshot.head.sequence}`);
	}
	return { snapshot, bytes: bytes.length };
}

/** A snapshot that cannot be trusted may be deleted: the next start adds up the whole journal instead. */
export function badSnapshot(path: string, offset: number, problem: string): Error {
	const remedy = `Nothing was changed. The journal holds everything: delete "${path}", and the next start makes a new snapshot.`;
	return damaged({ path, offset, problem, remedy });
}

export function snapshotPath(folder: string, sequence: number): string {
	return join(folder, `${String(sequence).padStart(12, "0")}.snapshot`);
}

function* linesOf({ head, segments, state }: Snapshot): Generator<string> {
	yield JSON.stringify({ head, segments, transactions: state.transactions });
	for (const { name, rows } of state.tables) {
		for (const part of parts(rows)) {
			yield `{"table":"${name}","rows":[${part.map(encodeObject).join(",")}]}`;
		}
	}
	for (const part of parts(state.balances)) {
		yield JSON.stringify({ balances: part.map(([account, amount]) => [account, `${amount}`]) });
	}
	for (const { hour, keys } of state.keys) {
		for (const part of parts(keys)) yield JSON.stringify({ hour, keys: part });
	}
}

function* parts<T>(items: readonly T[]): Generator<readonly T[]> {
	for (let start = 0; start < items.length; start += ROWS_PER_LINE) {
		yield items.slice(start, start + ROWS_PER_LINE);
	}
}

function decode(text: string): Snapshot {
	const [first = "", ...rest] = text.trimEnd().split("\n");
	const { head, segments, transactions } = JSON.parse(first) as FirstLine;
	const state: MutableCopy = { tables: [], balances: [], keys: [], transactions };
	for (const json of rest) addLine(state, JSON.parse(json) as Line);
	return { head, segments, state };
}

function addLine({ tables, balances, keys }: MutableCopy, line: Line): void {
	if ("table" in line) tables.push({ name: line.table, rows: reviveMoney(line.rows) });
	else if ("balances" in line) {
		for (const [account, amount] of line.balances) balances.push([account, BigInt(amount)]);
	} else {
		const newest = keys.at(-1);
		if (newest?.hour === line.hour) newest.keys.push(...line.keys);
		else keys.push({ hour: line.hour, keys: [...line.keys] });
	}
}

interface MutableCopy extends StateCopy {
	readonly tables: StateCopy["tables"][number][];
	readonly balances: StateCopy["balances"][number][];
	readonly keys: { readonly hour: number; readonly keys: string[] }[];
}

/** This much journal is replayed in a fraction of a second. */
const DUE_BYTES = 4 * 1024 * 1024;
const DUE_AT_CLOSE_BYTES = 256 * 1024;

/** Takes snapshots seldom enough that writing them stays a small part of writing the journal. */
export function createSnapshotScheduler({
	fileSystem,
	folder,
	journal,
	capture,
	newestBytes: snapshotBytes,
	bytesSince,
}: {
	readonly fileSystem: FileSystem;
	readonly folder: string;
	readonly journal: Journal;
	/** The state exactly as of the journal's head. */
	readonly capture: () => Promise<Snapshot>;
	/** Size of the newest snapshot found at start; 0 when there is none. */
	readonly newestBytes: number;
	readonly bytesSince: number;
}) {
	let running: Promise<void> | undefined;

	const take = async () => {
		const counted = bytesSince;
		try {
			const snapshot = await capture();
			snapshotBytes = await writeSnapshot(fileSystem, folder, snapshot);
			await journal.setSnapshot(snapshot.head.sequence);
		} catch {
			// Derived data: a restart replays more. The journal itself reports a disk that fails.
		}
		bytesSince = Math.max(0, bytesSince - counted);
	};

	return {
		/** Counts bytes of the journal; begins a snapshot in the background when enough have come together. */
		grew(bytes: number): void {
			bytesSince += bytes;
			if (running || bytesSince < Math.max(DUE_BYTES, 2 * snapshotBytes)) return;
			running = take().finally(() => {
				running = undefined;
			});
		},
		/** Waits for a snapshot under way, and takes a last one when a restart would otherwise replay much. */
		async close(): Promise<void> {
			await running;
			if (bytesSince >= Math.max(DUE_AT_CLOSE_BYTES, snapshotBytes)) await take();
		},
	};
}
