import { resolve } from "node:path";
import type { Command } from "commander";
import { createOperatorEgress, isLoopback } from "../../delivery/delivery.js";
import { invalidArgument, notFound, parseGraphId, unavailable } from "../../kernel/kernel.js";
import type { Settings } from "../../settings/settings.js";
import { withSettings } from "../help.js";
import { findServer } from "../operator-client.js";
import {
	type CommandContext,
	type Flags,
	settingsOf,
	textOf,
	withOperator,
} from "../operator-command.js";
import { printResult, type Terminal } from "../output.js";
import {
	type Access,
	CLIENT_NAMES,
	getClientGuide,
	type Instructions,
	URL_CLIENT,
} from "./client-guides.js";

const TOKEN_VARIABLE = "TOLLGRAPH_CONNECTION_TOKEN";
const TOKEN = /^ct_[0-9A-Za-z]{36}$/;
const WHO_HAS_IT_PAYS =
	"This address is a secret: whoever has it spends the account's money. It is shown once; tollgraph tokens list and revoke end it.";

interface Connection extends Instructions {
	readonly client: string;
	readonly address: string;
}

interface Wish {
	readonly client: string;
	readonly graph: string | undefined;
	readonly server: ServerAddress;
	/** An operator of the same server can be asked. */
	readonly isOurs: boolean;
	readonly access: Access;
}

export function addConnect(program: Command, context: CommandContext): void {
	const command = program
		.command("connect <client>")
		.description(`Print what connects an MCP client: ${CLIENT_NAMES.join(", ")}.`)
		.option("--graph <id>", "graph that tools read where a call names none")
		.option("--url <base>", "address of the server, without /mcp; by default the running one's")
		.option("--account <id>", `with ${URL_CLIENT}: account that pays (acc_…), for a new token`)
		.option("--label <text>", `with ${URL_CLIENT}: whom the new token is for`)
		.option("--json", "print one JSON line");
	withSettings(command).action(async (client: string) => {
		const flags: Flags = command.optsWithGlobals();
		if (client !== URL_CLIENT) getClientGuide(client);
		const settings = settingsOf(context, flags);
		const [url, graph] = [textOf(flags, "url"), textOf(flags, "graph")];
		const wish: Wish = {
			client,
			graph: graph === undefined ? undefined : parseGraphId(graph),
			server:
				url === undefined
					? await findServerAddress(settings)
					: { baseUrl: parseBaseUrl(url), isRunning: true },
			isOurs: url === undefined,
			// What another server does about it, its clients find out themselves.
			access: url === undefined ? toAccess(settings) : "own",
		};
		await assertOnSale(settings, wish);
		const connection =
			client === URL_CLIENT
				? await toSecretAddress(context, { settings, flags, wish })
				: toConnection(wish, flags);
		print(context.terminal, connection, { wish, json: flags["json"] === true });
	});
}

function toAccess({ oauth = "own" }: Settings): Access {
	return typeof oauth === "string" ? oauth : "other";
}

function toConnection({ client, graph, server, access }: Wish, flags: Flags): Connection {
	if (textOf(flags, "account") !== undefined || textOf(flags, "label") !== undefined) {
		throw invalidArgument(
			`--account and --label make a secret address; use them with "tollgraph connect ${URL_CLIENT}".`,
		);
	}
	const { path, instruct, isOAuthOnly = false } = getClientGuide(client);
	if (isOAuthOnly && access === "off") {
		throw invalidArgument(
			"This client takes access by OAuth alone, and the settings switch that off; set oauth to own, or to an issuer.",
		);
	}
	if (isOAuthOnly && graph !== undefined) {
		throw invalidArgument(
			`Access tokens are issued for ${path} as it stands, so its address takes no graph; tools name the graph in their arguments.`,
		);
	}
	const name = graph === undefined ? "tollgraph" : `tollgraph-${graph}`;
	const address = withGraph(`${server.baseUrl}${path}`, graph);
	return { client, address, ...instruct({ name, address, access }) };
}

/** A token that is given stands in the environment, because arguments are seen by every process of the machine. */
async function toSecretAddress(
	{ environment }: CommandContext,
	{ settings, flags, wish }: { settings: Settings; flags: Flags; wish: Wish },
): Promise<Connection> {
	const token = await tokenOf(settings, { flags, wish, given: environment[TOKEN_VARIABLE] });
	const address = withGraph(`${wish.server.baseUrl}/c/${token}`, wish.graph);
	return { client: URL_CLIENT, address, notes: [WHO_HAS_IT_PAYS] };
}

async function tokenOf(
	settings: Settings,
	{ flags, wish, given }: { flags: Flags; wish: Wish; given: string | undefined },
): Promise<string> {
	const account = textOf(flags, "account");
	if (account === undefined && textOf(flags, "label") !== undefined) {
		throw invalidArgument(
			"--label is for a new token; name the account that pays for it with --account acc_….",
		);
	}
	if (account !== undefined && wish.isOurs) {
		const order = { account_id: account, label: textOf(flags, "label") };
		return (await withOperator(settings, (operator) => operator.createToken(order))).token;
	}
	if (account === undefined && given && TOKEN.test(given)) return given;
	throw invalidArgument(
		account !== undefined
			? "Another server's accounts are not ours to make tokens for; leave --url out, or --account."
			: given
				? `What ${TOKEN_VARIABLE} holds is no connection token (ct_…).`
				: `Name the account that pays with --account acc_… (tollgraph accounts list), or put a connection token into ${TOKEN_VARIABLE}.`,
	);
}

/** Throws NOT_FOUND for a graph that is not for sale, before an agent runs into it. Only a running server is asked. */
async function assertOnSale(settings: Settings, { graph, server, isOurs }: Wish): Promise<void> {
	if (graph === undefined || !isOurs || !server.isRunning) return;
	const { items } = await withOperator(settings, (operator) => operator.listGraphs());
	if (items.some(({ id }) => id === graph)) return;
	throw notFound(`No graph is called "${graph}"; tollgraph graphs list names them.`);
}

function withGraph(address: string, graph: string | undefined): string {
	return graph === undefined ? address : `${address}?graph=${graph}`;
}

/** What is pasted goes to stdout, what is read to stderr. */
function print(
	terminal: Terminal,
	{ client, address, ...instructions }: Connection,
	{ wish, json }: { readonly wish: Wish; readonly json: boolean },
): void {
	const { file, config, command, steps, notes } = instructions;
	const asText = typeof config === "object" ? JSON.stringify(config, undefined, 2) : config;
	const lines = asText?.split("\n") ?? steps?.map((step, at) => `${at + 1}. ${step}`) ?? [address];
	const { isRunning } = wish.server;
	if (!json && file !== undefined) terminal.say(`Add this to ${file}:`);
	printResult(terminal, { client, address, ...instructions }, { json, lines });
	if (json) return;
	if (command !== undefined) terminal.say(`Or run: ${command}`);
	if (!isRunning) terminal.say("No server runs on this data folder now (tollgraph serve).");
	for (const note of notes) terminal.say(note);
}

const TIMEOUT_MS = 10_000;

interface ServerAddress {
	/** Without a slash at its end. */
	readonly baseUrl: string;
	/** False where the address is only what the settings promise. */
	readonly isRunning: boolean;
}

/** Where callers reach the server of a data folder: what it says itself, or what its settings say while none runs. */
async function findServerAddress(settings: Settings): Promise<ServerAddress> {
	const server = findServer(resolve(settings.data));
	if (server) return { baseUrl: await askForBaseUrl(server.admin_url), isRunning: true };
	const { publicUrl, host, port } = settings;
	if (publicUrl !== undefined) return { baseUrl: parseBaseUrl(publicUrl), isRunning: false };
	const name = host.includes(":") ? `[${host}]` : host;
	if (port !== 0 && isLoopback(name)) {
		return { baseUrl: `http://${name}:${port}`, isRunning: false };
	}
	throw invalidArgument(
		"Nobody serves this data folder, and its settings do not say under which address callers reach it: name it with --url https://….",
	);
}

/** The server may have been started with a public address that no setting of this command names. */
async function askForBaseUrl(adminUrl: string): Promise<string> {
	const { origin, hostname } = new URL(adminUrl);
	const response = await createOperatorEgress(hostname).request({
		method: "GET",
		url: `${origin}/.well-known/api-catalog`,
		headers: {},
		timeoutMs: TIMEOUT_MS,
	});
	const { linkset } = (await response.json()) as { linkset?: { anchor?: string }[] };
	const rest = linkset?.map(({ anchor }) => anchor).find((anchor) => anchor?.endsWith("/v1"));
	if (response.ok && rest !== undefined) return rest.slice(0, -"/v1".length);
	throw unavailable(
		"The running server does not say under which address it is reached: name it with --url.",
	);
}

/** Throws INVALID_ARGUMENT for what is no address, and for one over which a key would travel in the clear. */
function parseBaseUrl(text: string): string {
	const url = URL.canParse(text) ? new URL(text) : undefined;
	const isSafe =
		url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
	const isPlain = url && `${url.username}${url.password}${url.search}${url.hash}` === "";
	if (isSafe && isPlain) return url.href.replaceAll("'", "%27").replace(/\/(mcp\/?)?$/, "");
	throw invalidArgument(
		`"${text.slice(0, 200)}" is no base address; write one like https://api.example.org (http on loopback only), without /mcp, query or secret.`,
	);
}
