import type { Clock } from "../../src/kernel/kernel.js";
import type { TableName } from "../store.js";
import type { ConnectionPool, Rows } from "./connection.js";
import { afterGathering, createQueueDeadline, type Queued } from "./queues.js";

/** Keys are as in the database, see `toKey`. */
export type Question =
	| { readonly kind: "row"; readonly table: TableName; readonly key: string }
	| {
			readonly kind: "rows";
			readonly table: TableName;
			/** 1 to 3, as in the columns k1 to k3. */
			readonly place: number;
			readonly key: string;
	  }
	| { readonly kind: "balance"; readonly key: string };

export interface Answer {
	/** Bodies as JSON; none for a balance. */
	readonly bodies: readonly string[];
	/** Of the row, of all rows in the order of their ids, or the balance itself; null where there is nothing. */
	readonly version: string | null;
	/** Answers of one statement are of one moment. */
	readonly statement: number;
}

export type Look = (question: Question) => Promise<Answer>;

interface Asked extends Queued {
	readonly question: Question;
	readonly answer: (answer: Answer) => void;
}

/** At the same time: one, and others while that one takes long. What is asked meanwhile is asked together afterwards. */
const STATEMENTS = 4;
const SLOW_MS = 100;
const QUESTIONS_AT_MOST = 500;

/** Looks at what stands, without locks: what many callers ask at the same moment is one statement. */
export function createLooks({
	pool,
	schema,
	clock,
}: {
	readonly pool: Pick<ConnectionPool, "query">;
	readonly schema: string;
	readonly clock: Clock;
}): Look {
	const waiting: Asked[] = [];
	const watch = createQueueDeadline(clock, waiting);
	/** When each that runs began. */
	const running = new Map<number, number>();
	let [statement, isPlanned] = [0, false];
	const isOpen = () =>
		running.size < STATEMENTS &&
		[...running.values()].every((startedMs) => clock.monotonicMs() - startedMs > SLOW_MS);

	const ask = async (asked: readonly Asked[]) => {
		statement += 1;
		const own = statement;
		running.set(own, clock.monotonicMs());
		try {
			const answers = await lookAll({ pool, schema }, asked);
			for (const [index, { answer }] of asked.entries()) {
				const { bodies = [], version = null } = answers[index] ?? {};
				answer({ bodies, version, statement: own });
			}
		} catch (error) {
			for (const { fail } of asked) fail(error);
		} finally {
			running.delete(own);
			plan();
		}
	};
	const plan = () => {
		if (isPlanned || waiting.length === 0 || !isOpen()) return;
		isPlanned = true;
		afterGathering(waiting, QUESTIONS_AT_MOST, () => {
			isPlanned = false;
			if (isOpen() && waiting.length > 0) void ask(waiting.splice(0, QUESTIONS_AT_MOST));
		});
	};

	return (question) =>
		new Promise((answer, fail) => {
			waiting.push({ question, queuedMs: clock.monotonicMs(), answer, fail });
			plan();
			watch();
		});
}

async function lookAll(
	{ pool, schema }: { readonly pool: Pick<ConnectionPool, "query">; readonly schema: string },
	asked: readonly Asked[],
): Promise<readonly Pick<Answer, "bodies" | "version">[]> {
	const placed = asked.map(({ question }, at) => ({ at, ...question }));
	const rows = placed.flatMap((one) => (one.kind === "row" ? [one] : []));
	const searches = placed.flatMap((one) => (one.kind === "rows" ? [one] : []));
	const balances = placed.flatMap((one) => (one.kind === "balance" ? [one] : []));
	const found = await pool.query(`SELECT * FROM ${schema}.look($1, $2, $3, $4, $5, $6)`, [
		rows.map(({ table }) => table),
		rows.map(({ key }) => key),
		searches.map(({ table }) => table),
		searches.map(({ place }) => place),
		searches.map(({ key }) => key),
		balances.map(({ key }) => key),
	]);
	const places = [rows, searches, balances].map((part) => part.map(({ at }) => at));
	return toAnswers(found, places, asked.length);
}

function toAnswers(
	found: Rows,
	places: readonly (readonly number[])[],
	count: number,
): readonly Pick<Answer, "bodies" | "version">[] {
	const parts = Array.from({ length: count }, () => ({
		bodies: [] as string[],
		versions: [] as string[],
	}));
	for (const { part, n, body, version } of found) {
		const place = places[Number(part) - 1]?.[Number(n) - 1];
		const into = place === undefined ? undefined : parts[place];
		if (!into) continue;
		into.versions.push(String(version));
		if (body !== null) into.bodies.push(String(body));
	}
	return parts.map(({ bodies, versions }) => ({
		bodies,
		version: versions.length === 0 ? null : versions.join(","),
	}));
}
