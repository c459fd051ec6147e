import { exampleArguments, listOperations } from "./examples.mjs";
import { waitForJob } from "./operations.mjs";

const TYPES = { Accept: "application/json, text/event-stream" };
const GRAPH = "agent-payments";
const START = "start_deep_dive";
const DEEP_QUESTION = "How do agents pay for what they call?";
const MODERN_REVISION = "2026-07-28";
const HANDSHAKE_REVISIONS = ["2025-11-25", "2025-06-18", "2025-03-26"];
const QUESTION = "Which HTTP status code asks for payment?";

/** The operation whose example each paid tool is called with; tools of other names are called with these or no arguments. */
const OPERATION_OF_TOOL = {
	search_graph: "graphs_search",
	search_domain: "search_domain",
	search_reports: "search_report",
	search_experts: "search_expert",
	search_analysts: "search_analyst",
	get_context: "graphs_context",
	get_node: "graphs_node",
	neighbors: "graphs_neighbors",
	find_paths: "graphs_paths",
	find_similar: "graphs_similar",
	get_trend: "trends_get",
	resolve_entities: "entities_resolve",
	verify_claim: "verify_claim",
	verify_text: "verify_text",
	consult_expert: "human_agents_consult",
	consult_analyst: "analysts_consult",
	brand_intelligence: "brand_intelligence",
	dossier: "intelligence_dossier",
	supplemental_context: "supplemental_context",
	research_chat: "research_chat",
	schedule_briefing: "research_schedules_create",
	embed_texts: "embeddings_create",
	rerank: "rerank_create",
};
const OWN_ARGUMENTS = {
	search: { query: QUESTION },
	route_query: { query: QUESTION },
	match_experts: { question: QUESTION },
	list_graphs: { limit: 2 },
	read_graph_readme: { graph_id: GRAPH },
	preview_graph: { graph_id: GRAPH },
};

/** The four addresses: what each lists, what each tool answers, what is refused. */
export async function callByMcp({ send, peek, openapi, account, connectionToken, chatgptToken }) {
	const byKey = { "X-API-Key": account.key };
	const addresses = {
		"/mcp": { path: "/mcp", headers: byKey },
		"/c": { path: `/c/${connectionToken}`, headers: {} },
		"/chatgpt": { path: "/chatgpt", headers: { Authorization: `Bearer ${chatgptToken}` } },
		"/copilot": { path: "/copilot", headers: byKey },
	};
	const operations = new Map(listOperations(openapi).map((operation) => [operation.id, operation]));
	const wait = (job) => waitForJob(peek, { data: job }, { headers: byKey });
	for (const [name, address] of Object.entries(addresses)) {
		const client = createClient(send, name, address);
		const { tools } = await listAll(client);
		for (const tool of tools) await callTool(client, tool, operations);
		const has = (wanted) => tools.some((tool) => tool.name === wanted);
		if (has(START)) await diveDeep(client, wait);
		if (has("fetch")) await fetchFound(client);
		await provoke(client);
	}
	for (const name of ["/mcp", "/chatgpt", "/copilot"])
		await createClient(send, `${name} by a stranger`, { path: name, headers: {} }).ask(
			"tools/list",
		);
}

/** One message each; the reply's result, or nothing for a refusal. */
function createClient(send, name, { path, headers }) {
	const post = async (title, body, { more = {}, query = "" } = {}) => {
		const all = { ...TYPES, ...headers, ...more };
		const request = { method: "POST", path: `${path}${query}`, headers: all, body };
		const reply = await send(`mcp ${name} ${title}`, request);
		const message = Array.isArray(reply.body) ? reply.body.at(-1)?.data : reply.body;
		return message?.result ?? {};
	};
	return {
		post,
		send: (title, request) =>
			send(`mcp ${name} ${title}`, {
				path,
				...request,
				headers: { ...headers, ...request.headers },
			}),
		ask: (method, { params = {}, title = method, ...options } = {}) =>
			post(title, { jsonrpc: "2.0", id: 1, method, params }, options),
	};
}

async function listAll(client) {
	for (const protocolVersion of HANDSHAKE_REVISIONS) {
		const clientInfo = { name: "wire", version: "1" };
		await client.ask("initialize", {
			title: `initialize of ${protocolVersion}`,
			params: { protocolVersion, capabilities: {}, clientInfo },
		});
	}
	await client.ask("ping");
	const { tools = [] } = await client.ask("tools/list");
	await client.ask("tools/list", { title: "tools/list of a graph", query: `?graph=${GRAPH}` });
	await client.ask("tools/list", {
		title: "tools/list of no graph",
		query: "?graph=no-such-graph",
	});
	const { prompts = [] } = await client.ask("prompts/list");
	for (const prompt of prompts) await getPrompt(client, prompt);
	await client.ask("resources/list");
	await client.ask("resources/templates/list");
	for (const uri of ["tollgraph://catalog", "tollgraph://no-such-thing"])
		await client.ask("resources/read", { title: `resource ${uri}`, params: { uri } });
	for (const method of ["tools/list", "server/discover"]) await askModern(client, method);
	return { tools };
}

async function getPrompt(client, { name, arguments: wanted = [] }) {
	const given = Object.fromEntries(wanted.map((argument) => [argument.name, QUESTION]));
	await client.ask("prompts/get", { title: `prompt ${name}`, params: { name, arguments: given } });
}

async function askModern(client, method) {
	const _meta = {
		"io.modelcontextprotocol/protocolVersion": MODERN_REVISION,
		"io.modelcontextprotocol/clientInfo": { name: "wire", version: "1" },
		"io.modelcontextprotocol/clientCapabilities": {},
	};
	const more = { "MCP-Protocol-Version": MODERN_REVISION, "Mcp-Method": method };
	await client.ask(method, { title: `${method} of ${MODERN_REVISION}`, params: { _meta }, more });
}

async function callTool(client, { name, inputSchema }, operations) {
	const args = argumentsOf(name, inputSchema, operations.get(OPERATION_OF_TOOL[name]));
	const title = `tool ${name}`;
	if (name !== START) await client.ask("tools/call", { title, params: { name, arguments: args } });
	const params = { name, arguments: { no_such_argument: 1 } };
	await client.ask("tools/call", { title: `${title} with a wrong argument`, params });
}

async function fetchFound(client) {
	const call = (name, args) =>
		client.ask("tools/call", { title: `tool ${name} in turn`, params: { name, arguments: args } });
	const { structuredContent } = await call("search", { query: QUESTION });
	await call("fetch", { id: structuredContent?.results?.[0]?.id });
}

async function diveDeep(client, wait) {
	const call = (name, args) =>
		client.ask("tools/call", { title: `tool ${name} of a job`, params: { name, arguments: args } });
	const { structuredContent } = await call(START, { query: DEEP_QUESTION, mode: "fast" });
	const job = structuredContent?.data ?? structuredContent;
	await wait(job);
	await call("get_deep_dive", { job_id: job.job_id });
	await call("cancel_deep_dive", { job_id: job.job_id });
}

function argumentsOf(name, { properties = {} }, operation) {
	const all = OWN_ARGUMENTS[name] ?? (operation ? exampleArguments(operation) : {});
	return Object.fromEntries(Object.entries(all).filter(([argument]) => argument in properties));
}

async function provoke(client) {
	await client.send("GET", { method: "GET" });
	await client.ask("no/such/method");
	await client.ask("tools/call", { title: "no such tool", params: { name: "x", arguments: {} } });
	await client.post("two messages", [{}, {}]);
	await client.post("no message", { hello: 1 });
	const type = { "Content-Type": "text/plain" };
	await client.send("text", { method: "POST", text: "hello", headers: type });
	await client.send("broken JSON", {
		method: "POST",
		text: "{",
		headers: { ...TYPES, "Content-Type": "application/json" },
	});
	await client.ask("tools/list", {
		title: "unknown revision",
		more: { "MCP-Protocol-Version": "1999-01-01" },
	});
}
