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
export { packInSteps } from "./bundle/archive.js";
export {
	type BundleChange,
	type BundleChanges,
	type Changeable,
	changeBundle,
	conceptAt,
	isChangeable,
} from "./bundle/bundle-change.js";
export { compareText, isReserved, RECORD_PATH } from "./bundle/bundle-document.js";
export { bundleFilesFrom, readGraph, recoverBundles, writeBundle } from "./bundle/bundle-folder.js";
export { BUNDLE_LIMITS } from "./bundle/bundle-limits.js";
export { readBundleInTurns } from "./bundle/bundle-reader.js";
export { updateBundle } from "./bundle/bundle-update.js";
export {
	bundleFilesOf,
	encodePath,
	OKF_VERSION,
	toConceptFile,
	toMarkdownFile,
	toRecordFile,
	toRelationEntry,
} from "./bundle/bundle-writer.js";
export { readRelation, toConceptId } from "./bundle/concept-reader.js";
export { assertLoadable, markOf } from "./bundle/content-hash.js";
export { buildCatalogBundle, renderReadme, renderReadmeIndex } from "./exports/catalog-bundle.js";
export { toCroissant } from "./exports/croissant.js";
export {
	JSON_LD_CONTEXT,
	toArticle,
	toCatalogDataset,
	toDataset,
	toGraphSlice,
	toNodeAddress,
} from "./exports/json-ld.js";
export {
	differences,
	type FrameRules,
	frameChanges,
	isFrameCurrent,
	recordFor,
} from "./import/bundle-frame.js";
export {
	createPathClaims,
	FRAME_PATHS,
	reasonAgainstPath,
	reasonToSkip,
	toBundlePath,
	toSlug,
} from "./import/bundle-paths.js";
export { importFolder, updateFromFolder } from "./import/import-folder.js";
export { type ImportOptions, type SkippedFile, SPLIT_CHARS_MIN } from "./import/import-options.js";
export type { ImportMemory } from "./import/source-reading.js";
export { createGraphCatalog, createPerGraph, type GraphCatalog } from "./model/catalog.js";
export { FORMER_IDS, findSuccessor, formerIdsOf } from "./model/former-ids.js";
export type { Finding } from "./model/graph.js";
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
} from "./model/graph.js";
export {
	conceptPricesOf,
	createTermsSource,
	readTerms,
	toPercent,
	toTermsFields,
} from "./model/graph-terms.js";
export { firstWhere, fnv1a, type PathMap, valueAt } from "./model/path-map.js";
export { toSourceEntry, writtenDate } from "./model/source-entry.js";
export { restOfTurn, runAtOnce, runInTurns, type Steps } from "./model/work-in-turns.js";
export {
	createGraphSnapshots,
	type GraphSnapshots,
	type ShippedSnapshots,
	startSnapshotKeeper,
} from "./snapshots/graph-snapshots.js";
export {
	beyondKept,
	createGraphHistory,
	type GraphHistory,
	type GraphVersion,
	type MadeVersion,
	readCause,
	recoverHistory,
	type VersionCause,
} from "./versions/graph-history.js";
export {
	changesTo,
	packChanges,
	packFiles,
	packWhole,
	unpackVersion,
	type VersionContent,
} from "./versions/version-archive.js";
