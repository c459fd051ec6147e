// A graph as a tool of LangChain.js: npm install @langchain/core @tollgraph/client zod
import { HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { createGraphSearch, SEARCH_TOOL } from "./graph-search.mjs";

const TURNS = 4;

/** `model` is a chat model that takes tools, `client` what createClient gives. */
export async function ask(model, client, question) {
	const { name, description, input: schema } = SEARCH_TOOL;
	const run = createGraphSearch(client);
	const search = tool(async (input) => JSON.stringify(await run(input)), {
		name,
		description,
		schema,
	});
	const withTools = model.bindTools([search]);
	const messages = [new HumanMessage(question)];
	for (let turn = 0; turn < TURNS; turn += 1) {
		const answer = await withTools.invoke(messages);
		messages.push(answer);
		if (!answer.tool_calls?.length) return answer.text;
		for (const call of answer.tool_calls) messages.push(await search.invoke(call));
	}
	throw new Error("The model asks for more than it may.");
}
