import { createHash } from "node:crypto";
import { invalidArgument } from "../../kernel/kernel.js";
import type { BundleMemory, FileMark } from "../model/graph.js";
import { entriesOf, type PathMap } from "../model/path-map.js";
import type { Steps } from "../model/work-in-turns.js";
import { BUNDLE_LIMITS } from "./bundle-limits.js";

/** sha256 (hex) of one text or byte string; what ETags are made of. */
export function hashOf(content: string | Uint8Array): string {
	return createHash("sha256").update(content).digest("hex");
}

/** Of one file of a bundle, or of as much of it as a reader looks at. */
export function markOf(bytes: Uint8Array): FileMark {
	const read = bytes.subarray(0, BUNDLE_LIMITS.fileBytes + 1);
	return { sha256: hashOf(read), bytes: read.length };
}

/** A bucket that a change left alone keeps its hash. */
const bucketHashes = new WeakMap<ReadonlyMap<string, FileMark>, string>();

/** One hash over paths and hashes of all files; after a change only the buckets it touched are hashed again. */
export function hashOfBundle({ buckets }: PathMap<FileMark>): string {
	return hashOf(buckets.map(hashOfBucket).join("\n"));
}

/** The hashes that `hashOfBundle` asks for, found before a change has to wait for them. */
export function* hashBuckets({ buckets }: PathMap<FileMark>): Steps<void> {
	for (const bucket of buckets) {
		hashOfBucket(bucket);
		yield;
	}
}

function hashOfBucket(files: ReadonlyMap<string, FileMark>): string {
	if (files.size === 0) return "";
	const known = bucketHashes.get(files);
	if (known !== undefined) return known;
	const lines = [...files.keys()]
		.sort()
		.map((path) => `${JSON.stringify(path)} ${files.get(path)?.sha256}`);
	const hash = hashOf(lines.join("\n"));
	bucketHashes.set(files, hash);
	return hash;
}

/** Throws INVALID_ARGUMENT for files that could be written but not be loaded as one graph again. */
export function assertLoadable({ files }: BundleMemory): void {
	let totalBytes = 0;
	// Of a file above the limit no more is read than shows that it is.
	for (const [, { bytes }] of entriesOf(files)) {
		totalBytes += Math.min(bytes, BUNDLE_LIMITS.fileBytes + 1);
	}
	if (files.size <= BUNDLE_LIMITS.files && totalBytes <= BUNDLE_LIMITS.totalBytes) return;
	throw invalidArgument(
		`The graph would have ${files.size} files and ${totalBytes} bytes, and at most ${BUNDLE_LIMITS.files} files and ${BUNDLE_LIMITS.totalBytes} bytes are read of one; nothing has changed. Take something out, or make two graphs of it.`,
	);
}
