export { createDeepDiveFollowUp } from "./deep-dive-follow-up.js";
export { createDeepDiveOperations, type DeepDiveOperations } from "./deep-dive-operations.js";
export { createDeepDivePlans, type DeepDivePlanRequest } from "./deep-dive-plans.js";
export { createDeepDive } from "./deep-dive-skill.js";
export { createDeepDiveWork } from "./deep-dive-work.js";
export { createEarlierQuestions, type FindEarlierQuestion } from "./earlier-question.js";
export type { FeedObserver } from "./feed-pass.js";
