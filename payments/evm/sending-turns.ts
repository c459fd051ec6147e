import { type Clock, unavailable, wait } from "../../src/kernel/kernel.js";
import type { Store } from "../../store/store.js";

/** Lets one process at a time send with a key, because the nonces of its transactions are one sequence. */
export interface SendingTurns {
	/** Whether other processes send with the same key: what is known of the sequence is old by the next turn. */
	readonly isShared: boolean;
	/** Until when one that is asked for now waits for its turn, by the monotonic clock. */
	deadlineMs(): number;
	/** Does the work once no other process sends. Throws UNAVAILABLE where the deadline comes first: then nothing was sent. */
	take<T>(key: string, deadlineMs: number, work: () => Promise<T>): Promise<T>;
}

const LOOK_MS = 50;
/** Less than a settlement may take, so that nothing is sent after its caller was answered; more than a process that ended is alive for. */
const WAIT_MS = 15_000;

/**
 * A turn is a row with the name of its process; that of one that has ended counts for nothing. Who was taken for ended
 * meanwhile cannot write what it signed, and so does not send it.
 */
export function createSendingTurns({
	store,
	clock,
}: {
	readonly store: Pick<Store, "transaction" | "processes">;
	readonly clock: Pick<Clock, "monotonicMs" | "after">;
}): SendingTurns {
	const take = (id: string) =>
		store.transaction(async (tx) => {
			const taken = await tx.get("leaders", id);
			if (taken && taken.processId !== tx.processId && (await tx.isAlive(taken.processId)))
				return false;
			await tx.put("leaders", { id, processId: tx.processId });
			return true;
		});
	const leave = (id: string) =>
		store.transaction(async (tx) => {
			const taken = await tx.get("leaders", id);
			if (taken?.processId === tx.processId) await tx.delete("leaders", id);
		});
	return {
		isShared: store.processes.isShared,
		deadlineMs: () => clock.monotonicMs() + WAIT_MS,
		async take(key, deadlineMs, work) {
			const id = `sends with ${key}`;
			for (;;) {
				if (clock.monotonicMs() >= deadlineMs)
					throw unavailable("Other payments are being sent just now; send the request again.");
				if (await take(id)) break;
				await wait(LOOK_MS, clock);
			}
			// A turn that could not be left stays this process's own until it ends.
			return work().finally(() => leave(id).catch(() => undefined));
		},
	};
}
