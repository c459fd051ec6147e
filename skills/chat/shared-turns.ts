import {
	type Clock,
	createTurnQueue,
	pause,
	type TurnQueue,
	unavailable,
} from "../../src/kernel/kernel.js";
import type { Store, StoreTransaction, TurnTicket } from "../../store/store.js";

/** How often the one that is next looks; those behind it look less often. */
const LOOK_MS = 50;
const SLOWEST_LOOKS = 20;
const RETRY_MS = 1_000;
/** A place that could not be left, or whose leaving a crash of the database undid, keeps others away for no longer. */
const TICKET_MS = 600_000;
const DEFERRED = { durability: "deferred" } as const;

interface SharedTurnsDeps {
	readonly store: Pick<Store, "read" | "transaction" | "processes">;
	readonly clock: Clock;
}

/**
 * A mutex for each key, for all processes that share the books, in the order in which their rows say that callers came. The places
 * of a process that has ended are forgotten once what it left was taken up.
 */
export function createSharedTurns({ store, clock }: SharedTurnsDeps, name: string): TurnQueue {
	/** Those who come to one process keep their order. */
	const arrivals = createTurnQueue();
	let tickets = 0;
	const toId = (key: string) => `${name}|${key}`;

	const leave = async (id: string, ticket: TurnTicket): Promise<void> => {
		const gone = store.transaction(async (tx) => {
			const waiting = (await tx.get("turn_queues", id))?.waiting ?? [];
			const rest = waiting.filter((other) => !isSame(other, ticket));
			if (rest.length < waiting.length) await write(tx, id, rest);
		}, DEFERRED);
		await gone.catch(() => {
			const isOver = store.processes.ownId() !== ticket.processId;
			if (!isOver) clock.after(RETRY_MS, () => void leave(id, ticket));
		});
	};
	const arrive = async (key: string, admit?: (size: number) => void) => {
		const [id, n] = [toId(key), ++tickets];
		const leaveArrivals = await arrivals.enter(key);
		try {
			return await store.transaction(async (tx) => {
				const waiting = (await tx.get("turn_queues", id))?.waiting ?? [];
				admit?.(waiting.length);
				const ticket = { processId: tx.processId, n, until: clock.now() + TICKET_MS };
				await write(tx, id, [...waiting, ticket]);
				return { id, ticket, isFirst: waiting.length === 0 };
			}, DEFERRED);
		} finally {
			leaveArrivals();
		}
	};
	/** Those before it, the first of them first. */
	const before = async (id: string, ticket: TurnTicket): Promise<readonly TurnTicket[]> => {
		const row = await store.read((reader) => reader.get("turn_queues", id));
		const place = row?.waiting.findIndex((other) => isSame(other, ticket)) ?? -1;
		if (row && place >= 0) return row.waiting.slice(0, place);
		throw lostPlace();
	};
	const untilFirst = async (id: string, ticket: TurnTicket, signal: AbortSignal) => {
		for (;;) {
			signal.throwIfAborted();
			const others = await before(id, ticket);
			const [first] = others;
			if (!first) return;
			if (first.until <= clock.now()) await leave(id, first);
			else await pause(LOOK_MS * Math.min(others.length, SLOWEST_LOOKS), { clock, signal });
		}
	};
	return {
		isShared: true,
		async enter(key, { signal = new AbortController().signal, admit } = {}) {
			signal.throwIfAborted();
			const { id, ticket, isFirst } = await arrive(key, admit);
			let isLeft = false;
			const leaveOnce = () => {
				if (!isLeft) void leave(id, ticket);
				isLeft = true;
			};
			try {
				if (!isFirst) await untilFirst(id, ticket, signal);
			} catch (error) {
				leaveOnce();
				throw error;
			}
			return leaveOnce;
		},
		async forgetEnded() {
			const rows = await store.read((reader) => reader.list("turn_queues"));
			for (const { id } of rows.filter((row) => row.id.startsWith(toId("")))) {
				await store.transaction((tx) => keepAlive(tx, id), DEFERRED);
			}
		},
	};
}

async function keepAlive(tx: StoreTransaction, id: string): Promise<void> {
	const waiting = (await tx.get("turn_queues", id))?.waiting ?? [];
	const alive: TurnTicket[] = [];
	for (const ticket of waiting) if (await tx.isAlive(ticket.processId)) alive.push(ticket);
	if (alive.length < waiting.length) await write(tx, id, alive);
}

async function write(
	tx: StoreTransaction,
	id: string,
	waiting: readonly TurnTicket[],
): Promise<void> {
	if (waiting.length === 0) await tx.delete("turn_queues", id);
	else await tx.put("turn_queues", { id, waiting });
}

function isSame(one: TurnTicket, other: TurnTicket): boolean {
	return one.processId === other.processId && one.n === other.n;
}

function lostPlace() {
	return unavailable(
		"This server was taken for ended while the turn waited for those before it. Nothing was charged; send it again.",
		{ retryable: true },
	);
}
