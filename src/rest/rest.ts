export { createFallback, createHttpFront } from "./http-frame.js";
export { createRateLimit } from "./rate-limit.js";
export { createRestRouter } from "./rest-router.js";
