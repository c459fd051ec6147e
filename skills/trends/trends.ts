export { ARTICLE_REF, SOURCE, TREND, TREND_ID, TREND_ITEM } from "./trend-examples.js";
export type { MomentumWire } from "./trend-wire.js";
export { momentumSchema } from "./trend-wire.js";
