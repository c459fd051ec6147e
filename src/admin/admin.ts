export { createAdminRouter } from "./admin-router.js";
export { createOperatorCheck } from "./operator-check.js";
