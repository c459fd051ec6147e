import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import t, { type Test } from "tap";
import { createProgram } from "../../src/cli/main.js";
import { writeServerFile } from "../../src/cli/operator-client.js";
import { startApp } from "../support/start-app.js";

const HEADER_CLIENTS = [
	"claude-code",
	"claude-desktop",
	"cursor",
	"vscode",
	"windsurf",
	"codex",
	"gemini-cli",
	"zed",
	"generic",
];

interface Printed {
	readonly out: string[];
	readonly err: string[];
	// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever fields it asserts on.
	readonly json: any;
}

/** Runs one command of this process on a data folder. */
async function run(
	folder: string,
	args: readonly string[],
	environment: Record<string, string> = {},
): Promise<Printed> {
	const [out, err]: [string[], string[]] = [[], []];
	const terminal = {
		data: (line: string) => void out.push(line),
		stream: async () => undefined,
		say: (line: string) => void err.push(line),
		status: () => undefined,
	};
	const program = createProgram({ terminal, environment, folder, startedMs: 0 }, "0.0.0");
	await program.parseAsync([...args, "--data", folder], { from: "user" });
	const json = args.includes("--json") ? JSON.parse(out.join("\n")) : undefined;
	return { out, err, json };
}

/** A server whose data folder commands find it by, an account's key, and what a command says beside it. */
async function startShop(t: Test) {
	const shop = await startApp(t, { settings: { model: "none" } });
	const admin_url = `${shop.baseUrl}/v1/admin`;
	writeServerFile(shop.folder, { admin_url, token: shop.app.adminToken });
	const account = await shop.app.operator.createKey({ usd: "20.00" });
	return { ...shop, account, run: run.bind(undefined, shop.folder) };
}

type Shop = Awaited<ReturnType<typeof startShop>>;

async function toolsAt(t: Test, address: string, headers: Record<string, string> = {}) {
	const client = new Client({ name: "test", version: "1.0.0" });
	const transport = new StreamableHTTPClientTransport(new URL(address), {
		requestInit: { headers },
	});
	// The SDK's own types disagree with exactOptionalPropertyTypes.
	await client.connect(transport as never);
	t.teardown(() => client.close());
	return { client, names: (await client.listTools()).tools.map(({ name }) => name) };
}

t.test("beside a running server", async (t) => {
	const shop = await startShop(t);
	await t.test("what is printed connects", (t) => connectByWhatIsPrinted(t, shop));
	await t.test("what is pasted goes to stdout", (t) => readBothStreams(t, shop));
	await t.test("a wrong call is refused before anything is made", (t) => callWrongly(t, shop));
});

async function connectByWhatIsPrinted(t: Test, { run, account, baseUrl, app }: Shop) {
	for (const client of HEADER_CLIENTS) {
		const { json } = await run(["connect", client, "--graph", "agent-payments", "--json"]);
		t.match(json, {
			client,
			address: `${baseUrl}/mcp?graph=agent-payments`,
			file: /\.(json|toml)$/,
		});
		const text = JSON.stringify(json.config);
		t.match(text, /TOLLGRAPH_API_KEY|\{input:tollgraph-api-key\}|<your API key/);
		t.notMatch(text, /sk_(?:live|test)_[0-9A-Za-z]{6}/);
		t.ok(text.includes(`${baseUrl}/mcp?graph=agent-payments`));
	}
	const { json } = await run(["connect", "generic", "--graph", "agent-payments", "--json"]);
	const { url, headers } = json.config.mcpServers["tollgraph-agent-payments"];
	t.same(headers, { "X-API-Key": `\${TOLLGRAPH_API_KEY}` });
	const byKey = await toolsAt(t, url, { "X-API-Key": account.key });
	const found = await byKey.client.callTool({
		name: "search_graph",
		arguments: { query: "Which HTTP status code asks for payment?", limit: 1 },
	});
	t.not(found.isError, true, "the address names the graph");

	const secret = await run(["connect", "url", "--account", account.account_id, "--json"]);
	t.ok(secret.json.address.startsWith(`${baseUrl}/c/ct_`));
	t.same((await toolsAt(t, secret.json.address)).names, byKey.names);
	const { items } = await app.operator.listTokens({ account_id: account.account_id });
	t.equal(items.length, 1);

	const token = await run(["tokens", "create", "--account", account.account_id, "--json"]);
	t.equal(token.json.url, `${baseUrl}/c/${token.json.token}`);
	t.same((await toolsAt(t, token.json.url)).names, byKey.names);
}

async function readBothStreams(t: Test, { run, account, baseUrl }: Shop) {
	const cursor = await run(["connect", "cursor"]);
	t.same(JSON.parse(cursor.out.join("\n")), {
		mcpServers: {
			tollgraph: {
				url: `${baseUrl}/mcp`,
				headers: { "X-API-Key": `\${env:TOLLGRAPH_API_KEY}` },
			},
		},
	});
	t.match(cursor.err.join(" "), /~\/\.cursor\/mcp\.json.*tollgraph keys create/);
	const codex = await run(["connect", "codex", "--graph", "agent-payments"]);
	t.same(codex.out, [
		"[mcp_servers.tollgraph-agent-payments]",
		`url = "${baseUrl}/mcp?graph=agent-payments"`,
		'bearer_token_env_var = "TOLLGRAPH_API_KEY"',
	]);
	const vscode = JSON.parse((await run(["connect", "vscode"])).out.join("\n"));
	t.match(vscode.servers.tollgraph, { type: "http", url: `${baseUrl}/mcp` });
	t.equal(vscode.servers.tollgraph.headers["X-API-Key"], `\${input:${vscode.inputs[0].id}}`);
	t.equal(vscode.inputs[0].password, true);
	const secret = await run(["connect", "url", "--account", account.account_id]);
	t.equal(secret.out.length, 1);
	t.match(secret.out[0], /\/c\/ct_[0-9A-Za-z]{36}$/);
	t.match(secret.err, [/secret/]);
	t.notMatch(secret.err.join(), /ct_/);
	const chatgpt = await run(["connect", "chatgpt", "--url", "https://api.example.org/"]);
	t.match(chatgpt.out[2], "3. MCP server URL: https://api.example.org/chatgpt");
	t.match(chatgpt.out[3], /OAuth/);
	t.same(chatgpt.err, []);
	const copilot = await run(["connect", "copilot"]);
	t.ok(copilot.out.some((line) => line.endsWith(`${baseUrl}/copilot`)));
	t.match(copilot.err, [/public and https/]);
}

t.test("the command for Claude Code holds a reference in place of the key", async (t) => {
	const { json } = await run(t.testdir({}), ["connect", "claude-code", "--json"]);
	const [, entry = ""] =
		/^claude mcp add-json --scope project tollgraph '(.+)'$/.exec(json.command) ?? [];
	t.same(JSON.parse(entry), json.config.mcpServers.tollgraph);
	t.equal(JSON.parse(entry).headers["X-API-Key"], `\${TOLLGRAPH_API_KEY}`);
	const odd = ["connect", "claude-code", "--url", "https://api.example.org/it's", "--json"];
	const { json: told } = await run(t.testdir({}), odd);
	t.equal(told.command.split("'").length, 3, "no address ends the quotes");
});

t.test("guides speak of signing in as far as the settings give access", async (t) => {
	const folder = t.testdir({});
	const told = async (...args: string[]) => {
		const { out, err } = await run(folder, ["connect", ...args]);
		return [...out, ...err].join("\n");
	};
	const elsewhere = "https://login.example.org";
	for (const client of ["claude-desktop", "zed", "copilot"]) {
		t.notMatch(await told(client, "--oauth", "off"), /OAuth|sign in/, client);
		for (const oauth of ["own", elsewhere]) {
			t.match(await told(client, "--oauth", oauth), /OAuth|sign in/, client);
		}
	}
	t.match(await told("chatgpt"), /registers itself[\s\S]*with an API key/);
	const chatgpt = await told("chatgpt", "--oauth", elsewhere);
	t.match(chatgpt, /at your authorization server/);
	t.notMatch(chatgpt, /API key|budget|registers itself/);
});

t.test("an address is taken from the settings while no server runs, or from --url", async (t) => {
	const folder = t.testdir({});
	const at = async (...args: string[]) =>
		(await run(folder, ["connect", "generic", "--json", ...args])).json.address;
	t.equal(await at(), "http://127.0.0.1:8402/mcp");
	t.equal(await at("--public-url", "https://api.example.org"), "https://api.example.org/mcp");
	t.equal(await at("--url", "https://api.example.org/shop/"), "https://api.example.org/shop/mcp");
	t.equal(await at("--url", "https://api.example.org/mcp"), "https://api.example.org/mcp");
	t.match((await run(folder, ["connect", "generic"])).err, [/Add this/, /No server runs/]);
	for (const url of [
		"api.example.org",
		"http://api.example.org",
		"https://user:pass@api.example.org",
		"https://api.example.org/?graph=x",
	]) {
		await t.rejects(at("--url", url), { code: "INVALID_ARGUMENT", message: /base address/ });
	}
	await t.rejects(at("--port", "0"), { code: "INVALID_ARGUMENT", message: /--url/ });
});

async function callWrongly(t: Test, { run, account, app }: Shop) {
	const before = (await app.operator.listTokens({})).items.length;
	const refused = (args: readonly string[], message: RegExp, environment = {}) =>
		t.rejects(run(["connect", ...args], environment), { message });
	await refused(["emacs"], /claude-code, claude-desktop, cursor.*url/);
	await refused(["constructor"], /No client/);
	await refused(["url"], /--account/);
	await refused(["url", "--label", "somebody"], /--account/, {
		TOLLGRAPH_CONNECTION_TOKEN: `ct_${"a".repeat(36)}`,
	});
	await refused(["url"], /no connection token/, { TOLLGRAPH_CONNECTION_TOKEN: "sk_live_x" });
	await refused(["url", "--account", "acc_nobody"], /acc_nobody/);
	await refused(
		["url", "--account", account.account_id, "--url", "https://api.example.org"],
		/Another server/,
	);
	await refused(["url", "--account", account.account_id, "--graph", "no-such"], /No graph/);
	await refused(["cursor", "--graph", "a'b"], /cannot name a graph/);
	await refused(["cursor", "--account", account.account_id], /connect url/);
	await refused(["chatgpt", "--oauth", "off"], /OAuth alone/);
	await refused(["chatgpt", "--graph", "agent-payments"], /takes no graph/);
	t.equal((await app.operator.listTokens({})).items.length, before);

	const given = { TOLLGRAPH_CONNECTION_TOKEN: `ct_${"a".repeat(36)}` };
	const { out } = await run(["connect", "url", "--url", "https://api.example.org"], given);
	t.same(out, [`https://api.example.org/c/ct_${"a".repeat(36)}`]);
}
