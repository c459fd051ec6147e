import { connect, type Socket } from "node:net";

/** Connections that are there and ask for nothing. */
export interface IdleSockets {
	/** Open at this moment. */
	open(): number;
	/** Ended by the server, and opened again since. */
	readonly counts: { reopened: number };
	close(): void;
}

const OPENED_AT_ONCE = 250;
const REOPEN_INTERVAL_MS = 100;
/** An attacker's patience: one in ten of its connections a second is opened again when the server has ended it. */
const REOPENED_SHARE = 0.01;

/** Opens so many; those that the server ends are opened again, some at a time. Throws where this process may not hold as many. */
export async function openIdleSockets(
	{ hostname, port }: URL,
	count: number,
): Promise<IdleSockets> {
	const sockets = new Set<Socket>();
	const counts = { reopened: 0 };
	let opening = 0;
	const open = () =>
		new Promise<void>((resolve, reject) => {
			const socket = connect({ host: hostname, port: Number(port) });
			opening += 1;
			const settle = once(() => {
				opening -= 1;
				resolve();
			});
			socket.once("connect", () => {
				sockets.add(socket);
				settle();
			});
			socket.once("close", () => {
				sockets.delete(socket);
				settle();
			});
			// A refused one counts as ended; one that we may not have is an end of the measurement.
			socket.on("error", (error: NodeJS.ErrnoException) => {
				if (error.code === "EMFILE") reject(error);
			});
			socket.resume();
		});
	const openSome = (some: number) => Promise.all(Array.from({ length: some }, open));
	for (let opened = 0; opened < count; opened += OPENED_AT_ONCE) {
		await openSome(Math.min(OPENED_AT_ONCE, count - opened));
	}
	const timer = setInterval(() => {
		const missing = Math.max(0, count - sockets.size - opening);
		const some = Math.min(missing, Math.ceil(count * REOPENED_SHARE));
		counts.reopened += some;
		openSome(some).catch(() => undefined);
	}, REOPEN_INTERVAL_MS);
	return {
		open: () => sockets.size,
		counts,
		close() {
			clearInterval(timer);
			for (const socket of sockets) socket.destroy();
		},
	};
}

function once(act: () => void): () => void {
	let isDone = false;
	return () => {
		if (!isDone) act();
		isDone = true;
	};
}
