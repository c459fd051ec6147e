// A graph as a tool of the Vercel AI SDK: npm install ai @tollgraph/client zod
import { generateText, stepCountIs, tool } from "ai";
import { createGraphSearch, SEARCH_TOOL } from "./graph-search.mjs";

/** `model` is a model of any provider of the SDK, `client` what createClient gives. */
export async function ask(model, client, prompt) {
	const { name, description, input } = SEARCH_TOOL;
	const search = tool({ description, inputSchema: input, execute: createGraphSearch(client) });
	const { text } = await generateText({
		model,
		prompt,
		tools: { [name]: search },
		stopWhen: stepCountIs(4),
	});
	return text;
}
