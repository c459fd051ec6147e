export { createDelegations, type Delegations, toDelegationWire } from "./delegations.js";
export { recoverTokens } from "./recover.js";
export { createSptAccounts, type SptAccounts, toBalanceWire } from "./spt-accounts.js";
export { createSptBalance } from "./spt-balance.js";
export { assertAmount, createSptIssuer, type IssuedSpt, type SptIssuer } from "./spt-issuer.js";
export { howToBuy } from "./spt-refusals.js";
export type { SptSummary } from "./spt-state.js";
export { toStatementLine } from "./statement-line.js";
export { type Environment, getToken, isSpendable, type PresentedToken, sourceOf } from "./token.js";
