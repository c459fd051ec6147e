import { resolve } from "node:path";
import { type App, createApp } from "../app.js";
import { ServiceError } from "../core/errors.js";
import type { RunningServer } from "../server.js";
import type { Settings } from "../settings.js";
import { renderBanner, toReadyLine } from "./banner.js";
import type { Terminal } from "./output.js";
import { removeServerFile, writeServerFile } from "./server-file.js";

export interface ServeOptions {
	readonly settings: Settings;
	readonly json: boolean | undefined;
	/** Milliseconds of process life when the work began, on the monotonic clock. */
	readonly startedMs: number;
	readonly terminal: Terminal;
}

/** Serves until SIGTERM or SIGINT; then drains and returns. */
export async function serve({ settings, json, startedMs, terminal }: ServeOptions): Promise<void> {
	assertDemoStaysHome(settings);
	const stopped = nextSignal();
	const app = await createApp({ settings, isServing: true });
	try {
		const server = await app.listen({ host: settings.host, port: settings.port });
		await app.ready();
		announce(app, server, settings);
		const facts = {
			app,
			server,
			demoSpt: await app.demoSpt(),
			readyMs: performance.now() - startedMs,
		};
		if (json) terminal.data(JSON.stringify(toReadyLine(facts)));
		else terminal.say(renderBanner(facts));

		const signal = await stopped;
		terminal.say(`${signal}: finishing running calls.`);
		await server.drain();
	} finally {
		removeServerFile(resolve(settings.data));
		await app.close();
	}
}

/** Paper money must never be taken for real money by somebody far away. */
function assertDemoStaysHome({ profile, host }: Settings): void {
	if (profile !== "demo" || /^(127\.|localhost$|::1$)/.test(host)) return;
	throw new ServiceError(
		"INVALID_ARGUMENT",
		`The demo profile sells for paper money and listens on loopback only, not on "${host}". Use --host 127.0.0.1 or --profile production.`,
	);
}

function announce(app: App, server: RunningServer, settings: Settings): void {
	writeServerFile(resolve(settings.data), {
		pid: process.pid,
		admin_url: `http://${loopbackOf(server.host)}:${server.port}/v1/admin`,
		token: app.adminToken,
	});
}

function loopbackOf(host: string): string {
	if (host === "::1" || host === "::") return "[::1]";
	return host.startsWith("127.") ? host : "127.0.0.1";
}

function nextSignal(): Promise<string> {
	return new Promise((done) => {
		for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => done(signal));
	});
}
