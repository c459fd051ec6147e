export type { Mcp } from "./create-mcp.js";
export { createLateMcp } from "./lazy-mcp.js";
