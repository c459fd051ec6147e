import { join } from "node:path";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { z } from "zod";
import type { BundleChanges, Changeable } from "../bundle/bundle-change.js";
import { bundleFilesFrom, readBounded } from "../bundle/bundle-folder.js";
import { BUNDLE_LIMITS } from "../bundle/bundle-limits.js";
import type { BundleFiles } from "../bundle/bundle-reader.js";
import { markOf } from "../bundle/content-hash.js";
import { entriesOf, valueAt } from "../model/path-map.js";
import { runInTurns, type Steps, visitInSteps } from "../model/work-in-turns.js";

/** What one version of a graph is given on as: all its files, or what it changed of the one before. */
export interface VersionContent {
	readonly archive: Uint8Array;
	readonly removed: readonly string[];
}

/** All files of a graph as they are on the disk. Rejects where they are not what the graph was read from. */
export async function packWhole(graph: Changeable): Promise<VersionContent> {
	const files = await bundleFilesFrom(graph);
	return packFiles(graph, files);
}

/** These files, all or those that changed. Rejects where the graph has others. */
export async function packFiles(
	{ record, memory }: Changeable,
	files: BundleFiles,
	removed: readonly string[] = [],
): Promise<VersionContent> {
	const check = visitInSteps(files, ([path, bytes]) => {
		if (valueAt(memory.files, path)?.sha256 === markOf(bytes).sha256) return;
		throw new Error(`The file "${path}" of the graph "${record.id}" was changed by hand.`);
	});
	await runInTurns(check);
	return { archive: await runInTurns(pack(files)), removed };
}

/** What a change did to its graph: `next` is the graph after it. */
export async function packChanges(
	next: Changeable,
	changes: BundleChanges,
): Promise<VersionContent> {
	const files = new Map<string, Uint8Array>();
	const removed: string[] = [];
	for (const path of changes.keys()) {
		if (valueAt(next.memory.files, path) === undefined) removed.push(path);
		else files.set(path, await readBounded(join(next.folder, path)));
	}
	return packFiles(next, files, removed);
}

/** The files of a version, and what it took away. Throws for what is no archive of this kind. */
export async function unpackVersion({ archive, removed }: VersionContent): Promise<BundleChanges> {
	const files = await runInTurns(unpack(archive));
	return new Map([...removed.map((path) => [path, undefined] as const), ...files]);
}

/** What makes a graph's files these, and no others. */
export async function changesTo(
	{ memory }: Changeable,
	files: BundleFiles,
): Promise<BundleChanges> {
	const changes = new Map<string, Uint8Array | undefined>();
	const compare = visitInSteps(files, ([path, bytes]) => {
		const known = valueAt(memory.files, path);
		if (known?.sha256 !== markOf(bytes).sha256) changes.set(path, bytes);
	});
	await runInTurns(compare);
	for (const [path] of entriesOf(memory.files)) if (!files.has(path)) changes.set(path, undefined);
	return changes;
}

/** Paths with the length of each file as it is packed, in the order of the files. */
const header = z.array(z.tuple([z.string(), z.int().nonnegative()]));
const LENGTH_BYTES = 4;

/** The length of the header, the header, then one file after the other: each is packed, and unpacked, in a step of its own. */
function* pack(files: BundleFiles): Steps<Uint8Array> {
	const bodies: Uint8Array[] = [];
	const entries: [string, number][] = [];
	for (const path of [...files.keys()].sort()) {
		const body = deflateRawSync(files.get(path) ?? new Uint8Array());
		bodies.push(body);
		entries.push([path, body.length]);
		yield;
	}
	const head = Buffer.from(JSON.stringify(entries), "utf8");
	const length = Buffer.alloc(LENGTH_BYTES);
	length.writeUInt32LE(head.length);
	return Buffer.concat([length, head, ...bodies]);
}

function* unpack(archive: Uint8Array): Steps<Map<string, Uint8Array>> {
	const bytes = Buffer.from(archive.buffer, archive.byteOffset, archive.length);
	let at = LENGTH_BYTES + bytes.readUInt32LE();
	const entries = header.parse(JSON.parse(bytes.toString("utf8", LENGTH_BYTES, at)));
	const files = new Map<string, Uint8Array>();
	for (const [path, length] of entries) {
		const maxOutputLength = BUNDLE_LIMITS.fileBytes + 1;
		files.set(path, inflateRawSync(bytes.subarray(at, at + length), { maxOutputLength }));
		at += length;
		yield;
	}
	return files;
}
