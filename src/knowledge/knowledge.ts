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
export { readGraph } from "./bundle-files.js";
export { recoverBundles, writeBundle } from "./bundle-folder.js";
export { BUNDLE_LIMITS } from "./bundle-limits.js";
export { assertLoadable } from "./bundle-size.js";
export { updateBundle } from "./bundle-update.js";
export { bundleFilesOf, OKF_VERSION } from "./bundle-writer.js";
export { createGraphCatalog, type GraphCatalog } from "./catalog.js";
export { buildCatalogBundle } from "./catalog-bundle.js";
export { reasonAgainstPath } from "./concept-path.js";
export { toConceptId } from "./concept-reader.js";
export { writtenDate } from "./concept-writer.js";
export { markOf } from "./content-hash.js";
export type { Finding } from "./finding.js";
export {
	type AnalystProfile,
	type Concept,
	type Edge,
	type Evidence,
	type ExpertConsent,
	type FileMark,
	type Graph,
	type GraphRecord,
	toTrendId,
} from "./graph.js";
export { toCatalogDataset, toDataset } from "./graph-dataset.js";
export { toArticle, toGraphSlice, toNodeAddress } from "./graph-slice.js";
export { createGraphSnapshots, type GraphSnapshots } from "./graph-snapshots.js";
export { importFolder, updateFromFolder } from "./import-folder.js";
export {
	differences,
	type FrameRules,
	frameChanges,
	isFrameCurrent,
	recordFor,
} from "./import-frame.js";
export type { ImportMemory } from "./import-memory.js";
export type { ImportOptions, SkippedFile } from "./import-options.js";
export { FRAME_PATHS } from "./import-path.js";
export { reasonToSkip } from "./import-screen.js";
export { JSON_LD_CONTEXT } from "./json-ld.js";
export { readMemory } from "./late-memory.js";
export { FOOTNOTE, toParagraphs, toSections } from "./markdown-prose.js";
export { type PathMap, valueAt } from "./path-map.js";
export { createPerGraph } from "./per-graph.js";
export { renderReadme, renderReadmeIndex } from "./readme.js";
export { toRecordFile } from "./record-writer.js";
export { cleanLine, cleanText, toPlainText, truncateText } from "./served-text.js";
export { type SnapshotKeeperDeps, startSnapshotKeeper } from "./snapshot-keeper.js";
export { restOfTurn, runAtOnce, runInTurns, type Steps, stepsOf } from "./work-in-turns.js";
