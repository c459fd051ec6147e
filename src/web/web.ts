export { createWebRouter } from "./web-router.js";
