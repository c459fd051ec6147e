/** What chats may take and how long they are remembered. */
export const CHAT_LIMITS = {
	sessionIdChars: 128,
	titleChars: 200,
	/** Sessions of one owner that are remembered at once. */
	sessionsMax: 1_000,
	/** Turns of one session that are remembered; the oldest go first. */
	turnsKept: 200,
	/** Turns of one session that wait for those before them. */
	waitingMax: 100,
	/** Graphs a session may be limited to. */
	graphsMax: 20,
	/** Since its last turn; never more than twelve months. */
	keptMs: 365 * 24 * 3_600_000,
	/** How long a turn that was answered may wait for its payment before those behind it forget it. */
	unpaidMs: 120_000,
	/** How long a turn is at rest whose process died before anybody knew whether it was paid for. */
	stagedMs: 24 * 3_600_000,
	listDefault: 20,
	listMax: 100,
} as const;
