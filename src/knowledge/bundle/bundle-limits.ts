import { DOCUMENT_LIMITS } from "../../documents/documents.js";

/** Bounds on content we did not write: folders, archives and front matter. */
export const BUNDLE_LIMITS = {
	...DOCUMENT_LIMITS,
	files: 250_000,
	totalBytes: 512 * 1024 * 1024,
	depth: 16,
	/** One name of an imported document's path. */
	nameChars: 255,
	/** One name of a path in a bundle we write; every file system takes that much and an ending. */
	nameBytes: 200,
	/** Unpacked over packed size of one archive entry. */
	archiveRatio: 200,
	archiveBytes: 256 * 1024 * 1024,
	/** Other keys of the front matter that are searched, and how much of each. */
	facts: 24,
	factChars: 200,
} as const;
