/** What a backup holds. */
export interface StoreBackup {
	/** Ledger transactions since the beginning. */
	readonly transactions: number;
	/** Of the last change in it. */
	readonly sequence: number;
	/** When the ledger and its rows were looked at; text that can vanish may be of a moment after. */
	readonly createdAt: number;
	/** Within its folder: the file that names all others, each with its hash. */
	readonly manifest: string;
	readonly files: number;
	readonly bytes: number;
}

export interface BackupOptions {
	readonly onProgress?: ((progress: { done: number; total: number }) => void) | undefined;
}
