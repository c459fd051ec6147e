import type { Clock } from "../../src/core/clock.js";
import { ServiceError } from "../../src/core/errors.js";
import { writeFully } from "./durable-file.js";
import type { FileSystem } from "./file-system.js";
import { nextTurn } from "./next-turn.js";
import type { ProcessName, ProcessTable } from "./process-table.js";

const ATTEMPTS = 6;
/** How often an empty lock is given time to be written, and how long. */
const PAUSES = 2;
const PAUSE_MS = 50;

export interface LockDeps {
	readonly fileSystem: FileSystem;
	readonly clock: Clock;
	readonly processes: ProcessTable;
	/** Of the lock file. */
	readonly path: string;
}

/**
 * Takes the folder for this process and returns the way to give it back. A lock whose process is gone is taken over.
 * Throws UNAVAILABLE, within a second, while another process holds it.
 */
export async function takeLock(deps: LockDeps): Promise<() => Promise<void>> {
	const { fileSystem, clock, path } = deps;
	for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
		if (await tryCreate(deps)) return () => giveBack(deps);
		const holder = parseHolder(await fileSystem.read(path));
		// Empty: its owner is writing it this moment, or died doing so.
		if (!holder && attempt <= PAUSES) await pause(clock);
		else await removeStale(deps, holder);
	}
	throw new ServiceError(
		"UNAVAILABLE",
		`The lock "${path}" could not be taken: another process is opening the store. Try again in a moment.`,
	);
}

async function tryCreate({ fileSystem, processes, path }: LockDeps): Promise<boolean> {
	try {
		const file = await fileSystem.open(path, "create");
		try {
			await writeFully(file, Buffer.from(`${JSON.stringify(processes.self())}\n`), 0);
			await file.sync();
		} finally {
			await file.close();
		}
		return true;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
		throw error;
	}
}

/** Moves a dead process's lock aside; throws UNAVAILABLE when its process lives. */
async function removeStale(deps: LockDeps, holder: ProcessName | undefined): Promise<void> {
	const { fileSystem, processes, path } = deps;
	if (holder) assertGone(deps, holder);
	const aside = `${path}.stale-${processes.self().pid}`;
	try {
		// A rename succeeds for one process only, so that two of them cannot both remove what they judged.
		await fileSystem.rename(path, aside);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
		throw error;
	}
	const moved = parseHolder(await fileSystem.read(aside));
	if (moved && processes.stateOf(moved) === "running") await fileSystem.rename(aside, path);
	else await fileSystem.remove(aside);
}

function assertGone({ processes, path }: LockDeps, holder: ProcessName): void {
	const state = processes.stateOf(holder);
	if (state === "gone") return;
	const owner = `process ${holder.pid}${state === "unknown" ? ` on the machine "${holder.host}"` : ""}`;
	const remedy =
		state === "unknown"
			? `If no process there uses this folder any more, delete "${path}" and start again.`
			: "Stop it first, or choose another data folder.";
	throw new ServiceError(
		"UNAVAILABLE",
		`The store is in use by ${owner} (lock "${path}"). ${remedy}`,
	);
}

async function giveBack({ fileSystem, processes, path }: LockDeps): Promise<void> {
	const holder = parseHolder(await fileSystem.read(path));
	const { pid, started } = processes.self();
	if (holder?.pid === pid && holder.started === started) await fileSystem.remove(path);
}

function parseHolder(bytes: Buffer | undefined): ProcessName | undefined {
	try {
		const holder = JSON.parse(bytes?.toString("utf8") ?? "") as Partial<ProcessName> | null;
		const { pid, host, started } = holder ?? {};
		if (typeof pid !== "number" || typeof host !== "string") return undefined;
		return { pid, host, started: String(started ?? "") };
	} catch {
		return undefined;
	}
}

/** Takes turns instead of a timer, because a timer would not keep a command's process alive. */
async function pause(clock: Clock): Promise<void> {
	const endMs = clock.monotonicMs() + PAUSE_MS;
	while (clock.monotonicMs() < endMs) await nextTurn();
}
