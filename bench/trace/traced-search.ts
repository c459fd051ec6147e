import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const RECORDER = fileURLToPath(new URL("recorder.mjs", import.meta.url));
const GRAPH_ID = "agent-payments";
const QUERY = { query: "Which HTTP status code asks for payment?", limit: 3 };

/** What a request still does after its reply is over by then. */
const SETTLING_MS = 200;

/**
 * Starts the package in `folder` as `npm start` does, pays for one search and then for the same again, and returns the ids of the
 * functions that the second one entered: by then everything is loaded that is loaded late.
 */
export async function traceSearch(folder: string): Promise<readonly number[]> {
	const args = ["--json", "--port", "0", "--data", join(folder, ".tollgraph")];
	const server = spawn(process.execPath, ["--import", RECORDER, "bin/start.mjs", ...args], {
		cwd: folder,
		stdio: ["ignore", "pipe", "pipe", "ipc"],
		// A loader of this process is not the server's.
		env: { ...process.env, NODE_OPTIONS: "" },
	});
	try {
		const { base_url: baseUrl, demo_spt: token } = await readyLine(server);
		const search = () => paidSearch(`${baseUrl}/v1/graphs/${GRAPH_ID}/search`, token);
		await search();
		await ask(server, "start");
		await search();
		await wait(SETTLING_MS);
		return (await ask(server, "stop")) as readonly number[];
	} finally {
		await end(server);
	}
}

async function readyLine(server: ChildProcess): Promise<{ base_url: string; demo_spt: string }> {
	let said = "";
	server.stderr?.on("data", (chunk) => {
		said += chunk;
	});
	const lines = createInterface({ input: server.stdout as NodeJS.ReadableStream });
	const ended = once(server, "exit").then(([code]) => {
		throw new Error(`The server ended with ${code} before it was ready: ${said}`);
	});
	ended.catch(() => undefined);
	const [line] = (await Promise.race([once(lines, "line"), ended])) as [string];
	return JSON.parse(line);
}

async function paidSearch(url: string, token: string): Promise<void> {
	const reply = await fetch(url, {
		method: "POST",
		headers: { "content-type": "application/json", "x-pay-spt": token },
		body: JSON.stringify(QUERY),
	});
	const text = await reply.text();
	if (reply.status !== 200 || !reply.headers.has("x-receipt-id")) {
		throw new Error(`The search was not answered and paid: ${reply.status} ${text}`);
	}
}

async function ask(server: ChildProcess, word: "start" | "stop"): Promise<unknown> {
	const answered = once(server, "message");
	server.send(word);
	const [answer] = await answered;
	return answer;
}

async function end(server: ChildProcess): Promise<void> {
	if (server.exitCode !== null || server.signalCode !== null) return;
	const ended = once(server, "exit");
	server.disconnect();
	await ended;
}
