export { ARTICLE_REF, SOURCE, TREND, TREND_ID, TREND_ITEM } from "./trend-examples.js";
export type { MomentumWire } from "./trend-wire.js";
export { momentumSchema, trendIdField } from "./trend-wire.js";

export { trend, trendEvidence, trendList } from "./trends.operations.js";
