import type { Endpoint, Instructions } from "./instructions.js";

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
export function toChatgptSteps({ address, access }: Endpoint): Instructions {
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
export function toCopilotSteps({ address, access }: Endpoint): Instructions {
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
