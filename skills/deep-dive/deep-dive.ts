export { createDeepDiveOperations, type DeepDiveOperations } from "./deep-dive-operations.js";
export { createDeepDiveWork } from "./deep-dive-work.js";
export { createEarlierQuestions, type FindEarlierQuestion } from "./earlier-question.js";
export { createDeepDivePlans, type DeepDivePlanRequest } from "./plan.js";
export type { FeedObserver } from "./research-passes.js";
