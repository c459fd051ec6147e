export { createFallback } from "./error-handler.js";
export { createHttpFront } from "./http-front.js";
export { createRateLimit } from "./rate-limit.js";
export { createRestRouter } from "./rest-router.js";
