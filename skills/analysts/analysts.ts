export { getAnalyst, listAnalysts } from "./analyst-list.js";
