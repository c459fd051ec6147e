/** Limits of A2A tasks with a job behind them. */
export const TASK_LIMITS = {
	/** How long a blocking call waits for a job; then it is told how far the job is. */
	blockingMs: 25_000,
	/** How long the caller of a cancellation waits for it to be over. */
	cancelMs: 5_000,
	/** Addresses that are told of one task. */
	pushTargets: 5,
	pushUrlChars: 2_048,
	pushSecretChars: 2_048,
	pushTimeoutMs: 5_000,
	/** Pauses before the last word of a task is sent again. */
	pushPausesMs: [1_000, 5_000, 30_000, 120_000, 600_000],
	/** Pause before the events of a job are asked for again that too many read. */
	pushBusyMs: 5_000,
} as const;
