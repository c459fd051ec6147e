export { createFindAccess, createFindSubject, type FindGrant } from "./account-access.js";
export { type AccountOperations, createAccountOperations } from "./account-export.js";
export {
	parseLimit,
	requireManager,
	type SptScope,
	setLabel,
	toSptScope,
} from "./account-keys.js";
export {
	type AccountOperator,
	type AccountOperatorDeps,
	accountCommands,
	createAccountOperator,
	usdField,
} from "./account-operator.js";
export {
	createOpenAccount,
	finishErasures,
	type OpenAccount,
} from "./account-profile.js";
export { type AccountProfiles, createAccountProfiles } from "./account-profiles.js";
export { type ApiKeys, createApiKeys } from "./api-keys.js";
export { type ConnectionTokens, createConnectionTokens } from "./connection-tokens.js";
export { createFeedback, type Feedback } from "./feedback.js";
export { IDENTITY_ALGORITHMS, type IdentityAlgorithm } from "./identity-token.js";
export { createIdentityVerifier, createIssuerKeys } from "./identity-verifier.js";
export type { InvoiceWire } from "./invoice-wire.js";
export { createKeyChecks, type KeyChecks } from "./key-checks.js";
export {
	assertKeysWhole,
	type DemoWalletName,
	type KeyFolder,
	type KeyPair,
	type KeySet,
	LASTING_KEYS,
	openKeyFolder,
	type PlacedSecret,
	parsePrivateKey,
	readPlacedSecret,
	type SigningJwk,
	toKeySet,
} from "./key-folder.js";
export type { Keys } from "./key-ring.js";
export {
	createKeyRotation,
	type KeyRotation,
	SECRET_NAMES,
	secretCommands,
} from "./key-rotation.js";
export {
	createOAuthGrants,
	endLapsedGrants,
	type GrantHolder,
	type OAuthGrants,
} from "./oauth-grants.js";
export { OAUTH_LIMITS } from "./oauth-limits.js";
export { createOAuthRecords, type OAuthRecords } from "./oauth-records.js";
export { createOAuthSteps, type OAuthStep, type OAuthSteps } from "./oauth-steps.js";
export {
	createFindOwnGrant,
	createRefreshTokens,
	createResourceVerifier,
	createRevokeToken,
	type RefreshTokens,
	type RevokeToken,
} from "./oauth-tokens.js";
export { sweepOwned } from "./owned-records.js";
export { sptOrderSchema, sptPurchaseSchema, sptTopUpSchema } from "./spt-wire.js";
export { parseTextKeyCommand, runTextKeyCommand } from "./text-key-command.js";
