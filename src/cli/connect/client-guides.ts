import type { OAuthResourcePath } from "../../contract/contract.js";
import { invalidArgument } from "../../kernel/kernel.js";

/** How each client is configured for an MCP server: its file, its format, and how it is given a key that stands in no file. */

export interface ClientGuide {
	readonly path: OAuthResourcePath;
	readonly instruct: (endpoint: Endpoint) => Instructions;
	/** Takes access tokens alone, issued for the address as it stands: nothing may be added to it. */
	readonly isOAuthOnly?: boolean;
}

/** Environment variable that configurations refer to; a key itself is never printed. */
const KEY_VARIABLE = "TOLLGRAPH_API_KEY";
const YOUR_KEY = "<your API key, sk_…>";
const FROM_ENVIRONMENT = `Put an API key (tollgraph keys create) into ${KEY_VARIABLE} in the environment the client starts in.`;
const KEY_IN_FILE =
	"This client cannot refer to the environment: put your API key (tollgraph keys create) in the place marked, and keep the file to yourself.";

type Entry = Record<string, unknown>;

interface JsonFile {
	readonly file: string;
	readonly key: string;
	readonly notes?: readonly string[];
	/** How it does without a key, where somebody gives access by OAuth. */
	readonly signIn?: string;
}

/** JSON with one entry for each server; `toEntry` is the part in which clients differ. */
function jsonGuide(where: JsonFile, toEntry: (address: string) => Entry): ClientGuide {
	const { file, key, notes = [FROM_ENVIRONMENT], signIn } = where;
	return {
		path: "/mcp",
		instruct: ({ name, address, access }) => ({
			file,
			config: { [key]: { [name]: toEntry(address) } },
			notes: signIn === undefined || access === "off" ? notes : [...notes, signIn],
		}),
	};
}

/** The key header, with a reference as the client writes it. */
const keyHeader = (reference: string) => ({ headers: { "X-API-Key": reference } });
const BRACES = `\${${KEY_VARIABLE}}`;
const ENV_BRACES = `\${env:${KEY_VARIABLE}}`;
const BRIDGE = "The bridge mcp-remote sends the key, because the app takes no headers.";
const ADD_CONNECTOR =
	"Without a key: Settings, Connectors, Add custom connector, with the address alone, and sign in.";

/** Documented at code.claude.com/docs/en/mcp, "Environment variable expansion in .mcp.json". */
const claudeCode: ClientGuide = {
	path: "/mcp",
	instruct({ name, address }) {
		const entry = { type: "http", url: address, ...keyHeader(BRACES) };
		return {
			file: ".mcp.json",
			config: { mcpServers: { [name]: entry } },
			// In single quotes, so that no shell puts the key itself into the arguments or the file.
			command: `claude mcp add-json --scope project ${name} '${JSON.stringify(entry)}'`,
			notes: [FROM_ENVIRONMENT],
		};
	},
};

/** Documented at developers.openai.com/codex/mcp: a key stands in a variable, never in the file. */
const codex: ClientGuide = {
	path: "/mcp",
	instruct: ({ name, address }) => ({
		file: "~/.codex/config.toml",
		config: [
			`[mcp_servers.${name}]`,
			`url = ${JSON.stringify(address)}`,
			`bearer_token_env_var = "${KEY_VARIABLE}"`,
		].join("\n"),
		notes: [FROM_ENVIRONMENT],
	}),
};

/** Documented at code.visualstudio.com/docs/copilot/reference/mcp-configuration: asked for once, kept in its own store. */
const vscode: ClientGuide = {
	path: "/mcp",
	instruct({ name, address }) {
		const id = "tollgraph-api-key";
		const input = { type: "promptString", id, description: "tollgraph API key", password: true };
		const server = { type: "http", url: address, ...keyHeader(`\${input:${id}}`) };
		return {
			file: ".vscode/mcp.json",
			config: { inputs: [input], servers: { [name]: server } },
			notes: ["The editor asks for an API key (tollgraph keys create) at the first start."],
		};
	},
};

const GUIDES = {
	"claude-code": claudeCode,
	// Documented at support.claude.com, "Building custom connectors via remote MCP servers", and github.com/geelen/mcp-remote.
	"claude-desktop": jsonGuide(
		{
			file: "claude_desktop_config.json",
			key: "mcpServers",
			notes: [KEY_IN_FILE, BRIDGE],
			signIn: ADD_CONNECTOR,
		},
		(address) => ({
			command: "npx",
			args: ["-y", "mcp-remote", address, "--header", `X-API-Key:${BRACES}`],
			env: { [KEY_VARIABLE]: YOUR_KEY },
		}),
	),
	// Documented at cursor.com/docs/mcp, "Config interpolation".
	cursor: jsonGuide({ file: "~/.cursor/mcp.json", key: "mcpServers" }, (url) => ({
		url,
		...keyHeader(ENV_BRACES),
	})),
	vscode,
	// Documented at docs.windsurf.com/windsurf/cascade/mcp, "Config Interpolation".
	windsurf: jsonGuide(
		{ file: "~/.codeium/windsurf/mcp_config.json", key: "mcpServers" },
		(serverUrl) => ({ serverUrl, ...keyHeader(ENV_BRACES) }),
	),
	codex,
	// Documented at geminicli.com/docs/tools/mcp-server and /docs/cli/configuration: strings may name variables.
	"gemini-cli": jsonGuide({ file: "~/.gemini/settings.json", key: "mcpServers" }, (httpUrl) => ({
		httpUrl,
		...keyHeader(`$${KEY_VARIABLE}`),
	})),
	// Documented at zed.dev/docs/ai/mcp; headers are sent as they are written (zed-industries/zed#60459).
	zed: jsonGuide(
		{
			file: "~/.config/zed/settings.json",
			key: "context_servers",
			notes: [KEY_IN_FILE],
			signIn: "Without headers the editor signs in by OAuth.",
		},
		(url) => ({ url, ...keyHeader(YOUR_KEY) }),
	),
	generic: jsonGuide(
		{
			file: "mcp.json",
			key: "mcpServers",
			notes: [FROM_ENVIRONMENT, "File name and way to refer to a variable differ by client."],
		},
		(url) => ({ type: "http", url, ...keyHeader(BRACES) }),
	),
	chatgpt: { path: "/chatgpt", isOAuthOnly: true, instruct: toChatgptSteps },
	copilot: { path: "/copilot", instruct: toCopilotSteps },
} as const satisfies Readonly<Record<string, ClientGuide>>;

/** A client that is given a secret address, whatever its name. */
export const URL_CLIENT = "url";

export const CLIENT_NAMES: readonly string[] = [...Object.keys(GUIDES), URL_CLIENT];

/** Throws INVALID_ARGUMENT for a client without a guide. */
export function getClientGuide(client: string): ClientGuide {
	const isKnown = (name: string): name is keyof typeof GUIDES => Object.hasOwn(GUIDES, name);
	if (isKnown(client)) return GUIDES[client];
	throw invalidArgument(
		`No client is called "${client.slice(0, 40)}"; name one of ${CLIENT_NAMES.join(", ")}. For a client that sends headers take generic, for one that does not, url.`,
	);
}

/** Which authorization server gives clients access: the server itself, none, or another one. */
export type Access = "own" | "off" | "other";

/** What a client connects to. */
export interface Endpoint {
	/** How the client lists it. */
	readonly name: string;
	/** Address with path and graph, e.g. `https://api.example.org/mcp?graph=tides`. */
	readonly address: string;
	readonly access: Access;
}

/** What its owner does: writes `config` to `file`, runs `command`, or goes through the steps. */
export interface Instructions {
	readonly file?: string;
	/** An object is JSON; a text is what the file wants. */
	readonly config?: object | string;
	readonly command?: string;
	readonly steps?: readonly string[];
	/** What else is worth knowing. */
	readonly notes: readonly string[];
}

const IS_REACHED_FROM_OUTSIDE =
	"The connector calls from its maker's servers: the address must be public and https.";

const SIGN_IN_HERE = [
	"Authentication: OAuth. Leave client id and secret empty; it registers itself.",
	"Create, sign in with an API key that manages your account, set a monthly budget, and allow.",
];
const SIGN_IN_ELSEWHERE = [
	"Authentication: OAuth. Leave client id and secret empty if your authorization server lets clients register; else enter those it has for this app.",
	"Create, sign in at your authorization server, and allow.",
];

/** Documented at developers.openai.com/apps-sdk/deploy/connect-chatgpt. */
function toChatgptSteps({ address, access }: Endpoint): Instructions {
	return {
		steps: [
			"In ChatGPT open Settings, Apps (formerly Connectors), Advanced settings, and switch Developer mode on.",
			"Back in Apps, choose Create, and give it a name and a description of what your graphs cover.",
			`MCP server URL: ${address}`,
			...(access === "own" ? SIGN_IN_HERE : SIGN_IN_ELSEWHERE),
			"In a new chat add the app with +; it searches with `search` and reads with `fetch`.",
		],
		notes: notesFor(address),
	};
}

const OR_OAUTH = " Or OAuth 2.0 with dynamic discovery.";

/** Documented at learn.microsoft.com/microsoft-copilot-studio/mcp-add-existing-server-to-agent. */
function toCopilotSteps({ address, access }: Endpoint): Instructions {
	return {
		steps: [
			"In Copilot Studio open your agent with generative orchestration on, and go to Tools.",
			"Choose Add a tool, New tool, Model Context Protocol.",
			"Server name and description: say what your graphs cover; the agent decides by them.",
			`Server URL: ${address}`,
			`Authentication: API key, in the header X-API-Key.${access === "off" ? "" : OR_OAUTH}`,
			"Create, make a connection with an API key (tollgraph keys create), and add it to the agent.",
		],
		notes: notesFor(address),
	};
}

function notesFor(address: string): readonly string[] {
	return address.startsWith("https:")
		? []
		: [`${IS_REACHED_FROM_OUTSIDE} Set public_url, or name it with --url.`];
}
