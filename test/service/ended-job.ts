import type { App } from "../../src/app/create-app.js";
import { changeJob } from "../../src/jobs/job-rows.js";
import type { Clock } from "../../src/kernel/clock.js";

const KEPT_MS = 30 * 24 * 3_600_000;

interface JobOwner {
	readonly app: Pick<App, "store">;
	readonly owner: string;
	readonly clock: Clock;
}

/** Ends a job in one transaction, as the runner does. */
export async function endJob({ app, owner, clock }: JobOwner, id: string): Promise<void> {
	const now = clock.now();
	await app.store.transaction(async (tx) => {
		await tx.put("jobs", {
			id,
			owner,
			kind: "deep_dive",
			operationId: "research.deep_dive",
			billingType: "deep_research_light",
			rail: "spt",
			priceMicros: 1n,
			fingerprint: "f",
			graphIds: [],
			state: "running",
			passes: ["plan"],
			passesBegun: 1,
			passesDone: 1,
			passStarts: 1,
			ranMs: 1,
			percent: 50,
			considered: 0,
			read: 0,
			lastEventId: 1,
			isProven: true,
			createdAt: now,
			updatedAt: now,
			expiresAt: now + KEPT_MS,
		});
		const change = { id, from: ["running"] as const, now };
		await changeJob(tx, change, () => ({ state: "completed", stopReason: "done", endedAt: now }));
	});
}
