export { momentumSchema } from "./trend-wire.js";
export { trendIdField } from "../graphs/graphs.js";
