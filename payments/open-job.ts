import type { IdempotencyRow, StoreReader } from "../store/store.js";

/** Whether the work an attempt began still holds its price: a job may outlive the key it was begun with. */
export async function hasOpenJob(
	reader: StoreReader,
	{ jobId, holdId }: IdempotencyRow,
): Promise<boolean> {
	return jobId !== undefined && (await reader.get("holds", holdId)) !== undefined;
}
