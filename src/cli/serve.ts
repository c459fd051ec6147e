import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import type { Command } from "commander";
import type { DemoWallet } from "../../payments/onchain/onchain.js";
import {
	type App,
	type AppServer,
	createApp,
	type OpenedOnchain,
	openOnchain,
} from "../app/app.js";
import type { RunningServer } from "../http/http.js";
import { toStartRefusal } from "../operator/operator.js";
import { planOnchain, type Settings } from "../settings/settings.js";
import { withExamples, withSettings } from "./help.js";
import { removeServerFile, writeServerFile } from "./operator-client.js";
import { type CommandContext, type Flags, settingsOf } from "./operator-command.js";

interface ServeOptions {
	readonly settings: Settings;
	readonly json: boolean;
	/** Starts on a journal whose end may be lost. */
	readonly acceptsLoss: boolean;
}

/** V8 lets the heap of a server grow to four times what is alive before it collects the old generation; this is 1.25 times (docs/adr/0085). */
const HEAP_GROWING_PERCENT = 25;

/**
 * Serves until SIGTERM or SIGINT; then drains and returns, from the middle of a start as well. A start that fails leaves nothing
 * running.
 */
export async function serve(
	{ terminal, environment, startedMs }: CommandContext,
	{ settings, json, acceptsLoss }: ServeOptions,
): Promise<void> {
	// Before anything is opened: production says where its money goes, or does not start.
	planOnchain(settings.onchain, settings.profile);
	let signal: string | undefined;
	const stopped = nextSignal().then((name) => {
		signal = name;
	});
	const isStopped = () => signal !== undefined;
	let onchain: OpenedOnchain | undefined;
	const opening = createApp({
		settings,
		isServing: true,
		acceptsLoss,
		openOnchain: async (ports) => {
			onchain = await openOnchain({ ...ports, environment });
			return onchain;
		},
	});
	const app = await orEndBySignal(opening, stopped, async () => {
		terminal.say(`${signal}: ended before the start was done.`);
		await onchain?.close();
		return signal;
	});
	const becomeReady = async () => {
		// A chain that fails to start has said so in the log; tokens and keys go on.
		await Promise.all([app.ready(), onchain?.ready().catch(() => undefined)]);
		// Not before: what a start reads lives on, and would be marked again and again.
		setFlagsFromString(`--heap-growing-percent=${HEAP_GROWING_PERCENT}`);
		return isStopped() ? undefined : { demoSpt: await app.demoSpt() };
	};
	const open = async (): Promise<void> => {
		const server = await app.listen({ host: settings.host, port: settings.port });
		announce(app, server, settings);
		// Making the vectors of a large catalog takes minutes; a signal does not wait for them.
		const made = await Promise.race([becomeReady(), stopped]);
		if (made) {
			const readyMs = performance.now() - startedMs;
			const facts = { ...made, app, server, settings, demoWallet: onchain?.demoWallet, readyMs };
			if (json) terminal.data(JSON.stringify(toReadyLine(facts)));
			else terminal.say(renderBanner(facts));
		}
	};
	try {
		if (!isStopped()) {
			await open().catch((error: unknown) => {
				throw toStartRefusal(error, { folder: resolve(settings.data), store: app.store });
			});
		}
		await stopped;
		terminal.say(`${signal}: finishing running calls.`);
	} finally {
		await app.close();
		removeServerFile(resolve(settings.data));
	}
}

/** How long a start that is asked to end may take to come to a place where it can. */
const START_END_MS = 1_500;

/**
 * The app, unless a signal comes and opening it goes on for longer than that: what is on the disk then is what a crash leaves, so the
 * process ends by the signal. Waiting work of the system, such as a read that never returns, would keep an ordinary exit waiting.
 */
async function orEndBySignal(
	opening: Promise<App>,
	stopped: Promise<void>,
	say: () => Promise<string | undefined>,
): Promise<App> {
	const late = stopped.then(() => sleep(START_END_MS, undefined, { ref: false }));
	const opened = await Promise.race([opening, late]);
	if (opened) return opened;
	const signal = await Promise.race([say(), sleep(START_END_MS / 10, undefined)]);
	process.kill(process.pid, signal ?? "SIGKILL");
	return opening;
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

export function addServe(program: Command, context: CommandContext): void {
	const command = program.command("serve").description("Serve the graphs on sale until SIGTERM.");
	withExamples(withSettings(command, { isShown: true }), [
		"serve",
		"serve --port 9000 --catalog none --data ./shop",
		"serve --profile production --public-url https://kb.example.org --facilitator off",
	])
		.option("--json", "print one JSON line to stdout when ready")
		.option("--accept-loss", "start although payments at the end of the journal may be lost")
		.action(async (_flags: Flags, command: Command) => {
			const flags: Flags = command.optsWithGlobals();
			const settings = settingsOf(context, flags);
			const [json, acceptsLoss] = [flags["json"] === true, flags["acceptLoss"] === true];
			await serve(context, { settings, json, acceptsLoss });
		});
}

interface StartFacts {
	readonly app: App;
	readonly server: AppServer;
	readonly settings: Settings;
	/** Undefined in production, which gives no money away. */
	readonly demoSpt: string | undefined;
	/** Undefined in production, and where there is no local chain. */
	readonly demoWallet: DemoWallet | undefined;
	readonly readyMs: number;
}

/** The one JSON line of `serve --json`. */
function toReadyLine({ app, server, demoSpt, demoWallet, readyMs }: StartFacts): object {
	const { info } = app.service;
	const baseUrl = info.baseUrl();
	return {
		base_url: baseUrl,
		agent_card_url: `${baseUrl}/.well-known/agent-card.json`,
		mcp_url: `${info.mcpUrl()}/mcp`,
		docs_url: `${baseUrl}/openapi.json`,
		...(server.metricsUrl !== undefined && { metrics_url: server.metricsUrl }),
		admin_token: app.adminToken,
		demo_spt: demoSpt ?? null,
		demo_wallet: demoWallet ?? null,
		graph_ids: app.catalog.list().map((graph) => graph.record.id),
		ready_ms: Math.round(readyMs),
	};
}

/** What a person reads on stderr: where things are, and one line that pays and answers. */
function renderBanner({
	app,
	server: { metricsUrl },
	settings,
	demoSpt,
	demoWallet,
	readyMs,
}: StartFacts): string {
	const { info } = app.service;
	const baseUrl = info.baseUrl();
	const graphs = app.catalog.list();
	const concepts = graphs.reduce((sum, graph) => sum + graph.concepts.length, 0);
	const lines = [
		`tollgraph ${info.version}, ${info.profile} profile, ready in ${Math.round(readyMs)} ms`,
		"",
		`  REST         ${baseUrl}/v1`,
		`  Agent card   ${baseUrl}/.well-known/agent-card.json`,
		`  OpenAPI      ${baseUrl}/openapi.json`,
		`  MCP          ${info.mcpUrl()}/mcp`,
		`  Catalog      ${baseUrl}/v1/graphs/catalog   ${graphs.length} graphs, ${concepts} concepts`,
		...(metricsUrl === undefined ? [] : [`  Metrics      ${metricsUrl}`]),
	];
	if (graphs.length === 0) {
		lines.push("", "  Nothing is on sale yet: tollgraph import ./folder --as my-graph");
	}
	if (demoSpt === undefined) lines.push(`  Payments     ${renderRails(settings)}`);
	else lines.push("", ...renderWallet(demoWallet, settings), ...renderDemo(app, demoSpt));
	return lines.join("\n");
}

/** Where production's money goes, for the operator to compare. */
function renderRails({ onchain }: Settings): string {
	const { payTo, network } = onchain;
	if (onchain.facilitator === "off") return "tokens and keys only";
	return `x402 on ${network} to ${payTo}, tokens and keys`;
}

function renderWallet(wallet: DemoWallet | undefined, { onchain }: Settings): string[] {
	if (wallet) {
		return [
			`  Demo wallet  ${wallet.address}   100 USDC on a local chain, worth nothing off this machine`,
			`               ${wallet.network} at ${wallet.rpc_url}; its key is in <data>/keys/demo-wallet.json`,
			"               any x402 client pays with it: see Pay with a wallet in the README",
		];
	}
	if ((onchain.facilitator ?? "demo") !== "demo") return [];
	return ["  No local chain (anvil is not installed): tokens and keys only"];
}

function renderDemo(app: App, demoSpt: string): string[] {
	const { exampleInput } = app.service.skills["graphs.search"];
	const { graph_id: suggested, ...body } = exampleInput;
	const graph = app.catalog.find(String(suggested)) ?? app.catalog.list()[0];
	const wallet = `  Demo SPT     ${demoSpt}   25 USD of paper money, worth nothing off this machine`;
	if (!graph) return [wallet];
	const { id, exampleQueries, title } = graph.record;
	const query = id === suggested ? body : { query: exampleQueries[0] ?? title };
	return [
		wallet,
		"",
		"  A paid call:",
		`  curl -s ${app.service.info.baseUrl()}/v1/graphs/${id}/search -H 'X-Pay-SPT: ${demoSpt}' -H 'Content-Type: application/json' -d '${JSON.stringify(query).replaceAll("'", "")}'`,
	];
}
