export {
	createDeepDiveOperations,
	createEarlierQuestions,
	type DeepDiveOperations,
	type FindEarlierQuestion,
} from "./deep-dive-operations.js";
export { createDeepDiveWork } from "./deep-dive-work.js";
export { createDeepDivePlans, type DeepDivePlanRequest } from "./plan.js";
