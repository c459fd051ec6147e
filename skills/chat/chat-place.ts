/** The session a turn belongs to, whether it is at rest already or begins with this turn. */
export interface ChatPlace {
	/** Unguessable; of the session as it was when the turn began. */
	readonly id: string;
	/** Hash of owner, grant and the client's own name for it. */
	readonly key: string;
	readonly owner: string;
	readonly grantId: string | undefined;
	readonly sessionId: string;
	/** The session was at rest when the turn began: once it is not, it was deleted, and the turn with it. */
	readonly isAtRest?: boolean;
}
