export { trendIdField } from "../graphs/graphs.js";
export { momentumSchema } from "./trend-wire.js";
