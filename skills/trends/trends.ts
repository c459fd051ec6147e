export { momentumSchema, trendIdField } from "./trend-wire.js";
