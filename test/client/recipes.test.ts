import { readdirSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import Anthropic from "@anthropic-ai/sdk";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { OpenAIProvider } from "@openai/agents-openai";
import { MockLanguageModelV3 } from "ai/test";
import t, { type Test } from "tap";
import { type Client, type createClient, spt } from "../../client/src/index.js";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";
import { listenOnLoopback } from "../support/listen-on-loopback.js";
import { KNOWN_QUERY } from "../support/start-app.js";
import { bundleProgram } from "./bundled-program.js";
import { GRAPH, openShop } from "./open-shop.js";

const INPUT = { graph_id: GRAPH, query: KNOWN_QUERY };
const CALL = { id: "call_1", name: "search_graph", arguments: JSON.stringify(INPUT) };
const ANSWER = "HTTP 402 asks for payment.";

/** Asks a recipe with the model that `models` makes; what the model was told of the search's result is the text it gives. */
type Ask = (model: unknown, client: Client, question: string) => Promise<string>;

interface Recipe {
	readonly ask: Ask;
	/** Makes the clients of the recipe's own copy, of whose errors it knows the class. */
	readonly createClient: typeof createClient;
}

async function loadRecipe(t: Test, name: string): Promise<Recipe> {
	const source = `export { ask } from "./examples/recipes/${name}.mjs"; export { createClient } from "@tollgraph/client";`;
	const file = await bundleProgram(source, t.testdir({}));
	return (await import(pathToFileURL(file).href)) as Recipe;
}

/** A model that asks for one search and then answers; `heard` has what the recipe told it. */
interface Script {
	readonly model: unknown;
	readonly heard: () => string;
}

/** A loopback server that speaks a model's API: the first reply asks for the search, the second answers. */
async function serveModel(t: Test, replies: readonly object[]) {
	const bodies: unknown[] = [];
	const server = createServer(async (req, res) => {
		bodies.push(await json(req));
		res.setHeader("Content-Type", "application/json");
		res.end(JSON.stringify(replies[bodies.length - 1] ?? {}));
	});
	const url = `http://127.0.0.1:${await listenOnLoopback(t, server)}`;
	return { url, heard: () => JSON.stringify(bodies.at(-1)) };
}

class ScriptedChatModel extends BaseChatModel {
	heard: readonly BaseMessage[] = [];
	override _llmType(): string {
		return "scripted";
	}
	override bindTools(): this {
		return this;
	}
	override async _generate(messages: BaseMessage[]) {
		this.heard = messages;
		const isFirst = messages.length === 1;
		const message = isFirst
			? new AIMessage({
					content: "",
					tool_calls: [{ type: "tool_call", id: CALL.id, name: CALL.name, args: INPUT }],
				})
			: new AIMessage(ANSWER);
		return { generations: [{ text: isFirst ? "" : ANSWER, message }] };
	}
}

const SCRIPTS: Readonly<Record<string, (t: Test) => Promise<Script>>> = {
	async "vercel-ai-sdk"() {
		const usage = {
			inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
			outputTokens: { total: 1, text: 1, reasoning: 0 },
		};
		const model = new MockLanguageModelV3({
			doGenerate: [
				{
					content: [
						{ type: "tool-call", toolCallId: CALL.id, toolName: CALL.name, input: CALL.arguments },
					],
					finishReason: { unified: "tool-calls", raw: undefined },
					usage,
					warnings: [],
				},
				{
					content: [{ type: "text", text: ANSWER }],
					finishReason: { unified: "stop", raw: undefined },
					usage,
					warnings: [],
				},
			],
		});
		return { model, heard: () => JSON.stringify(model.doGenerateCalls.at(-1)?.prompt) };
	},
	async langchain() {
		const model = new ScriptedChatModel({});
		return { model, heard: () => JSON.stringify(model.heard) };
	},
	async "openai-agents"(t) {
		const reply = (output: object) => ({
			id: "resp_1",
			object: "response",
			created_at: 1,
			model: "scripted",
			status: "completed",
			output: [output],
			usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
		});
		const { url, heard } = await serveModel(t, [
			reply({
				type: "function_call",
				id: "fc_1",
				call_id: CALL.id,
				name: CALL.name,
				arguments: CALL.arguments,
				status: "completed",
			}),
			reply({
				type: "message",
				id: "msg_1",
				role: "assistant",
				status: "completed",
				content: [{ type: "output_text", text: ANSWER, annotations: [] }],
			}),
		]);
		return { model: new OpenAIProvider({ apiKey: "none", baseURL: url }), heard };
	},
	async claude(t) {
		const reply = (stop_reason: string, content: object) => ({
			id: "msg_1",
			type: "message",
			role: "assistant",
			model: "scripted",
			stop_reason,
			stop_sequence: null,
			content: [content],
			usage: { input_tokens: 1, output_tokens: 1 },
		});
		const { url, heard } = await serveModel(t, [
			reply("tool_use", { type: "tool_use", id: CALL.id, name: CALL.name, input: INPUT }),
			reply("end_turn", { type: "text", text: ANSWER }),
		]);
		return { model: new Anthropic({ apiKey: "none", baseURL: url, maxRetries: 0 }), heard };
	},
};

for (const [name, script] of Object.entries(SCRIPTS)) {
	t.test(`${name}: a model searches, pays, and answers from what it found`, async (t) => {
		const shop = await openShop(t);
		const { ask, createClient } = await loadRecipe(t, name);
		const { model, heard } = await script(t);
		const limits = { maxPrice: "0.50", budget: { session: "0.50" } };
		const client = createClient(shop.proxy.url, { pay: spt(shop.token), ...limits });
		t.equal(await ask(model, client, KNOWN_QUERY), ANSWER);
		t.match(heard(), /cost_usd.{1,6}0\.50/);
		t.match(heard(), /https:/, "with its sources");
		t.equal(await shop.balance(), 8_500_000n);
	});

	t.test(`${name}: a model that has spent its budget is told so, and answers`, async (t) => {
		const shop = await openShop(t);
		const { ask, createClient } = await loadRecipe(t, name);
		const { model, heard } = await script(t);
		const budget = { session: "0.49" };
		const client = createClient(shop.proxy.url, { pay: spt(shop.token), budget });
		t.equal(await ask(model, client, KNOWN_QUERY), ANSWER);
		t.match(heard(), /BUDGET_EXCEEDED/);
		t.equal(await shop.balance(), 9_000_000n);
	});
}

t.test("every recipe has a test", async (t) => {
	const recipes = readdirSync(join(PACKAGE_ROOT, "examples/recipes"));
	t.same(
		recipes.sort(),
		[...Object.keys(SCRIPTS), "graph-search"].map((one) => `${one}.mjs`).sort(),
	);
});
