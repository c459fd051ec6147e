import pg from "pg";
import { type Clock, type Random, unavailable } from "../../src/kernel/kernel.js";
import { messageOf, type StoreProcesses } from "../store.js";
import type { ConnectionPool } from "./connection.js";
import { assertNotMoving } from "./moving-mark.js";

const RETRY_MS = 1_000;
const CONNECT_MS = 5_000;
/** How often a process says that it is there, and how long an answer may take before it stops selling. */
const BEAT_MS = 2_000;
const ANSWER_MS = 5_000;
/** Without a sign for so long, by the clock of the database, a process has ended: longer than it takes to notice itself. */
const LEASE_MS = 12_000;

export interface MembershipHooks {
	/** Nothing is sold from now on. */
	readonly onLost: (reason: string) => void;
	/** What was lost is over. */
	readonly onBack: () => void;
}

interface MembershipDeps {
	readonly url: string;
	readonly pool: ConnectionPool;
	/** The quoted name of the schema. */
	readonly schema: string;
	readonly clock: Clock;
	readonly random: Random;
	readonly hooks: MembershipHooks;
	/** Moves the books itself. */
	readonly isMoving?: boolean | undefined;
}

export interface Membership extends Pick<StoreProcesses, "ownId" | "alive"> {
	/** Why this process takes no changes now; undefined while it does. */
	lostBecause(): string | undefined;
	/** A write of a process that was taken for ended was refused: it comes back as another one. */
	noteEnded(): void;
	/** Leaves: what it had open is anyone's. */
	leave(): Promise<void>;
}

/**
 * Makes this process one of those that work on the database. Its row says so, which every write looks at and which it renews
 * by a connection of its own; where that fails it stops selling until it succeeds. Who gives no sign for `LEASE_MS` is taken
 * for ended by the others: its row goes, it can write no more, and once it comes back it is another process.
 */
export async function join(deps: MembershipDeps): Promise<Membership> {
	const { pool, schema, clock, hooks } = deps;
	const standing = createStanding(hooks);
	const own = await enter(deps);
	const beat = async () => {
		try {
			await own.renew(() => standing.lose("this process was taken for ended"));
			standing.regain();
		} catch (error) {
			standing.lose(`the connection to the database is lost: ${messageOf(error)}`);
			await own.hangUp();
		}
	};
	let isOver = false;
	let beating: Promise<void> = Promise.resolve();
	let stopWaiting: () => void = () => undefined;
	const beatAfter = (pauseMs: number) => {
		stopWaiting();
		if (isOver) return;
		stopWaiting = clock.after(pauseMs, () => {
			beating = beating
				.then(beat)
				.finally(() => beatAfter(standing.lostBecause() === undefined ? BEAT_MS : RETRY_MS));
		});
	};
	own.onHungUp(() => beatAfter(0));
	beatAfter(BEAT_MS);
	return {
		ownId: own.id,
		async alive() {
			const rows = await pool.query(`SELECT id FROM ${schema}.processes ORDER BY id`);
			return rows.map(({ id }) => String(id));
		},
		lostBecause: standing.lostBecause,
		noteEnded() {
			standing.lose("this process was taken for ended");
			beatAfter(0);
		},
		async leave() {
			isOver = true;
			standing.end();
			stopWaiting();
			await beating;
			await own.leave();
		},
	};
}

/** Whether this process may write now. */
function createStanding({ onLost, onBack }: MembershipHooks) {
	let lost: string | undefined;
	let isOver = false;
	return {
		lostBecause: () => lost,
		lose(reason: string): void {
			const isKnown = lost !== undefined;
			if (isOver) return;
			lost = reason;
			if (!isKnown) onLost(reason);
		},
		regain(): void {
			if (lost === undefined || isOver) return;
			lost = undefined;
			onBack();
		},
		end(): void {
			isOver = true;
		},
	};
}

/** Its row, by a connection of its own, which is made again when it breaks. */
async function enter(deps: MembershipDeps) {
	const { schema, random, clock } = deps;
	const newId = () => `proc_${Buffer.from(random.bytes(12)).toString("hex")}`;
	let onHungUp: () => void = () => undefined;
	let client: pg.Client | undefined;
	/** Since when its connections have not failed. */
	let steadySinceMs = clock.monotonicMs();
	const open = async (): Promise<pg.Client> => {
		const opened = await connect(deps);
		opened.on("end", () => {
			if (client !== opened) return;
			client = undefined;
			onHungUp();
		});
		client = opened;
		return opened;
	};
	let id = newId();
	const hangUp = async () => {
		const broken = client;
		client = undefined;
		steadySinceMs = clock.monotonicMs();
		await broken?.end().catch(() => undefined);
	};
	await register(await open(), deps, id).catch(async (error: unknown) => {
		await hangUp();
		throw error;
	});
	return {
		id: () => id,
		onHungUp(act: () => void) {
			onHungUp = act;
		},
		hangUp,
		/** Also ends those that have given no sign. Throws while the database cannot be written. */
		async renew(onEnded: () => void): Promise<void> {
			const asked = client ?? (await open());
			if (!(await renew(asked, schema, id))) {
				onEnded();
				id = newId();
				await register(asked, deps, id);
			}
			// After a failure of the database all were silent: the others get their time to come back first.
			if (clock.monotonicMs() - steadySinceMs < LEASE_MS) return;
			await asked.query(`SELECT ${schema}.end_silent($1)`, [LEASE_MS]);
		},
		async leave(): Promise<void> {
			onHungUp = () => undefined;
			await client?.query(`SELECT ${schema}.end_process($1)`, [id]).catch(() => undefined);
			await hangUp();
		},
	};
}

async function connect({ url }: MembershipDeps): Promise<pg.Client> {
	const client = new pg.Client({
		connectionString: url,
		connectionTimeoutMillis: CONNECT_MS,
		application_name: "tollgraph lease",
		keepAlive: true,
		query_timeout: ANSWER_MS,
	});
	client.on("error", () => undefined);
	await client.connect();
	return client;
}

/** Throws while the database takes no writes, and where its books are moved or have left: who moves them writes that first and then looks for others. */
async function register(
	client: pg.Client,
	{ schema, isMoving }: MembershipDeps,
	id: string,
): Promise<void> {
	const { rows } = await client.query<{ standby: boolean }>(
		"SELECT pg_is_in_recovery() AS standby",
	);
	if (rows[0]?.standby) throw unavailable("The database is a standby and takes no writes.");
	const text = `INSERT INTO ${schema}.processes (id, seen_at) VALUES ($1, clock_timestamp())`;
	await client.query(text, [id]);
	if (isMoving) return;
	const asked = {
		query: async (words: string, values: readonly unknown[] = []) =>
			(await client.query(words, [...values])).rows,
	};
	await assertNotMoving(asked, schema).catch(async (error: unknown) => {
		await client.query(`SELECT ${schema}.end_process($1)`, [id]);
		throw error;
	});
}

/** False once another process has ended this one. */
async function renew(client: pg.Client, schema: string, id: string): Promise<boolean> {
	const text = `UPDATE ${schema}.processes SET seen_at = clock_timestamp() WHERE id = $1`;
	const { rowCount } = await client.query(text, [id]);
	return rowCount === 1;
}
