import { resolve } from "node:path";
import { type App, createApp } from "../app.js";
import type { RunningServer } from "../server.js";
import type { Settings } from "../settings.js";
import { renderBanner, toReadyLine } from "./banner.js";
import type { Terminal } from "./output.js";
import { removeServerFile, writeServerFile } from "./server-file.js";

export interface ServeOptions {
	readonly settings: Settings;
	readonly json: boolean | undefined;
	/** When the work began, on the monotonic clock. */
	readonly startedMs: number;
	readonly terminal: Terminal;
}

/** Serves until SIGTERM or SIGINT; then drains and returns. A start that fails leaves nothing running. */
export async function serve({ settings, json, startedMs, terminal }: ServeOptions): Promise<void> {
	const stopped = nextSignal();
	const app = await createApp({ settings, isServing: true });
	try {
		const server = await app.listen({ host: settings.host, port: settings.port });
		announce(app, server, settings);
		await app.ready();
		const demoSpt = await app.demoSpt();
		const facts = { app, server, demoSpt, readyMs: performance.now() - startedMs };
		if (json) terminal.data(JSON.stringify(toReadyLine(facts)));
		else terminal.say(renderBanner(facts));

		const signal = await stopped;
		terminal.say(`${signal}: finishing running calls.`);
	} finally {
		await app.close();
		removeServerFile(resolve(settings.data));
	}
}

function announce(app: App, { host, port }: RunningServer, settings: Settings): void {
	writeServerFile(resolve(settings.data), {
		admin_url: `http://${reachable(host)}:${port}/v1/admin`,
		token: app.adminToken,
	});
}

/** The address under which this machine reaches a server on `host`. */
function reachable(host: string): string {
	if (host === "0.0.0.0") return "127.0.0.1";
	if (host === "::") return "[::1]";
	return host.includes(":") ? `[${host}]` : host;
}

function nextSignal(): Promise<string> {
	return new Promise((done) => {
		for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => done(signal));
	});
}
