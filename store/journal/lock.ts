import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { type Clock, nextTurn, type Random, unavailable } from "../../src/kernel/kernel.js";
import { type FileSystem, writeFully } from "./file-system.js";

const ATTEMPTS = 8;
/** How long another process that is taking over a dead one's lock is given before the next attempt. */
const PAUSE_MS = 50;

export interface LockDeps {
	readonly fileSystem: FileSystem;
	readonly clock: Clock;
	readonly random: Random;
	readonly processes: ProcessTable;
	readonly path: string;
}

/** What this process puts at a path to hold it: no two are the same, so a file identifies who made it, and when. */
interface Claim {
	readonly text: Buffer;
	/** Where it was written, whole, before it was linked to any name that others look at. */
	readonly file: string;
}

/**
 * Takes the folder for this process and returns the function that releases it. A lock whose process is gone is taken over.
 * Throws UNAVAILABLE, within a second, while another process holds it.
 */
export async function takeLock(deps: LockDeps): Promise<() => Promise<void>> {
	const claim = await prepareClaim(deps);
	try {
		for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
			if (await holds(deps, claim, deps.path)) {
				// They do no harm: the next start tries again.
				await removeLeftovers(deps).catch(() => undefined);
				return async () => {
					const held = await deps.fileSystem.read(deps.path);
					if (held?.equals(claim.text)) await deps.fileSystem.remove(deps.path);
				};
			}
			const found = await deps.fileSystem.read(deps.path);
			if (found && !(await removeDead(deps, claim, found))) await pause(deps.clock);
		}
	} finally {
		await deps.fileSystem.remove(claim.file);
	}
	throw unavailable(
		`The lock "${deps.path}" could not be taken: another process is opening the store. Try again in a moment.`,
	);
}

/** As `takeLock`, for a data folder whose books are elsewhere. */
export function takeFolderLock({
	folder,
	...deps
}: Omit<LockDeps, "path" | "processes"> & {
	readonly folder: string;
}): Promise<() => Promise<void>> {
	return takeLock({ ...deps, processes: nodeProcessTable, path: join(folder, "lock") });
}

async function prepareClaim({ fileSystem, processes, random, path }: LockDeps): Promise<Claim> {
	const self = processes.self();
	const nonce = Buffer.from(random.bytes(9)).toString("hex");
	const text = Buffer.from(`${JSON.stringify({ ...self, nonce })}\n`);
	const claim = { text, file: `${path}.${self.pid}.${nonce}` };
	const file = await fileSystem.open(claim.file, "create");
	try {
		await writeFully(file, text, 0);
		await file.sync();
	} finally {
		await file.close();
	}
	return claim;
}

/** Links the claim to a name unless something is there. A link shows whole files only; what counts is what is read back. */
async function holds(
	{ fileSystem }: LockDeps,
	{ text, file }: Claim,
	path: string,
): Promise<boolean> {
	try {
		await fileSystem.link(file, path);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
	}
	return (await fileSystem.read(path))?.equals(text) ?? false;
}

/** Removes the lock of a dead process; false while another process is about to. Throws UNAVAILABLE when it lives. */
async function removeDead(deps: LockDeps, claim: Claim, lock: Buffer): Promise<boolean> {
	const { fileSystem, path } = deps;
	assertGone(deps, path, lock);
	const right = await takeRight(deps, claim, lock);
	if (right === undefined) return false;
	try {
		// Checked again, now that no other process may remove it.
		if ((await fileSystem.read(path))?.equals(lock)) await fileSystem.remove(path);
	} finally {
		await fileSystem.remove(right);
	}
	return true;
}

/**
 * The right to remove a file belongs to the holder of the file named after its contents; when that
 * process died, too, to the holder of the file named after the contents of that one. Contents never
 * recur, so no two processes have the same right. Returns the file that gives it; undefined while
 * another process has it.
 */
async function takeRight(
	deps: LockDeps,
	claim: Claim,
	judged: Buffer,
): Promise<string | undefined> {
	const { fileSystem, processes, path } = deps;
	const hash = createHash("sha256").update(judged).digest("hex").slice(0, 24);
	const right = `${path}.takeover-${hash}`;
	if (await holds(deps, claim, right)) return right;
	const other = await fileSystem.read(right);
	const holder = parseHolder(other);
	if (!other || (holder && processes.stateOf(holder) === "running")) return undefined;
	assertGone(deps, right, other);
	return takeRight(deps, claim, other);
}

/** What processes that died while they opened the store left behind; called by the holder of the lock. */
async function removeLeftovers({ fileSystem, processes, path }: LockDeps): Promise<void> {
	const folder = dirname(path);
	const names = (await fileSystem.list(folder)).filter((name) =>
		name.startsWith(`${basename(path)}.`),
	);
	for (const name of names) {
		const holder = parseHolder(await fileSystem.read(join(folder, name)));
		if (holder && processes.stateOf(holder) === "gone") await fileSystem.remove(join(folder, name));
	}
}

function assertGone({ processes }: LockDeps, path: string, bytes: Buffer): void {
	const holder = parseHolder(bytes);
	const state = holder ? processes.stateOf(holder) : "gone";
	if (!holder || state === "gone") return;
	const owner = `process ${holder.pid}${state === "unknown" ? ` on the machine "${holder.host}"` : ""}`;
	const remedy =
		state === "unknown"
			? `If no process there uses this folder any more, delete "${path}" and start again.`
			: "Stop it first, or choose another data folder.";
	throw unavailable(`The store is in use by ${owner} (lock "${path}"). ${remedy}`);
}

/** Undefined for what no process of ours wrote: a link shows whole files only. */
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

/** Names one process for as long as the machine runs, even when its number is given to another one later. */
export interface ProcessName {
	readonly pid: number;
	readonly host: string;
	/** When it started, in words of the system; empty where the system does not report it. */
	readonly started: string;
}

/** Who runs on this machine; injected, so that a test can let a process die. */
export interface ProcessTable {
	self(): ProcessName;
	/** `unknown` for a process of another machine. */
	stateOf(process: ProcessName): "running" | "gone" | "unknown";
}

export const nodeProcessTable: ProcessTable = {
	self: () => ({ pid: process.pid, host: hostname(), started: startOf(process.pid) }),
	stateOf({ pid, host, started }) {
		if (host !== hostname()) return "unknown";
		if (!isRunning(pid)) return "gone";
		// The number may belong to another process by now, after a reboot or in a restarted container.
		return started === "" || startOf(pid) === started ? "running" : "gone";
	},
};

function isRunning(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code !== "ESRCH";
	}
}

/** Linux: identity of the boot, and clock ticks from it to the start (field 22 of proc_pid_stat(5)). */
function startOf(pid: number): string {
	try {
		const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
		const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
		// The second field is a name in parentheses and may hold spaces.
		const ticks = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
		return `${boot}/${ticks}`;
	} catch {
		return "";
	}
}
