/** How webhooks are kept and told; units last. */
export const WEBHOOK_LIMITS = {
	/** Webhooks of one owner. */
	perOwnerMax: 10,
	urlChars: 2_000,
	descriptionChars: 200,
	changesPerMinute: 60,
	readsPerMinute: 120,
	/** Test events, by one address. */
	testsPerMinute: 10,
	secretBytes: 32,
	/** How long the secret before a rotation signs beside the new one. */
	overlapSeconds: 86_400,
	overlapSecondsMax: 7 * 86_400,
	/** How often it is looked for what is due. */
	tickIntervalMs: 2_000,
	sendTimeoutMs: 5_000,
	/** Deliveries that are sent at once, and those of one owner among them. */
	sending: 8,
	sendingOfOwner: 2,
	/** Waits after each failed attempt, before jitter: nine attempts in a day; after that a delivery has failed. */
	retryDelaysMs: [
		10_000, 60_000, 600_000, 3_600_000, 10_800_000, 21_600_000, 25_200_000, 25_200_000,
	],
	/** A receiver that asks for a longer wait than ours gets it, up to this. */
	retryAfterMaxMs: 25_200_000,
	/** A wait is longer or shorter by up to this share, so that what failed at once does not come back at once. */
	jitterShare: 0.2,
	/** A webhook is paused after so many failed attempts in a row that lie at least this far apart. */
	failedAttemptsMax: 20,
	failingMsMin: 3_600_000,
	/** Attempts that a delivery tells of. */
	attemptsToldMax: 10,
	/** Deliveries of one webhook that are kept: beyond them the oldest goes. */
	deliveriesKeptMax: 500,
	deliveriesKeptMs: 7 * 24 * 3_600_000,
	deliveriesDefault: 20,
	deliveriesMax: 100,
	/** A webhook is kept for so long after its last use. */
	keptMs: 365 * 24 * 3_600_000,
	/** It is kept longer again when less than this is left of its time. */
	renewedMs: 300 * 24 * 3_600_000,
} as const;
