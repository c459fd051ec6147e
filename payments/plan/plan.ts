export { isUsable } from "./plan-access.js";
export { createPlanBalance, hasCard } from "./plan-balance.js";
export { forgetKeySpending, spentEver, spentThisMonth } from "./plan-spending.js";
export { readQuota } from "./quota.js";
export { foldUsage } from "./usage-count.js";
