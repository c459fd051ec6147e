import pg from "pg";
import { type Clock, unavailable } from "../../src/kernel/kernel.js";
import { messageOf } from "../store.js";

const RETRY_MS = 1_000;
const CONNECT_MS = 5_000;

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
 * Takes the claim: a lock of a session of its own, which ends with its connection. Where that breaks the process stops selling and
 * tries to take it again, which fails for good once another process has had it. Throws UNAVAILABLE while another one has it.
 */
export async function takeClaim(deps: ClaimDeps): Promise<Claim> {
	let session = await connect(deps);
	await becomeClaimant(session.client, deps).catch(async (error: unknown) => {
		await session.client.end().catch(() => undefined);
		throw error;
	});
	let lost: string | undefined;
	let isOver = false;
	let stopWaiting: () => void = () => undefined;

	const lose = (reason: string) => {
		if (isOver) return;
		lost = reason;
		deps.onLost(reason);
	};
	const follow = () => {
		void session.ended.then((reason) => {
			lose(`the connection to the database is lost: ${reason}`);
			if (!isOver) retryLater();
		});
	};
	const retryLater = () => {
		stopWaiting = deps.clock.after(RETRY_MS, () => {
			takeAgain().catch(() => {
				if (!isOver) retryLater();
			});
		});
	};
	const takeAgain = async () => {
		const next = await connect(deps);
		if (isOver) return next.client.end();
		if (!(await isStillOurs(next.client, deps))) {
			lose("another process has taken the database over");
			return next.client.end();
		}
		session = next;
		lost = undefined;
		deps.onBack();
		follow();
		return undefined;
	};

	follow();
	return {
		lostBecause: () => lost,
		async release() {
			isOver = true;
			stopWaiting();
			await session.client.end().catch(() => undefined);
		},
	};
}

interface ClaimSession {
	readonly client: pg.Client;
	/** Resolves, with why, once the connection is no more. */
	readonly ended: Promise<string>;
}

async function connect({ url }: ClaimDeps): Promise<ClaimSession> {
	const client = new pg.Client({
		connectionString: url,
		connectionTimeoutMillis: CONNECT_MS,
		application_name: "tollgraph claim",
		keepAlive: true,
	});
	const ended = new Promise<string>((resolve) => {
		client.on("error", (error) => resolve(messageOf(error)));
		client.on("end", () => resolve("it was ended"));
	});
	await client.connect();
	return { client, ended };
}

async function becomeClaimant(client: pg.Client, deps: ClaimDeps): Promise<void> {
	if (!(await tryLock(client, deps))) {
		throw unavailable(
			"Another process sells from this database. Stop it first, or give this one a schema or database of its own.",
			{ retryable: false },
		);
	}
	await client.query(
		`INSERT INTO ${deps.schema}.meta VALUES ('claimant', $1) ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
		[deps.processId],
	);
}

async function tryLock(client: pg.Client, { schema }: ClaimDeps): Promise<boolean> {
	const text = `SELECT pg_try_advisory_lock(${schema}.lock_of('claim')) AS taken`;
	const { rows } = await client.query<{ taken: boolean }>(text);
	return rows[0]?.taken === true;
}

/** Throws while the server still has our old session, whose lock ends when it notices. */
async function isStillOurs(client: pg.Client, deps: ClaimDeps): Promise<boolean> {
	const isTaken = await tryLock(client, deps);
	const text = `SELECT value FROM ${deps.schema}.meta WHERE name = 'claimant'`;
	const { rows } = await client.query<{ value: string }>(text);
	if (rows[0]?.value !== deps.processId) return false;
	if (isTaken) return true;
	await client.end();
	throw new Error("the server holds the lock of our earlier session yet");
}
