import { readFileSync } from "node:fs";
import { hostname } from "node:os";

/** Names one process for as long as the machine runs, even when its number is given to another one later. */
export interface ProcessName {
	readonly pid: number;
	readonly host: string;
	/** When it started, in words of the system; empty where the system does not tell. */
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
