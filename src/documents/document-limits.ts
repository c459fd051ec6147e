/** Bounds on documents we did not write. */
export const DOCUMENT_LIMITS = {
	fileBytes: 1024 * 1024,
	frontMatterChars: 64 * 1024,
	/** Mappings and lists inside one another. */
	frontMatterDepth: 32,
	/** References to YAML anchors; more is an expansion bomb, not a document. */
	yamlAliases: 64,
	sources: 200,
	summaryChars: 1_000,
	titleChars: 300,
	urlChars: 2_048,
} as const;
