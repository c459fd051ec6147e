import t from "tap";
import { createRetention, type RetentionDeps } from "../../src/operator/data/housekeeping.js";
import { manualClock } from "../support/manual-clock.js";

t.test("what cannot be forgotten keeps nothing else from being forgotten", async (t) => {
	const done: string[] = [];
	const step = async (name: string) => {
		done.push(name);
		return 1;
	};
	const fail = async (): Promise<never> => {
		throw new Error("the node does not answer");
	};
	const { purge } = createRetention({
		store: {
			queryLog: { dropBefore: (day: string) => step(`queries before ${day}`) },
			documents: { sweep: () => step("documents") },
		} as unknown as RetentionDeps["store"],
		sweeper: { forgetExpired: () => step("keys") },
		onchain: { forgetExpired: fail },
		sweepTasks: fail,
		finishErasures: fail,
		clock: manualClock("2026-11-22T12:00:00Z"),
	});
	await t.rejects(purge(), { name: "AggregateError", message: /does not answer/ });
	t.same(done, ["queries before 2025-11-22", "documents", "keys"]);
});
