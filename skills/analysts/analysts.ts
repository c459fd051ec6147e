export { getAnalyst, listAnalysts } from "./analyst-index.js";
