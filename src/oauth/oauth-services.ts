import type {
	createOAuthSteps,
	Keys,
	OAuthGrants,
	OAuthRecords,
	RefreshTokens,
	RevokeToken,
	SigningJwk,
} from "../accounts/accounts.js";
import type { RenderPage } from "../contract/contract.js";
import type { CallRates } from "../http/http.js";
import type { Clock, Egress, Logger, Micros, Pepper, Random } from "../kernel/kernel.js";
import type { Service } from "../service/service.js";

/** What the authorization server runs on. */
export interface OAuthServices {
	readonly service: Pick<Service, "prices" | "skills" | "info" | "identify">;
	readonly records: OAuthRecords;
	/** What users have done who are on the way through the pages. */
	readonly steps: ReturnType<typeof createOAuthSteps>;
	/** How many processes share the books, and the bounds of what anyone may begin. */
	readonly processCount: () => number;
	readonly grants: OAuthGrants;
	readonly refreshTokens: RefreshTokens;
	readonly revokeToken: RevokeToken;
	/** Counts wrong keys together with all others that their address shows anywhere. */
	readonly callRates: Pick<CallRates, "take" | "end">;
	/** Undefined for an account that is closed. */
	readonly readAccount: (
		accountId: string,
	) => Promise<{ readonly name: string; readonly balanceMicros: Micros } | undefined>;
	/** Whether an account can still be charged. */
	readonly isOpen: (accountId: string) => Promise<boolean>;
	/** Reaches addresses that callers name. */
	readonly egress: Egress;
	/** The first one signs. */
	readonly signingKeys: () => Keys<SigningJwk>;
	readonly renderPage: RenderPage;
	readonly pepper: Pepper;
	readonly clock: Clock;
	readonly random: Random;
	readonly logger: Logger;
}
