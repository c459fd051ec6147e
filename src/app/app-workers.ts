import type { Schedules } from "../../skills/briefings/briefings.js";
import { LIMITS } from "../contract/contract.js";
import { type SnapshotKeeperDeps, startSnapshotKeeper } from "../knowledge/knowledge.js";
import { type HousekeepingDeps, startHousekeeping } from "../operator/operator.js";
import type { WebhookParts } from "../webhooks/webhooks.js";
import { startScheduleWorkers } from "./app-schedules.js";
import { startWebhookDispatch } from "./app-webhooks.js";

/** Less than what process supervisors leave between asking and killing. */
const END_MS = 4_000;
/** What a facilitator says of money that was sent is heard, and written down before the store closes. */
const HOUSEKEEPING_END_MS = LIMITS.settleTimeoutMs + 2_000;

/** What is done beside calls: briefings that are due, events that are told, housekeeping, and graphs kept for the next start. */
export interface Workers {
	/** Nothing more is begun; waits for nothing. */
	halt(): Promise<void>;
	/** Waits for what is under way, some seconds at most since it was halted: what it leaves, the next process does again. */
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
	const all = [
		{ stop: startScheduleWorkers({ ...schedules, clock, logger }), endMs: END_MS },
		{ stop: startWebhookDispatch({ ...webhooks, clock, logger }), endMs: END_MS },
		{ stop: startSnapshotKeeper(deps), endMs: END_MS },
		{
			stop: startHousekeeping({ ...money, retention, clock, logger }),
			endMs: HOUSEKEEPING_END_MS,
		},
	];
	const endOne = ({ stop, endMs }: (typeof all)[number]): Promise<void> =>
		new Promise((resolve) => {
			const cancel = clock.after(endMs, resolve);
			stop()
				.catch((error: unknown) => {
					logger.error("what is done beside calls could not be ended", { error: String(error) });
				})
				.finally(() => {
					cancel();
					resolve();
				});
		});
	let ended: Promise<unknown> | undefined;
	const endAll = () => {
		ended ??= Promise.all(all.map(endOne));
		return ended;
	};
	return {
		async halt() {
			void endAll();
		},
		async end() {
			await endAll();
		},
	};
}
