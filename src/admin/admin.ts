export { createAdminRouter } from "./admin-router.js";
