import { startScheduleWorkers } from "./app-schedules.js";
import { startWebhookDispatch } from "./app-webhooks.js";
import { type HousekeepingDeps, startHousekeeping } from "./housekeeping.js";
import { type SnapshotKeeperDeps, startSnapshotKeeper } from "./knowledge/snapshot-keeper.js";
import type { Schedules } from "./service/schedules.js";
import type { WebhookParts } from "./service/webhooks.js";

/** Less than what process supervisors leave between asking and killing, once calls have had their time. */
const END_MS = 4_000;

/** What is done beside calls: briefings that are due, events that are told, housekeeping, and graphs kept for the next start. */
export interface Workers {
	/** Nothing more is begun; waits for nothing. */
	halt(): Promise<void>;
	/** Waits for what is under way, a few seconds at most: what it leaves, the next process does again. */
	end(): Promise<void>;
}

export interface WorkersDeps extends SnapshotKeeperDeps {
	readonly money: Omit<HousekeepingDeps, "retention" | "clock" | "logger">;
	readonly retention: HousekeepingDeps["retention"];
	readonly schedules: Pick<Schedules, "worker">;
	readonly webhooks: Pick<WebhookParts, "dispatch">;
}

export function startWorkers(deps: WorkersDeps): Workers {
	const { schedules, webhooks, money, retention, clock, logger } = deps;
	const stops = [
		startScheduleWorkers({ ...schedules, clock, logger }),
		startWebhookDispatch({ ...webhooks, clock, logger }),
		startHousekeeping({ ...money, retention, clock, logger }),
		startSnapshotKeeper(deps),
	];
	let stopped: Promise<unknown> | undefined;
	const stop = () => {
		stopped ??= Promise.all(stops.map((each) => each()));
		return stopped;
	};
	return {
		async halt() {
			stop().catch((error: unknown) => {
				logger.error("workers could not be stopped", { error: String(error) });
			});
		},
		end: () =>
			new Promise((resolve, reject) => {
				const cancel = clock.after(END_MS, resolve);
				stop()
					.then(() => resolve(), reject)
					.finally(cancel);
			}),
	};
}
