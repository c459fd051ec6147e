import pg from "pg";
import { type Clock, unavailable } from "../../src/kernel/kernel.js";
import { messageOf } from "../store.js";

const RETRY_MS = 1_000;
const CONNECT_MS = 5_000;
/** How often the claim is looked at, and how long an answer may take before it counts as lost. */
const LOOK_MS = 2_000;
const ANSWER_MS = 5_000;

interface ClaimDeps {
	readonly url: string;
	/** The quoted name of the schema. */
	readonly schema: string;
	readonly clock: Clock;
	/** Of this process, and no other's. */
	readonly processId: string;
	readonly onLost: (reason: string) => void;
	readonly onBack: () => void;
}

/** The right to sell from a database, for one process at a time. */
export interface Claim {
	/** Why it is not held now; undefined while it is. */
	lostBecause(): string | undefined;
	release(): Promise<void>;
}

/**
 * Takes the claim: a lock of a session of its own, which ends with its connection, and a row that names the process, which every
 * write looks at. It is written again every few seconds, which shows that the database takes writes; where that fails or the
 * connection breaks the process stops selling and tries to take the claim again, which fails for good once another process has had
 * it. Throws UNAVAILABLE while another one has it. A pooler that shares sessions among clients must not stand in between.
 */
export async function takeClaim(deps: ClaimDeps): Promise<Claim> {
	const { clock } = deps;
	let session = await connect(deps);
	await becomeClaimant(session.client, deps).catch(async (error: unknown) => {
		await session.client.end().catch(() => undefined);
		throw error;
	});
	let lost: string | undefined;
	let isOver = false;
	let isTaken = false;
	let retrying: Promise<unknown> = Promise.resolve();
	let stopWaiting: () => void = () => undefined;

	const lose = (reason: string) => {
		if (isOver || lost === reason) return;
		lost = reason;
		deps.onLost(reason);
	};
	const loseForGood = () => {
		isTaken = true;
		lose("another process has taken the database over");
	};
	const follow = (followed: ClaimSession) => {
		void followed.ended.then((reason) => {
			if (followed !== session || isTaken) return;
			lose(`the connection to the database is lost: ${reason}`);
			retryLater();
		});
	};
	const retryLater = () => {
		if (isOver || isTaken) return;
		stopWaiting = clock.after(RETRY_MS, () => {
			retrying = takeAgain().catch(retryLater);
		});
	};
	const takeAgain = async () => {
		const next = await connect(deps);
		try {
			const isOurs = await isStillOurs(next.client, deps);
			if (!isOurs) loseForGood();
			if (!isOurs || isOver) return await next.client.end();
		} catch (error) {
			await next.client.end().catch(() => undefined);
			throw error;
		}
		session = next;
		lost = undefined;
		deps.onBack();
		follow(next);
		return undefined;
	};
	const look = async () => {
		const looked = session;
		if (lost !== undefined) return;
		const seen = await touch(looked.client, deps);
		if (isOver || looked !== session || seen === "ours") return;
		if (seen === "another's") loseForGood();
		// The end of this session is what brings the next attempt.
		looked.drop(seen);
	};

	follow(session);
	const stopLooking = clock.every(LOOK_MS, oneAtATime(look));
	return {
		lostBecause: () => lost,
		async release() {
			isOver = true;
			stopLooking();
			stopWaiting();
			await retrying;
			await session.client.end().catch(() => undefined);
		},
	};
}

function oneAtATime(task: () => Promise<void>): () => void {
	let isRunning = false;
	return () => {
		if (isRunning) return;
		isRunning = true;
		void task().finally(() => {
			isRunning = false;
		});
	};
}

/** Writes the claim once more. "ours", "another's", or why it could not be written. */
async function touch(client: pg.Client, { schema, processId }: ClaimDeps): Promise<string> {
	try {
		const text = `UPDATE ${schema}.meta SET value = value WHERE name = 'claimant' AND value = $1`;
		const { rowCount } = await client.query(text, [processId]);
		return rowCount === 1 ? "ours" : "another's";
	} catch (error) {
		return messageOf(error);
	}
}

interface ClaimSession {
	readonly client: pg.Client;
	/** Resolves, with why, once the connection is no more, or was dropped. */
	readonly ended: Promise<string>;
	drop(reason: string): void;
}

async function connect({ url }: ClaimDeps): Promise<ClaimSession> {
	const client = new pg.Client({
		connectionString: url,
		connectionTimeoutMillis: CONNECT_MS,
		application_name: "tollgraph claim",
		keepAlive: true,
		query_timeout: ANSWER_MS,
	});
	let drop: (reason: string) => void = () => undefined;
	const ended = new Promise<string>((resolve) => {
		client.on("error", (error) => resolve(messageOf(error)));
		client.on("end", () => resolve("it was ended"));
		drop = (reason) => {
			resolve(reason);
			void client.end().catch(() => undefined);
		};
	});
	await client.connect();
	await client.query("SET idle_session_timeout = 0");
	return { client, ended, drop };
}

async function becomeClaimant(client: pg.Client, deps: ClaimDeps): Promise<void> {
	if (!(await tryLock(client, deps))) {
		throw unavailable(
			"Another process sells from this database. Stop it first, or give this one a schema or database of its own.",
			{ retryable: false },
		);
	}
	const { schema, processId } = deps;
	await client.query("BEGIN");
	// What an earlier process writes ends before, or finds that it may write no more.
	await client.query(`SELECT pg_advisory_xact_lock(${schema}.lock_of('claimant'))`);
	await client.query(
		`INSERT INTO ${schema}.meta VALUES ('claimant', $1) ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
		[processId],
	);
	await client.query("COMMIT");
}

async function tryLock(client: pg.Client, { schema }: ClaimDeps): Promise<boolean> {
	const text = `SELECT pg_try_advisory_lock(${schema}.lock_of('claim')) AS taken`;
	const { rows } = await client.query<{ taken: boolean }>(text);
	return rows[0]?.taken === true;
}

/** Throws while the database takes no writes, and while the server still has our old session, whose lock ends when it notices. */
async function isStillOurs(client: pg.Client, deps: ClaimDeps): Promise<boolean> {
	const isTaken = await tryLock(client, deps);
	const seen = await touch(client, deps);
	if (seen === "another's") return false;
	if (isTaken && seen === "ours") return true;
	throw new Error(isTaken ? seen : "the server holds the lock of our earlier session yet");
}
