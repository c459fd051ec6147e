export { createAdminRouter, createOperatorCheck } from "./admin-router.js";
