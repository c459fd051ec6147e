import { readdirSync, readFileSync } from "node:fs";
import pg from "pg";

/** Ticks of a second in /proc on every Linux that Node runs on. */
const TICKS_PER_S = 100;

interface Stat {
	readonly parent: number;
	readonly name: string;
	/** Of its own, and of its children that ended and were waited for, in milliseconds. */
	readonly ownMs: number;
	readonly endedMs: number;
}

function readStat(pid: number): Stat | undefined {
	try {
		const text = readFileSync(`/proc/${pid}/stat`, "utf8");
		const name = text.slice(text.indexOf("(") + 1, text.lastIndexOf(")"));
		// From the third field on: state, parent, …
		const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
		const ms = (at: number) => (Number(fields[at]) * 1_000) / TICKS_PER_S;
		return { parent: Number(fields[1]), name, ownMs: ms(11) + ms(12), endedMs: ms(13) + ms(14) };
	} catch {
		return undefined;
	}
}

/** Processor time of some processes so far, all threads, in milliseconds. */
export function processorMs(pids: readonly number[]): number {
	return pids.reduce((sum, pid) => sum + (readStat(pid)?.ownMs ?? 0), 0);
}

/** That of a process and of all that it started, ended ones included. */
export function familyMs(parent: number): number {
	const own = readStat(parent);
	const children = readdirSync("/proc")
		.filter((name) => /^\d+$/.test(name))
		.flatMap((name) => readStat(Number(name)) ?? [])
		.filter((stat) => stat.parent === parent);
	return children.reduce((sum, stat) => sum + stat.ownMs, (own?.ownMs ?? 0) + (own?.endedMs ?? 0));
}

/** The process that started a database's others. Throws where the database is not on this machine. */
export async function findPostmaster(url: string): Promise<number> {
	const client = new pg.Client({ connectionString: url });
	await client.connect();
	try {
		const { rows } = await client.query("SELECT pg_backend_pid() AS pid");
		const backend = readStat(Number(rows[0]?.pid));
		if (backend?.name === "postgres") return backend.parent;
		throw new Error("The database runs on another machine: its processor time cannot be read.");
	} finally {
		await client.end();
	}
}
