import pg from "pg";
import { type Clock, type Random, unavailable } from "../../src/kernel/kernel.js";
import { messageOf, type StoreProcesses } from "../store.js";
import type { ConnectionPool } from "./connection.js";

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
}

export interface Membership extends StoreProcesses {
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
	const { pool, schema, clock, random, hooks } = deps;
	const newId = () => `proc_${Buffer.from(random.bytes(12)).toString("hex")}`;
	let ownId = newId();
	let session: Session | undefined = await connect(deps);
	await register(session.client, deps, ownId).catch(async (error: unknown) => {
		await session?.client.end().catch(() => undefined);
		throw error;
	});
	let lost: string | undefined;
	let isOver = false;
	let beating: Promise<void> = Promise.resolve();

	const lose = (reason: string) => {
		if (isOver || lost === reason) return;
		lost = reason;
		hooks.onLost(reason);
	};
	const beat = async () => {
		try {
			session ??= await connect(deps);
			const isThere = await renew(session.client, deps, ownId);
			if (!isThere) {
				lose("this process was taken for ended");
				ownId = newId();
				await register(session.client, deps, ownId);
			}
			await endSilent(session.client, deps);
			if (lost === undefined || isOver) return;
			lost = undefined;
			hooks.onBack();
		} catch (error) {
			const broken = session;
			session = undefined;
			lose(`the connection to the database is lost: ${messageOf(error)}`);
			await broken?.client.end().catch(() => undefined);
		}
	};
	let stopWaiting: () => void = () => undefined;
	const beatLater = () => {
		if (isOver) return;
		const pauseMs = lost === undefined ? BEAT_MS : RETRY_MS;
		stopWaiting = clock.after(pauseMs, () => {
			beating = beat().finally(beatLater);
		});
	};
	const beatNow = () => {
		stopWaiting();
		beating = beating.then(beat).finally(beatLater);
	};
	session.onEnd(() => {
		if (!isOver) beatNow();
	});
	beatLater();
	return {
		ownId: () => ownId,
		async alive() {
			const rows = await pool.query(`SELECT id FROM ${schema}.processes ORDER BY id`);
			return rows.map(({ id }) => String(id));
		},
		lostBecause: () => lost,
		noteEnded() {
			if (isOver || lost !== undefined) return;
			lose("this process was taken for ended");
			beatNow();
		},
		async leave() {
			isOver = true;
			stopWaiting();
			await beating;
			await session?.client
				.query(`SELECT ${schema}.end_process($1)`, [ownId])
				.catch(() => undefined);
			await session?.client.end().catch(() => undefined);
		},
	};
}

interface Session {
	readonly client: pg.Client;
	onEnd(act: () => void): void;
}

async function connect({ url }: MembershipDeps): Promise<Session> {
	const client = new pg.Client({
		connectionString: url,
		connectionTimeoutMillis: CONNECT_MS,
		application_name: "tollgraph lease",
		keepAlive: true,
		query_timeout: ANSWER_MS,
	});
	let act: () => void = () => undefined;
	client.on("error", () => undefined);
	client.on("end", () => act());
	await client.connect();
	return {
		client,
		onEnd(given) {
			act = given;
		},
	};
}

/** Throws while the database takes no writes. */
async function register(client: pg.Client, { schema }: MembershipDeps, id: string): Promise<void> {
	const { rows } = await client.query<{ standby: boolean }>(
		"SELECT pg_is_in_recovery() AS standby",
	);
	if (rows[0]?.standby) throw unavailable("The database is a standby and takes no writes.");
	await client.query(`INSERT INTO ${schema}.processes (id, seen_at) VALUES ($1, clock_timestamp())`, [
		id,
	]);
}

/** False once another process has ended this one. */
async function renew(client: pg.Client, { schema }: MembershipDeps, id: string): Promise<boolean> {
	const text = `UPDATE ${schema}.processes SET seen_at = clock_timestamp() WHERE id = $1`;
	const { rowCount } = await client.query(text, [id]);
	return rowCount === 1;
}

async function endSilent(client: pg.Client, { schema }: MembershipDeps): Promise<void> {
	await client.query(`SELECT ${schema}.end_silent($1)`, [LEASE_MS]);
}
