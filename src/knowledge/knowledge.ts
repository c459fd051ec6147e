export {
	cleanLine,
	cleanText,
	FOOTNOTE,
	isProse,
	resolveLink,
	toBlocks,
	toParagraphs,
	toPlainText,
	toSections,
	toTableSentences,
	truncateText,
} from "../documents/documents.js";
export { packInSteps } from "./archive.js";
export {
	type BundleChange,
	type BundleChanges,
	type Changeable,
	changeBundle,
	conceptAt,
	isChangeable,
} from "./bundle-change.js";
export { compareText, isReserved, RECORD_PATH } from "./bundle-document.js";
export { bundleFilesFrom, readGraph, recoverBundles, writeBundle } from "./bundle-folder.js";
export { BUNDLE_LIMITS } from "./bundle-limits.js";
export {
	createPathClaims,
	FRAME_PATHS,
	reasonAgainstPath,
	reasonToSkip,
	toBundlePath,
	toSlug,
} from "./bundle-paths.js";
export { readBundleInTurns } from "./bundle-reader.js";
export { updateBundle } from "./bundle-update.js";
export {
	bundleFilesOf,
	encodePath,
	OKF_VERSION,
	toConceptFile,
	toMarkdownFile,
	toRecordFile,
	toRelationEntry,
} from "./bundle-writer.js";
export { createGraphCatalog, createPerGraph, type GraphCatalog } from "./catalog.js";
export { buildCatalogBundle, renderReadme, renderReadmeIndex } from "./catalog-bundle.js";
export { readRelation, toConceptId } from "./concept-reader.js";
export { assertLoadable, markOf } from "./content-hash.js";
export { toCroissant } from "./croissant.js";
export { FORMER_IDS, findSuccessor, formerIdsOf } from "./former-ids.js";
export type { Finding } from "./graph.js";
export {
	type AnalystProfile,
	type Concept,
	type Edge,
	type Evidence,
	type ExpertConsent,
	type FileMark,
	findConcept,
	type Graph,
	type GraphRecord,
	nameSharedVersion,
	readMemory,
	SETTABLE_FIELDS,
	type SettableField,
	sharedVersionOf,
	toTrendId,
} from "./graph.js";
export {
	beyondKept,
	createGraphHistory,
	type GraphHistory,
	type GraphVersion,
	type MadeVersion,
	readCause,
	recoverHistory,
	type VersionCause,
} from "./graph-history.js";
export {
	createGraphSnapshots,
	type GraphSnapshots,
	type ShippedSnapshots,
	startSnapshotKeeper,
} from "./graph-snapshots.js";
export {
	conceptPricesOf,
	createTermsSource,
	readTerms,
	toPercent,
	toTermsFields,
} from "./graph-terms.js";
export {
	differences,
	type FrameRules,
	frameChanges,
	isFrameCurrent,
	recordFor,
} from "./import-bundle.js";
export { importFolder, updateFromFolder } from "./import-folder.js";
export { type ImportOptions, type SkippedFile, SPLIT_CHARS_MIN } from "./import-options.js";
export {
	JSON_LD_CONTEXT,
	toArticle,
	toCatalogDataset,
	toDataset,
	toGraphSlice,
	toNodeAddress,
} from "./json-ld.js";
export { firstWhere, fnv1a, type PathMap, valueAt } from "./path-map.js";
export { toSourceEntry, writtenDate } from "./source-entry.js";
export type { ImportMemory } from "./source-reading.js";
export {
	changesTo,
	packChanges,
	packFiles,
	packWhole,
	unpackVersion,
	type VersionContent,
} from "./version-archive.js";
export { restOfTurn, runAtOnce, runInTurns, type Steps } from "./work-in-turns.js";
