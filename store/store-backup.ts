/** What a backup holds. */
export interface StoreBackup {
	/** Ledger transactions since the beginning. */
	readonly transactions: number;
	/** Of the last change in it. */
	readonly sequence: number;
	readonly createdAt: number;
	readonly files: number;
	readonly bytes: number;
}

export interface BackupOptions {
	readonly onProgress?: ((progress: { done: number; total: number }) => void) | undefined;
}
