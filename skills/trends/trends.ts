export { momentumSchema } from "./trend-wire.js";
