export { createDelegations, type Delegations, toDelegationWire } from "./delegations.js";
export {
	createSptAccounts,
	recoverTokens,
	type SptAccounts,
	toBalanceWire,
	toStatementLine,
} from "./spt-accounts.js";
export { createSptBalance } from "./spt-balance.js";
export { assertAmount, createSptIssuer, type IssuedSpt, type SptIssuer } from "./spt-issuer.js";
export { howToBuy } from "./spt-refusals.js";
export { type Environment, getToken, isSpendable, type PresentedToken, sourceOf } from "./token.js";
