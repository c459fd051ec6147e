import { ServiceError } from "../../src/kernel/errors.js";
import { restoreJournal } from "../../store/journal/restore.js";
import { times } from "../support/times.js";
import { createFakeDisk, type FakeDisk } from "./fake-disk.js";
import { credit, openOn, START_MS, stillClock, tokenRow } from "./open-test-store.js";

export const BIG = "x".repeat(1_500_000);
/** A store of several segments, or a small one, with documents and query text. */
export async function filledDisk(label = BIG): Promise<FakeDisk> {
	const disk = createFakeDisk();
	const store = await openOn(disk);
	for (const index of times(4, (i) => i)) {
		await credit(store, "cust:a", 1n, `before ${index}`);
		await store.transaction((tx) => tx.put("tokens", tokenRow("tok_a", { label })));
	}
	await store.documents.put("art_1", "one", START_MS + 9_000_000);
	store.queryLog.append({
		...{ at: START_MS, requestId: "req_1", owner: "tok_a", operationId: "graphs.search" },
		...{ transport: "rest", query: "q", decision: undefined, receiptId: undefined },
	});
	await store.close();
	return disk;
}

export const restoreOn = (disk: FakeDisk, from = "/backup") =>
	restoreJournal({ fileSystem: disk, clock: stillClock(), from, to: "/restored" });
export const backupsOn = (disk: FakeDisk) =>
	disk.files().filter((path) => path.startsWith("/backup"));
export const remainsOf = (disk: FakeDisk) =>
	disk.files().filter((path) => path.startsWith("/restored"));

/** Of what is there and may not survive a power cut. */
export const isInDoubt = (error: unknown) =>
	error instanceof ServiceError && /is in place, whole, but .* power cut/.test(error.message);
