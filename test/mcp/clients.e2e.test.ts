import { setTimeout } from "node:timers/promises";
import t, { type Test } from "tap";
import { formatUsd } from "../../src/kernel/money.js";
import {
	type AnswerToClient,
	CLIENTS,
	type ClientPlace,
	connectMcp,
	type ListedByClient,
	type McpClient,
} from "./mcp-clients.js";
import { startMcp } from "./start-mcp.js";
import { argumentsOf, FREE_CALLS, flawsOf, isSold, OF_MODELS, priceOf } from "./tool-calls.js";

/** They belong together: what one begins the others ask for and end. */
const DEEP_DIVE = ["start_deep_dive", "get_deep_dive", "cancel_deep_dive"];
const ENDED = /^(cancelled|completed)$/;

const shop = await startMcp(t, { usd: "900.00" });
const { token } = await shop.app.operator.createToken({ account_id: shop.accountId });
const headers = { "X-API-Key": shop.key };
const PLACES: Readonly<Record<string, ClientPlace>> = {
	"/mcp": { url: `${shop.baseUrl}/mcp`, headers },
	"/c/<token>": { url: `${shop.baseUrl}/c/${token}` },
	"/copilot": { url: `${shop.baseUrl}/copilot`, headers },
};

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
			t.equal(tools.length, path === "/copilot" ? 17 : 38);
			const apart = [...DEEP_DIVE, ...OF_MODELS];
			for (const tool of tools.filter((each) => !apart.includes(each.name))) {
				await callOne(t, client, tool);
			}
			await callDeepDive(t, client, tools);
		});
	}
}

async function callOne(t: Test, client: McpClient, tool: ListedByClient): Promise<AnswerToClient> {
	const { name } = tool;
	const args = argumentsOf(shop.app.service, tool);
	const before = await shop.balance();
	const answer = await client.callTool({ name, arguments: args });
	const charged = before - (await shop.balance());
	const price = priceOf(tool, args);
	const told = isSold(name) ? answer.structuredContent?.meta.cost.amount_usd : "0.00";
	t.same([flawsOf(tool, answer), formatUsd(charged), told], [[], price, price], name);
	return answer;
}

async function callDeepDive(t: Test, client: McpClient, tools: readonly ListedByClient[]) {
	const [start, status, cancel] = DEEP_DIVE.map((name) => tools.find((tool) => tool.name === name));
	if (!start || !status) throw new Error("Deep dives are on every address.");
	const { structuredContent } = await callOne(t, client, start);
	const job = { job_id: structuredContent.data.job_id };
	const asked = await client.callTool({ name: status.name, arguments: job });
	t.same(flawsOf(status, asked), []);
	t.equal(asked.structuredContent.job_id, job.job_id);
	if (!cancel) await shop.callTool("cancel_deep_dive", job);
	else t.same(flawsOf(cancel, await client.callTool({ name: cancel.name, arguments: job })), []);
	await assertSettled(t, job);
}

/** What is released must not be taken for what the next call costs. */
async function assertSettled(t: Test, job: object) {
	let status = "";
	while (!ENDED.test(status)) {
		await setTimeout(10);
		({ status } = (await shop.callTool("get_deep_dive", job)).result.structuredContent);
	}
	t.match(status, ENDED);
}
