export { createPlanBalance, hasCard, isUsable } from "./plan-balance.js";
export {
	foldUsage,
	forgetKeySpending,
	readQuota,
	spentEver,
	spentThisMonth,
} from "./plan-limits.js";
