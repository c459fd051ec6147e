import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nodeProcessTable, type ProcessName } from "../../store/journal/journal.js";

/** `<data>/server.json`, 0600: how commands reach the server that holds the data folder. */
export interface ServerFile extends ProcessName {
	readonly admin_url: string;
	readonly token: string;
}

const fileOf = (dataFolder: string) => join(dataFolder, "server.json");

export function writeServerFile(
	dataFolder: string,
	address: Pick<ServerFile, "admin_url" | "token">,
): void {
	const content: ServerFile = { ...nodeProcessTable.self(), ...address };
	// A fresh file, because the mode of one that is there would stay as it is.
	const temporary = `${fileOf(dataFolder)}.${process.pid}`;
	rmSync(temporary, { force: true });
	writeFileSync(temporary, `${JSON.stringify(content)}\n`, { mode: 0o600, flag: "wx" });
	renameSync(temporary, fileOf(dataFolder));
}

/** Unless a successor has put its own there meanwhile. */
export function removeServerFile(dataFolder: string): void {
	const { pid, started } = nodeProcessTable.self();
	const found = readServerFile(dataFolder);
	if (found?.pid === pid && found.started === started) rmSync(fileOf(dataFolder));
}

/** The running server's file; undefined when there is none or its process is gone, its number reused included. */
export function findServer(dataFolder: string): ServerFile | undefined {
	const content = readServerFile(dataFolder);
	return content && nodeProcessTable.stateOf(content) === "running" ? content : undefined;
}

function readServerFile(dataFolder: string): ServerFile | undefined {
	try {
		return JSON.parse(readFileSync(fileOf(dataFolder), "utf8")) as ServerFile;
	} catch {
		// Absent or damaged: no server to talk to, and the store's lock decides.
		return undefined;
	}
}
