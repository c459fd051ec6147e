import { execFileSync } from "node:child_process";
import { cpus } from "node:os";

/** Runs all threads of a process, those to come included, on core 0. False where taskset is missing. */
export function pinToFirstCore(pid: number | undefined): boolean {
	return pin("0", pid);
}

/** Keeps this process off core 0, where there is another one. */
export function leaveFirstCore(): boolean {
	return cpus().length < 2 || pin(`1-${cpus().length - 1}`, process.pid);
}

/** Lets this process run everywhere again. */
export function useAllCores(): boolean {
	return pin(`0-${cpus().length - 1}`, process.pid);
}

function pin(cores: string, pid: number | undefined): boolean {
	try {
		execFileSync("taskset", ["-a", "-c", "-p", cores, String(pid)], { stdio: "ignore" });
		return true;
	} catch {
		return false;
	}
}
