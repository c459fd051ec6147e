export { createLateMcp } from "./lazy-mcp.js";
export type { Mcp } from "./mcp-router.js";
