import pg from "pg";
import type { Clock } from "../../src/kernel/kernel.js";

const RETRY_MS = 1_000;
const CONNECT_MS = 5_000;

/**
 * Calls back at each notice of a channel, on a connection of its own, which is made again when it breaks; returns what ends it.
 * Notices while there is none are lost.
 */
export function watchChannel({
	url,
	channel,
	clock,
	onNotice,
}: {
	readonly url: string;
	/** Quoted. */
	readonly channel: string;
	readonly clock: Clock;
	readonly onNotice: () => void;
}): () => Promise<void> {
	let client: pg.Client | undefined;
	let isOver = false;
	let stopWaiting: () => void = () => undefined;
	let connecting: Promise<void> = Promise.resolve();

	const retryLater = () => {
		if (isOver) return;
		stopWaiting = clock.after(RETRY_MS, () => {
			connecting = connect();
		});
	};
	const connect = async () => {
		const next = new pg.Client({
			connectionString: url,
			connectionTimeoutMillis: CONNECT_MS,
			application_name: "tollgraph graphs",
			keepAlive: true,
		});
		let isLost = false;
		const lose = () => {
			if (isLost) return;
			isLost = true;
			void next.end().catch(() => undefined);
			retryLater();
		};
		next.on("error", lose);
		next.on("end", lose);
		next.on("notification", onNotice);
		try {
			await next.connect();
			await next.query(`SET idle_session_timeout = 0; LISTEN ${channel}`);
			client = next;
			// What was published while no one listened.
			onNotice();
		} catch {
			lose();
		}
	};

	connecting = connect();
	return async () => {
		isOver = true;
		stopWaiting();
		await connecting;
		await client?.end().catch(() => undefined);
	};
}
