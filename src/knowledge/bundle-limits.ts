/** Bounds on content we did not write: folders, archives and front matter. */
export const BUNDLE_LIMITS = {
	files: 250_000,
	fileBytes: 1024 * 1024,
	totalBytes: 512 * 1024 * 1024,
	depth: 16,
	/** One name of an imported document's path. */
	nameChars: 255,
	/** One name of a path in a bundle we write; every file system takes that much and an ending. */
	nameBytes: 200,
	frontMatterChars: 64 * 1024,
	/** Mappings and lists inside one another. */
	frontMatterDepth: 32,
	/** References to YAML anchors; more is an expansion bomb, not a document. */
	yamlAliases: 64,
	/** Unpacked over packed size of one archive entry. */
	archiveRatio: 200,
	archiveBytes: 256 * 1024 * 1024,
	sources: 200,
	/** Other keys of the front matter that are searched, and how much of each. */
	facts: 24,
	factChars: 200,
	summaryChars: 1_000,
	titleChars: 300,
	urlChars: 2_048,
} as const;
