// A graph as a tool of the OpenAI Agents SDK: npm install @openai/agents-core @openai/agents-openai @tollgraph/client zod
// (the package @openai/agents has the same names, and speech beside them).
import { Agent, Runner, setTracingDisabled, tool } from "@openai/agents-core";
import { createGraphSearch, SEARCH_TOOL } from "./graph-search.mjs";

// By default the SDK records what was said, for its maker or the console.
setTracingDisabled(true);

/** `modelProvider` is an OpenAIProvider, `client` what createClient gives. */
export async function ask(modelProvider, client, question) {
	const { name, description, input: parameters } = SEARCH_TOOL;
	const search = tool({ name, description, parameters, execute: createGraphSearch(client) });
	const agent = new Agent({
		name: "Researcher",
		instructions: "Answer from the graph agent-payments, and name your sources.",
		tools: [search],
	});
	const runner = new Runner({ modelProvider });
	const { finalOutput } = await runner.run(agent, question, { maxTurns: 4 });
	return finalOutput;
}
