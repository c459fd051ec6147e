/** How clients get access to accounts, and what bounds them; units last. */
export const OAUTH_LIMITS = {
	accessTokenSeconds: 900,
	/** Each use gives a new one; who does not come back for so long has to ask for consent again. */
	refreshTokenSeconds: 30 * 24 * 3_600,
	/** A grant in constant use ends after this and needs a new consent. */
	grantSeconds: 365 * 24 * 3_600,
	/** Grants judged before other work gets its turn, when those that lapsed are ended. */
	grantsPerTurn: 100,
	/** Access tokens of one grant that are remembered as revoked, each until it would have ended. */
	revokedTokensPerGrant: 50,
	codeSeconds: 60,
	/** The key of a grant whose code no one redeems ends after so long. */
	unclaimedSeconds: 120,
	/** How long a user may take from the first page to the last. */
	interactionSeconds: 600,
	/** Users on their way through the pages at once, and what one of them may take of memory. */
	interactionsMax: 2_000,
	authorizationQueryChars: 4_096,
	/** A client that no one gave consent to, and one that was used, is forgotten after so long. */
	clientUnusedSeconds: 30 * 24 * 3_600,
	clientKeptSeconds: 60 * 24 * 3_600,
	/** Registered clients that are remembered; beyond, the oldest goes that no one gives access. */
	clientsMax: 5_000,
	registrationBodyBytes: 16 * 1024,
	registrationDepth: 4,
	redirectUrisMax: 10,
	redirectUriChars: 1_024,
	clientTextChars: 200,
	/** By one address, which may be that of a service many users share. */
	registrationsPerMinute: 30,
	authorizationsPerMinute: 60,
	tokensPerMinute: 1_200,
	documentFetchesPerMinute: 20,
	/** Of a document in which a client describes itself. */
	documentTimeoutMs: 2_500,
	/** Lifetimes that are persisted again only once they have grown by so much. */
	extensionSeconds: 24 * 3_600,
	budgetDefaultMicros: 5_000_000n,
} as const;
