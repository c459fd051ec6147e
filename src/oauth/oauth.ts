export { createOAuthRouter, createResourceRoutes } from "./oauth-router.js";
