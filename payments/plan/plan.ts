export { createPlanBalance, hasCard, isUsable } from "./plan-balance.js";
export { forgetKeySpending, readQuota, spentEver, spentThisMonth } from "./plan-limits.js";
export { foldUsage } from "./usage-count.js";
