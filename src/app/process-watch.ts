import type { Store } from "../../store/store.js";
import type { Clock, Logger } from "../kernel/kernel.js";

/** How often the other processes are looked at. */
const LOOK_MS = 2_000;
/** What is taken up may take longer, and is not waited for. */
const TAKE_UP_MS = 10_000;
/** Work beside calls that only one process does at a time. */
const BESIDE_CALLS = "beside calls";

export type ProcessWatch = ReturnType<typeof createProcessWatch>;

/**
 * Looks at the processes that share the books: what one leaves that has ended is taken up, and one of them leads, which means
 * that it does what is done beside calls. A leader writes its name before it leads, and nothing after it was taken for ended.
 */
export function createProcessWatch({ store, clock, logger, ...act }: ProcessWatchDeps) {
	let known: readonly string[] = [];
	let ownId = store.processes.ownId();
	let leads = "";
	// What ended between two looks, before the first one too, is taken up with the next.
	let isTakingUp = true;
	let looking: Promise<void> | undefined;
	const more: (() => Promise<unknown>)[] = [];

	/** What waits for others goes on by itself: looking at the processes must not wait for it. */
	const inTime = async (work: Promise<unknown>): Promise<void> => {
		let cancel = () => undefined as unknown;
		const late = new Promise((resolve) => {
			cancel = clock.after(TAKE_UP_MS, () => resolve(undefined));
		});
		await Promise.race([work, late]).finally(() => cancel());
	};
	const look = async (): Promise<void> => {
		const alive = await store.processes.alive();
		leads = (await isLeader(store)) ? store.processes.ownId() : "";
		isTakingUp ||= known.some((id) => !alive.includes(id));
		known = alive;
		act.onCount(Math.max(1, alive.length));
		if (ownId !== store.processes.ownId()) {
			ownId = store.processes.ownId();
			act.onEnded();
			isTakingUp = true;
		}
		if (isTakingUp) {
			await act.takeUp();
			for (const takeUp of more) await inTime(takeUp());
			isTakingUp = false;
		}
		if (alive.length > 1) await act.follow();
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
		/** Also takes up something else from now on. */
		also: (takeUp: () => Promise<unknown>) => void more.push(takeUp),
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

interface ProcessWatchDeps {
	readonly store: Store;
	readonly clock: Clock;
	readonly logger: Logger;
	/** Takes up what processes left that have ended. */
	readonly takeUp: () => Promise<void>;
	/** This process was taken for ended, and is another one now: others may have what it worked on. */
	readonly onEnded: () => void;
	/** Follows what the others changed that is not read again with every call. */
	readonly follow: () => Promise<void>;
	/** Called with how many share the books, this one included. */
	readonly onCount: (count: number) => void;
}

/** The first that writes its name, until it has ended. */
async function isLeader(store: Store): Promise<boolean> {
	const { processes } = store;
	if (!processes.isShared) return true;
	const leads = await store.read(async (reader) => {
		const leader = await reader.get("leaders", BESIDE_CALLS);
		if (!leader || !(await reader.isAlive(leader.processId))) return undefined;
		return leader.processId === processes.ownId();
	});
	if (leads !== undefined) return leads;
	return store.transaction(async (tx) => {
		const leader = await tx.get("leaders", BESIDE_CALLS);
		if (leader && (await tx.isAlive(leader.processId))) return leader.processId === tx.processId;
		await tx.put("leaders", { id: BESIDE_CALLS, processId: tx.processId });
		return true;
	});
}
