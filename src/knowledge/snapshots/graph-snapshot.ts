import { createHash, webcrypto } from "node:crypto";
import { open, readFile, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { deserialize, serialize } from "node:v8";
import type { Changeable } from "../bundle/bundle-change.js";
import { recordOf } from "../bundle/bundle-reader.js";
import { nodeBundleDisk } from "../bundle/bundle-update.js";
import { hashBuckets } from "../bundle/content-hash.js";
import {
	type BundleFrame,
	type BundleMemory,
	type Concept,
	type FileMark,
	type Finding,
	withLateMemory,
} from "../model/graph.js";
import { entriesOf, growPathMap, valueAt } from "../model/path-map.js";
import type { Steps } from "../model/work-in-turns.js";
import { type ConceptRow, fromConceptRow, toConceptRow } from "./snapshot-rows.js";

/** Raised whenever reading a bundle gives something else than before, or the layout changes: older snapshots are then rebuilt. */
export const SNAPSHOT_VERSION = 6;

/** Why files are not on sale that should be, by path; undefined where they would have to be read to find out. */
export type Astray = ReadonlyMap<string, Finding | undefined>;

/** A graph as it was read from its files, and what the files looked like then. */
export type GraphSnapshot = ReturnType<typeof toSnapshot>;

/** What has to agree before a snapshot is looked into. */
export interface SnapshotName {
	readonly version: string;
	readonly folder: string;
	/** What the snapshot says in place of the folder's path. */
	readonly label?: string;
}

type Label = ReturnType<typeof toLabel>;
type Head = ReturnType<typeof toHead>;

type AstrayRow = readonly [path: string, rule?: Finding["rule"], message?: string];

type FileRow = readonly [
	path: string,
	sha256: string,
	bytes: number,
	stamp: string | null,
	awaited?: readonly string[],
];

/** Many short lines cost more than a few long ones. */
const ROWS_PER_LINE = 100;

/** How many files a graph has, by the first line of its snapshot alone; undefined where `readSnapshot` need not be asked. */
export async function peekSnapshot(file: string, name: SnapshotName): Promise<number | undefined> {
	const label = (await readFirstLine(file)) as Label | undefined;
	return label && isNamed(label, name) ? label.files : undefined;
}

/** Undefined for a file that is missing, damaged, of another version or of another bundle. */
export async function readSnapshot(
	file: string,
	name: SnapshotName,
): Promise<GraphSnapshot | undefined> {
	const lines = await readSnapshotLines(file);
	if (!lines) return undefined;
	const snapshot = parseSnapshot(lines, name);
	return (await lines.isWhole) ? snapshot : undefined;
}

/** Undefined for what cannot be parsed, and for another graph; the checksum decides about the rest. */
function parseSnapshot(lines: SnapshotLines, name: SnapshotName): GraphSnapshot | undefined {
	try {
		return isNamed(lines.next() as Label, name) ? toSnapshot(name, lines) : undefined;
	} catch {
		return undefined;
	}
}

function toSnapshot({ folder }: SnapshotName, lines: SnapshotLines) {
	const { contentHash, stampsHash, astrayLines, ...head } = lines.next() as Head;
	const astray = new Map<string, Finding | undefined>();
	for (const row of rowsOf<AstrayRow>(lines, astrayLines)) astray.set(row[0], toFinding(row));
	const concepts: Concept[] = [];
	for (const row of rowsOf<ConceptRow>(lines, head.conceptLines))
		concepts.push(fromConceptRow(row));
	const frame = deserialize(Buffer.from(head.frame, "base64")) as BundleFrame;
	const stamps = new Map<string, string>();
	const graph = withLateMemory(
		{ record: recordOf(frame, concepts), concepts, folder, contentHash },
		readFileRows(lines.rest(), frame, stamps),
	);
	return {
		/** Its memory is read once it is asked for. */
		graph: graph as Changeable,
		astray: astray as Astray,
		stampsHash: stampsHash ?? undefined,
		/** Reads the memory along with them. */
		stamps: (): ReadonlyMap<string, string> => (graph.memory ? stamps : new Map()),
	};
}

function* rowsOf<Row>(lines: SnapshotLines, count: number): Generator<Row> {
	for (let line = 0; line < count; line++) yield* lines.next() as readonly Row[];
}

function toFinding([file, rule, message]: AstrayRow): Finding | undefined {
	return rule && message !== undefined ? { file, rule, severity: "error", message } : undefined;
}

function isNamed({ snapshot, version, folder }: Label, name: SnapshotName): boolean {
	const wanted = toLabel(name, 0);
	return snapshot === wanted.snapshot && version === wanted.version && folder === wanted.folder;
}

/** Steps of less than half a millisecond each. */
function* readFileRows(
	lines: Iterable<unknown>,
	frame: BundleFrame,
	stamps: Map<string, string>,
): Steps<BundleMemory> {
	const marks = growPathMap<FileMark>();
	const awaited = growPathMap<readonly string[]>();
	for (const rows of lines as Iterable<readonly FileRow[]>) {
		yield;
		for (const [path, sha256, bytes, stamp, targets] of rows) {
			marks.put(path, { sha256, bytes });
			if (targets) awaited.put(path, targets);
			if (stamp !== null) stamps.set(path, stamp);
		}
		yield;
	}
	const files = marks.take();
	yield* hashBuckets(files);
	return { files, awaited: awaited.take(), frame };
}

interface SnapshotContent {
	readonly graph: Changeable;
	readonly stampOf: (path: string) => string | undefined;
	/** Of the stamps of all files, when all have one. */
	readonly stampsHash: string | undefined;
	readonly astray: Astray;
}

function toLabel({ version, folder, label = folder }: SnapshotName, files: number) {
	return { snapshot: SNAPSHOT_VERSION, version, folder: label, files };
}

function toHead({ graph, stampsHash, astray }: SnapshotContent) {
	return {
		contentHash: graph.contentHash,
		/** As V8 writes values: YAML knows numbers that JSON does not. In base64. */
		frame: serialize(graph.memory.frame).toString("base64"),
		stampsHash: stampsHash ?? null,
		astrayLines: Math.ceil(astray.size / ROWS_PER_LINE),
		conceptLines: Math.ceil(graph.concepts.length / ROWS_PER_LINE),
	};
}

function* linesOf(name: SnapshotName, content: SnapshotContent): Generator<unknown> {
	const { graph, stampOf, astray } = content;
	const { files, awaited } = graph.memory;
	yield toLabel(name, files.size);
	yield toHead(content);
	yield* linesOfRows(
		astray,
		([path, finding]): AstrayRow => (finding ? [path, finding.rule, finding.message] : [path]),
	);
	yield* linesOfRows(graph.concepts, toConceptRow);
	yield* linesOfRows(entriesOf(files), ([path, { sha256, bytes }]): FileRow => {
		const targets = valueAt(awaited, path);
		const row = [path, sha256, bytes, stampOf(path) ?? null] as const;
		return targets ? [...row, targets] : row;
	});
}

function* linesOfRows<T>(all: Iterable<T>, toRow: (one: T) => unknown): Generator<unknown> {
	let rows: unknown[] = [];
	for (const one of all) {
		if (rows.length === ROWS_PER_LINE) {
			yield rows;
			rows = [];
		}
		rows.push(toRow(one));
	}
	if (rows.length > 0) yield rows;
}

/** A file of JSON lines. The last one holds the SHA-256 of all bytes before it: a file that was cut off or changed has none that fits. */

const PIECE_BYTES = 128 * 1024;
const NEW_LINE = 0x0a;
const { subtle } = webcrypto;

type SnapshotLines = NonNullable<Awaited<ReturnType<typeof readSnapshotLines>>>;

/** A first line that is longer is none of ours: it names a folder, and a path has an end. */
const FIRST_LINE_BYTES = 32 * 1024;

/** The first line alone, of which nothing says that it is as it was written; undefined for what is no line of JSON. */
async function readFirstLine(file: string): Promise<unknown> {
	const handle = await open(file).catch(() => undefined);
	if (!handle) return undefined;
	try {
		const buffer = Buffer.alloc(FIRST_LINE_BYTES);
		const { bytesRead } = await handle.read({ buffer });
		return toLines(buffer.subarray(0, bytesRead)).next();
	} catch {
		return undefined;
	} finally {
		await handle.close();
	}
}

/** All lines but the last; undefined when there is no such file. */
async function readSnapshotLines(file: string) {
	const bytes = await readFile(file).catch(() => undefined);
	if (!bytes) return undefined;
	const end = bytes.lastIndexOf(NEW_LINE, bytes.length - 2) + 1;
	const content = bytes.subarray(0, end);
	const lastLine = bytes.toString("latin1", end);
	// Another thread adds up the bytes while this one parses them; until it has, nothing that was read may be used.
	const isWhole = subtle
		.digest("SHA-256", content)
		.then((digest) => lastLine === toLine(Buffer.from(digest).toString("hex")));
	return { ...toLines(content), isWhole };
}

function toLines(bytes: Buffer) {
	let from = 0;
	/** Undefined after the last one; throws for what is no JSON. */
	const next = (): unknown => {
		const to = bytes.indexOf(NEW_LINE, from);
		if (to < 0) return undefined;
		const value: unknown = JSON.parse(bytes.toString("utf8", from, to));
		from = to + 1;
		return value;
	};
	return {
		next,
		/** Lines not asked for yet, each parsed when its turn comes; the bytes before them are freed. */
		rest: () => allOf(Buffer.from(bytes.subarray(from))),
	};
}

function* allOf(bytes: Buffer): Generator<unknown, void> {
	const { next } = toLines(bytes);
	for (let value = next(); value !== undefined; value = next()) yield value;
}

/**
 * Puts a new file in place of an old one once it is whole and on the disk; one writer at a time. Throws what the disk says and what
 * the signal does; the snapshot that was there stays then.
 */
export async function writeSnapshot(
	file: string,
	content: SnapshotContent,
	{ signal, ...name }: SnapshotName & { readonly signal: AbortSignal },
): Promise<void> {
	const temporary = `${file}.tmp`;
	try {
		const handle = await open(temporary, "w", 0o600);
		try {
			const hash = createHash("sha256");
			for (const piece of toPieces(linesOf(name, content))) {
				hash.update(piece);
				await handle.writeFile(piece);
				signal.throwIfAborted();
			}
			await handle.writeFile(toLine(hash.digest("hex")));
			await handle.sync();
		} finally {
			await handle.close();
		}
		await rename(temporary, file);
	} catch (error) {
		await rm(temporary, { force: true });
		throw error;
	}
	await nodeBundleDisk.syncFolder(dirname(file));
}

function* toPieces(values: Iterable<unknown>): Generator<Buffer> {
	let text = "";
	for (const value of values) {
		text += toLine(value);
		if (text.length < PIECE_BYTES) continue;
		yield Buffer.from(text, "utf8");
		text = "";
	}
	yield Buffer.from(text, "utf8");
}

function toLine(value: unknown): string {
	return `${JSON.stringify(value)}\n`;
}
