import { createAuditLog } from "../operator/operator.js";
import { createProcessWatch } from "./process-watch.js";
import type { Wiring } from "./services.js";

/** Takes up what processes left that have ended: their holds, payments, changes and jobs; and goes on once there is room again. */
export function watchProcesses({ money, jobs, onRoom, address, checks, keys, ...deps }: TakenUp) {
	const resumePayments = async () => money.onchain?.resume();
	onRoom.push(jobs.resume, resumePayments, money.refundRequests.refundWritten);
	return createProcessWatch({
		...deps,
		follow: () => checks.follow(keys),
		onEnded: jobs.letGo,
		onCount(count) {
			address.processes = count;
		},
		async takeUp() {
			await money.sweeper.releaseEnded();
			await money.onchain?.takeUp();
			await reportInterrupted(deps);
			await jobs.resume();
		},
	});
}

type TakenUp = Pick<
	Wiring,
	"store" | "clock" | "logger" | "money" | "jobs" | "address" | "checks" | "keys"
> & {
	/** What is to be done once the store takes changes again. */
	readonly onRoom: (() => Promise<void>)[];
};

/** Changes that an earlier process began and did not end. */
export async function reportInterrupted(
	deps: Pick<Wiring, "store" | "clock" | "logger">,
): Promise<void> {
	const changes = await createAuditLog(deps).closeInterrupted();
	if (changes === 0) return;
	deps.logger.error("changes by operators were cut off; the audit log names them", { changes });
}
