export { createDeepDiveOperations, type DeepDiveOperations } from "./deep-dive-operations.js";
export { createDeepDivePlans, type DeepDivePlanRequest } from "./deep-dive-plans.js";
export { createDeepDiveWork } from "./deep-dive-work.js";
export { createEarlierQuestions, type FindEarlierQuestion } from "./earlier-question.js";
export type { FeedObserver } from "./feed-pass.js";
