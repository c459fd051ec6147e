import { ServiceError } from "../kernel/kernel.js";
import { BUNDLE_LIMITS } from "./bundle-limits.js";
import type { BundleMemory } from "./graph.js";
import { entriesOf } from "./path-map.js";

/** Throws INVALID_ARGUMENT for files that could be written but not be loaded as one graph again. */
export function assertLoadable({ files }: BundleMemory): void {
	let totalBytes = 0;
	// Of a file above the limit no more is read than shows that it is.
	for (const [, { bytes }] of entriesOf(files)) {
		totalBytes += Math.min(bytes, BUNDLE_LIMITS.fileBytes + 1);
	}
	if (files.size <= BUNDLE_LIMITS.files && totalBytes <= BUNDLE_LIMITS.totalBytes) return;
	throw new ServiceError(
		"INVALID_ARGUMENT",
		`The graph would have ${files.size} files and ${totalBytes} bytes, and at most ${BUNDLE_LIMITS.files} files and ${BUNDLE_LIMITS.totalBytes} bytes are read of one; nothing has changed. Take something out, or make two graphs of it.`,
	);
}
