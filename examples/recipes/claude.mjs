// A graph as a tool of Claude: npm install @anthropic-ai/sdk @tollgraph/client zod
import { betaZodTool } from "@anthropic-ai/sdk/helpers/beta/zod";
import { createGraphSearch, SEARCH_TOOL } from "./graph-search.mjs";

/** `anthropic` is a client of the SDK, `client` what createClient gives. */
export async function ask(anthropic, client, question, model = "claude-sonnet-4-5") {
	const { name, description, input: inputSchema } = SEARCH_TOOL;
	const run = createGraphSearch(client);
	const search = betaZodTool({
		name,
		description,
		inputSchema,
		run: async (input) => JSON.stringify(await run(input)),
	});
	const { content } = await anthropic.beta.messages.toolRunner({
		model,
		max_tokens: 1_024,
		max_iterations: 4,
		tools: [search],
		messages: [{ role: "user", content: question }],
	});
	return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}
