import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** `<data>/server.json`, 0600: how commands reach the server that holds the data folder. */
export interface ServerFile {
	readonly pid: number;
	readonly admin_url: string;
	readonly token: string;
}

const fileOf = (dataFolder: string) => join(dataFolder, "server.json");

export function writeServerFile(dataFolder: string, content: ServerFile): void {
	writeFileSync(fileOf(dataFolder), `${JSON.stringify(content)}\n`, { mode: 0o600 });
}

export function removeServerFile(dataFolder: string): void {
	rmSync(fileOf(dataFolder), { force: true });
}

/** The running server's file; undefined when there is none or its process is gone. */
export function findServer(dataFolder: string): ServerFile | undefined {
	let content: ServerFile;
	try {
		content = JSON.parse(readFileSync(fileOf(dataFolder), "utf8")) as ServerFile;
	} catch {
		// Absent or half written by a process that died: nobody to talk to.
		return undefined;
	}
	return isAlive(content.pid) ? content : undefined;
}

function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === "EPERM";
	}
}
