export { createFindAccess, type FindGrant } from "./account-access.js";
export { createAccountExport } from "./account-export.js";
export { createAccountKeys, setLabel } from "./account-keys.js";
export { createOpenAccount, type OpenAccount } from "./account-opening.js";
export { type AccountOperations, USAGE_GROUPINGS } from "./account-operations.js";
export {
	type AccountOperator,
	type AccountOperatorDeps,
	createAccountOperator,
} from "./account-operator.js";
export { createAccountProfile, finishErasures } from "./account-profile.js";
export { type AccountProfiles, createAccountProfiles } from "./account-profiles.js";
export { createAccountUsage } from "./account-usage.js";
export { type ApiKeys, createApiKeys } from "./api-keys.js";
export { type ConnectionTokens, createConnectionTokens } from "./connection-tokens.js";
export { createFeedback, type Feedback } from "./feedback.js";
export { createFindSubject } from "./identity-accounts.js";
export { IDENTITY_ALGORITHMS, type IdentityAlgorithm } from "./identity-token.js";
export { createIdentityVerifier } from "./identity-verifier.js";
export { createIssuerKeys } from "./issuer-keys.js";
export {
	assertKeysWhole,
	type KeyPair,
	LASTING_KEYS,
	parsePrivateKey,
	type SigningJwk,
} from "./key-files.js";
export {
	type DemoWalletName,
	type KeyFolder,
	openKeyFolder,
	type PlacedSecret,
	readPlacedSecret,
} from "./key-folder.js";
export { type KeySet, toKeySet } from "./key-set.js";
export { endLapsedGrants } from "./lapsed-grants.js";
export { createFindOwnGrant } from "./oauth-access.js";
export { createOAuthGrants, type GrantHolder, type OAuthGrants } from "./oauth-grants.js";
export { OAUTH_LIMITS } from "./oauth-limits.js";
export { createOAuthRecords, type OAuthRecords } from "./oauth-records.js";
export { sweepOwned } from "./owned-records.js";
export { createRefreshTokens, type RefreshTokens } from "./refresh-tokens.js";
export { createResourceVerifier } from "./resource-verifier.js";
export { createRevokeToken, type RevokeToken } from "./revoked-tokens.js";
export { parseLimit, type SptScope, toSptScope } from "./spt-scope.js";

export { sptOrderSchema, sptPurchaseSchema, sptTopUpSchema } from "./spt-wire.js";
