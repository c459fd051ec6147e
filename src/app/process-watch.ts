import type { Store } from "../../store/store.js";
import type { Clock, Logger } from "../kernel/kernel.js";

/** How often the other processes are looked at. */
const LOOK_MS = 2_000;
/** Work beside calls that only one process does at a time. */
const BESIDE_CALLS = "beside calls";

export type ProcessWatch = ReturnType<typeof createProcessWatch>;

/**
 * Looks at the processes that share the books: what one leaves that has ended is taken up, and one of them leads, which means
 * that it does what is done beside calls. A leader that is taken for ended writes nothing more, so that two never do.
 */
export function createProcessWatch({
	store,
	clock,
	logger,
	takeUp,
	follow,
	onCount,
}: {
	readonly store: Store;
	readonly clock: Clock;
	readonly logger: Logger;
	/** Takes up what processes left that have ended. */
	readonly takeUp: () => Promise<void>;
	/** Follows what the others changed that is not read again with every call. */
	readonly follow: () => Promise<void>;
	/** Called with how many share the books, this one included. */
	readonly onCount: (count: number) => void;
}) {
	let known: readonly string[] = [];
	let leads = "";
	let isTakingUp = false;
	let looking: Promise<void> | undefined;

	const look = async (): Promise<void> => {
		const alive = await store.processes.alive();
		leads = (await isLeader(store, alive)) ? store.processes.ownId() : "";
		isTakingUp ||= known.some((id) => !alive.includes(id));
		known = alive;
		onCount(Math.max(1, alive.length));
		if (alive.length > 1) await follow();
		if (!isTakingUp) return;
		await takeUp();
		isTakingUp = false;
	};
	const lookOnce = (): Promise<void> => {
		looking ??= look()
			.catch((error: unknown) =>
				logger.error("the other processes could not be looked at", { error: String(error) }),
			)
			.finally(() => {
				looking = undefined;
			});
		return looking;
	};
	return {
		/** Whether this process does what is done beside calls. */
		isLeader: () => leads === store.processes.ownId(),
		/** How many share the books; one at least. */
		count: () => Math.max(1, known.length),
		/** Knows the others once it resolves, and looks again and again; the returned function stops that. */
		async start(): Promise<() => Promise<void>> {
			await lookOnce();
			const stop = clock.every(LOOK_MS, () => void lookOnce());
			return async () => {
				stop();
				await looking;
			};
		},
	};
}

/** Alone it leads without a word; among others the first to write its name does, until it has ended. */
async function isLeader(store: Store, alive: readonly string[]): Promise<boolean> {
	const ownId = store.processes.ownId();
	if (alive.length === 1 && alive[0] === ownId) return true;
	const seen = await store.read((reader) => reader.get("leaders", BESIDE_CALLS));
	if (seen && alive.includes(seen.processId)) return seen.processId === ownId;
	return store.transaction(async (tx) => {
		const leader = await tx.get("leaders", BESIDE_CALLS);
		if (leader && (await tx.isAlive(leader.processId))) return leader.processId === tx.processId;
		await tx.put("leaders", { id: BESIDE_CALLS, processId: tx.processId });
		return true;
	});
}
