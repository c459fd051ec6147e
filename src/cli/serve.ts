import { resolve } from "node:path";
import { type App, createApp, type OpenedOnchain, openOnchain } from "../app/app.js";
import type { RunningServer } from "../http/http.js";
import { planOnchain, type Settings } from "../settings/settings.js";
import { renderBanner, toReadyLine } from "./banner.js";
import type { Terminal } from "./output.js";
import { removeServerFile, writeServerFile } from "./server-file.js";

export interface ServeOptions {
	readonly settings: Settings;
	/** Where the token for a facilitator may be. */
	readonly environment?: Readonly<Record<string, string | undefined>>;
	readonly json: boolean | undefined;
	/** When the work began, on the monotonic clock. */
	readonly startedMs: number;
	readonly terminal: Terminal;
}

/**
 * Serves until SIGTERM or SIGINT; then drains and returns, from the middle of a start as well. A start that fails leaves nothing
 * running.
 */
export async function serve(options: ServeOptions): Promise<void> {
	const { settings, environment = {}, json, startedMs, terminal } = options;
	// Before anything is opened: production says where its money goes, or does not start.
	planOnchain(settings.onchain, settings.profile);
	let signal: string | undefined;
	const stopped = nextSignal().then((name) => {
		signal = name;
	});
	const isStopped = () => signal !== undefined;
	let onchain: OpenedOnchain | undefined;
	const app = await createApp({
		settings,
		isServing: true,
		openOnchain: async (ports) => {
			onchain = await openOnchain({ ...ports, environment });
			return onchain;
		},
	});
	const becomeReady = async () => {
		// A chain that fails to start has said so in the log; tokens and keys go on.
		await Promise.all([app.ready(), onchain?.ready().catch(() => undefined)]);
		return isStopped() ? undefined : { demoSpt: await app.demoSpt() };
	};
	const open = async (): Promise<void> => {
		const server = await app.listen({ host: settings.host, port: settings.port });
		announce(app, server, settings);
		// Making the vectors of a large catalog takes minutes; nobody who ends the server waits for them.
		const made = await Promise.race([becomeReady(), stopped]);
		if (made) {
			const readyMs = performance.now() - startedMs;
			const facts = { ...made, app, server, settings, demoWallet: onchain?.demoWallet, readyMs };
			if (json) terminal.data(JSON.stringify(toReadyLine(facts)));
			else terminal.say(renderBanner(facts));
		}
	};
	try {
		if (!isStopped()) await open();
		await stopped;
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
