import { setTimeout } from "node:timers/promises";
import { Ajv2020 } from "ajv/dist/2020.js";
import t, { type Test } from "tap";
import { formatUsd } from "../../src/core/money.js";
import type { PaidOperationId } from "../../src/core/operations.js";
import {
	type AnswerToClient,
	CLIENTS,
	type ClientPlace,
	connectMcp,
	type ListedByClient,
	type McpClient,
} from "./mcp-clients.js";
import { startMcp } from "./start-mcp.js";

/** What each tool sells; every argument it takes of that operation's own example, and some to keep the work small. */
const SOLD: Readonly<Record<string, readonly [PaidOperationId, object?]>> = {
	search: ["search.all"],
	search_graph: ["graphs.search"],
	search_domain: ["search.domain"],
	search_reports: ["search.report"],
	search_experts: ["search.expert"],
	search_analysts: ["search.analyst"],
	get_context: ["graphs.context"],
	get_node: ["graphs.node"],
	neighbors: ["graphs.neighbors"],
	find_paths: ["graphs.paths"],
	find_similar: ["graphs.similar"],
	get_trend: ["trends.get"],
	resolve_entities: ["entities.resolve", { limit: 1 }],
	verify_claim: ["verify.claim", { graph_id: "http-web-standards" }],
	verify_text: ["verify.text", { max_claims: 1 }],
	consult_expert: ["human_agents.consult"],
	consult_analyst: ["analysts.consult"],
	brand_intelligence: ["brand_intelligence"],
	dossier: ["intelligence.dossier", { graphs: ["agent-payments"] }],
	supplemental_context: ["supplemental.context"],
	start_deep_dive: ["research.deep_dive"],
	research_chat: ["research.chat"],
	schedule_briefing: ["research.schedules.create"],
};
const GRAPH = { graph_id: "agent-payments" };
const QUERY = "Which HTTP status code asks for payment?";
const FREE: Readonly<Record<string, object>> = {
	route_query: { query: QUERY },
	match_experts: { question: QUERY },
	list_graphs: { limit: 2 },
	read_graph_readme: GRAPH,
	preview_graph: GRAPH,
	list_analysts: {},
};
/** They belong together: what one begins the others ask for and end. */
const DEEP_DIVE = ["start_deep_dive", "get_deep_dive", "cancel_deep_dive"];
const ENDED = /^(cancelled|completed)$/;
/** Of an account with a balance, in a month. */
const FREE_CALLS = 100;

const shop = await startMcp(t, { usd: "900.00" });
const { token } = await shop.app.operator.createToken({ account_id: shop.accountId });
const headers = { "X-API-Key": shop.key };
const PLACES: Readonly<Record<string, ClientPlace>> = {
	"/mcp": { url: `${shop.baseUrl}/mcp`, headers },
	"/c/<token>": { url: `${shop.baseUrl}/c/${token}` },
	"/copilot": { url: `${shop.baseUrl}/copilot`, headers },
};
const ajv = new Ajv2020({ strict: false });

t.before(async () => {
	const node = "/v1/graphs/agent-payments/nodes/http.http-402";
	for (let call = 0; call < FREE_CALLS; call += 1) await shop.send(node, { headers });
});

for (const name of CLIENTS) {
	for (const [path, place] of Object.entries(PLACES)) {
		// The newer client speaks to its own era here; its words to the older are the older client's.
		if (name === "sdk 2, 2025" && path !== "/mcp") continue;
		t.test(`${name} lists and calls every tool of ${path}, at the price it says`, async (t) => {
			const client = await connectMcp(t, name, place);
			const { tools } = await client.listTools();
			t.equal(tools.length, path === "/copilot" ? 17 : 31);
			for (const tool of tools.filter((each) => !DEEP_DIVE.includes(each.name))) {
				await callOne(t, client, tool);
			}
			await callDeepDive(t, client, tools);
		});
	}
}

async function callOne(t: Test, client: McpClient, tool: ListedByClient): Promise<AnswerToClient> {
	const { name } = tool;
	const args = argumentsOf(tool);
	const before = await shop.balance();
	const answer = await client.callTool({ name, arguments: args });
	const charged = before - (await shop.balance());
	t.notOk(answer.isError, `${name}: ${answer.content[0]?.text}`);
	assertWellFormed(t, tool, answer);
	t.equal(formatUsd(charged), priceOf(tool, args), name);
	if (name in SOLD) t.equal(answer.structuredContent.meta.cost.amount_usd, formatUsd(charged));
	return answer;
}

async function callDeepDive(t: Test, client: McpClient, tools: readonly ListedByClient[]) {
	const [start, status, cancel] = DEEP_DIVE.map((name) => tools.find((tool) => tool.name === name));
	if (!start || !status) throw new Error("Deep dives are on every address.");
	const { structuredContent } = await callOne(t, client, start);
	const job = { job_id: structuredContent.data.job_id };
	const asked = await client.callTool({ name: status.name, arguments: job });
	assertWellFormed(t, status, asked);
	t.equal(asked.structuredContent.job_id, job.job_id);
	if (!cancel) await shop.callTool("cancel_deep_dive", job);
	else assertWellFormed(t, cancel, await client.callTool({ name: cancel.name, arguments: job }));
	await assertSettled(t, job);
}

/** What is given back must not be taken for what the next call costs. */
async function assertSettled(t: Test, job: object) {
	let status = "";
	for (let tries = 0; !ENDED.test(status) && tries < 200; tries += 1) {
		await setTimeout(10);
		({ status } = (await shop.callTool("get_deep_dive", job)).result.structuredContent);
	}
	t.match(status, ENDED);
}

function argumentsOf({ name, inputSchema: { properties = {} } }: ListedByClient) {
	if (name in FREE) return FREE[name] as object;
	const [operationId, changes] = SOLD[name] ?? [];
	if (operationId === undefined) throw new Error(`Nobody has said how ${name} is called.`);
	const { exampleInput } = shop.app.service.skills[operationId];
	const known = Object.entries({ ...exampleInput, ...changes }).filter(
		([argument]) => argument in properties,
	);
	return Object.fromEntries(known);
}

/** As a reader of the description understands it; one claim and a fast deep dive are what is asked for. */
function priceOf({ description = "" }: ListedByClient, args: object): string {
	if (description.endsWith("Free.")) return "0.00";
	const kind = "mode" in args ? `Costs by mode: ${args.mode}` : "Costs";
	return new RegExp(`${kind} ([0-9.]+) USD`).exec(description)?.[1] ?? "no price";
}

/** The clients have judged the answer by its schema themselves (see below); a third opinion. */
function assertWellFormed(t: Test, { name, outputSchema }: ListedByClient, answer: AnswerToClient) {
	const { content, structuredContent } = answer;
	t.ok(
		content.every(({ type, text }) => type === "text" && text.length > 0),
		name,
	);
	t.ok(ajv.validate({ ...outputSchema }, structuredContent), `${name}: ${ajv.errorsText()}`);
}
