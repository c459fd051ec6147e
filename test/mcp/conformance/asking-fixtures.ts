/** Tools that report how they get on, or need something of the client before they answer. */
import { setTimeout } from "node:timers/promises";
import {
	acceptedContent,
	CLIENT_CAPABILITIES_META_KEY,
	createRequestStateCodec,
	inputRequired,
	MissingRequiredClientCapabilityError,
	ProtocolError,
	type ServerContext,
} from "@modelcontextprotocol/server";
import type { FixtureAnswer } from "./content-fixtures.js";

const STEP_MS = 50;
const INVALID_PARAMS = -32602;

const say = (words: string) => ({ content: [{ type: "text", text: words }] });
const states = createRequestStateCodec<string>({ key: "a key of thirty-two bytes for tests" });

const elicit = (message: string, field: string, type = "string") =>
	inputRequired.elicit({
		message,
		requestedSchema: {
			type: "object",
			properties: { [field]: { type } },
			required: [field],
		} as never,
	});
const sample = (words: string, maxTokens: number) =>
	inputRequired.createMessage({
		messages: [{ role: "user", content: { type: "text", text: words } }],
		maxTokens,
	});

/** The state the client sends back, as it was given out; undefined in the first round. */
async function stateOf(context: ServerContext): Promise<string | undefined> {
	const state = context.mcpReq.requestState<string>();
	if (state === undefined) return undefined;
	return states.verify(state, context).catch(() => {
		throw new ProtocolError(INVALID_PARAMS, "The request state is not what was given out.");
	});
}

/** Asks until every answer is there. */
const asks =
	(requests: object, done: (given: Record<string, unknown>) => string): FixtureAnswer =>
	({ mcpReq: { inputResponses = {} } }) =>
		Object.keys(requests).every((key) => isAnswer(inputResponses[key]))
			? say(done(inputResponses))
			: inputRequired({ inputRequests: requests as never });

function isAnswer(value: unknown): boolean {
	if (typeof value !== "object" || value === null) return false;
	return "action" in value || "roots" in value || "role" in value;
}

const nameOf = (given: Record<string, unknown>) =>
	acceptedContent<{ name: string }>(given, "user_name")?.name ?? "stranger";

const askName = { user_name: elicit("What is your name?", "name") };
const askRoots = { client_roots: inputRequired.listRoots() };
const askCapital = { capital_question: sample("What is the capital of France?", 100) };

/** Asks with a state beside the question, and answers once both are back. */
const asksWithState =
	(requests: object): FixtureAnswer =>
	async (context) => {
		const state = await stateOf(context);
		const given = context.mcpReq.inputResponses ?? {};
		if (state !== undefined && Object.keys(requests).every((key) => isAnswer(given[key]))) {
			return say("state-ok");
		}
		return inputRequired({
			inputRequests: requests as never,
			requestState: await states.mint("asked", context),
		});
	};

const asksTwice: FixtureAnswer = async (context) => {
	const state = await stateOf(context);
	const given = context.mcpReq.inputResponses ?? {};
	if (state === "color" && isAnswer(given["step2"])) return say("Both steps are answered.");
	const isSecond = state === "color" || (state === "name" && isAnswer(given["step1"]));
	return inputRequired({
		inputRequests: (isSecond
			? { step2: elicit("Step 2: What is your favorite color?", "color") }
			: { step1: elicit("Step 1: What is your name?", "name") }) as never,
		requestState: await states.mint(isSecond ? "color" : "name", context),
	});
};

/** Names of what the client can do. */
function declaredBy({ mcpReq: { envelope } }: ServerContext): object {
	const told: Readonly<Record<string, object | undefined>> = { ...envelope };
	return told[CLIENT_CAPABILITIES_META_KEY] ?? {};
}

const asksWhatIsDeclared: FixtureAnswer = (context) => {
	const declared = declaredBy(context);
	const { inputResponses = {} } = context.mcpReq;
	const requests = {
		...("sampling" in declared && askCapital),
		...("elicitation" in declared && askName),
	};
	const isDone = Object.keys(requests).every((key) => isAnswer(inputResponses[key]));
	return isDone ? say("Done.") : inputRequired({ inputRequests: requests as never });
};

const logs: FixtureAnswer = async ({ mcpReq }) => {
	for (const words of ["started", "processing data", "completed"]) {
		await mcpReq.log(
			"info",
			words === "processing data" ? `Tool ${words}` : `Tool execution ${words}`,
		);
		await setTimeout(STEP_MS);
	}
	return say("It has logged.");
};

const tellsProgress: FixtureAnswer = async ({ mcpReq }) => {
	const progressToken = mcpReq._meta?.progressToken;
	for (const progress of [0, 50, 100]) {
		if (progressToken !== undefined) {
			await mcpReq.notify({
				method: "notifications/progress",
				params: { progressToken, progress, total: 100 },
			});
		}
		await setTimeout(STEP_MS);
	}
	return say("It is done.");
};

/** Needs a client that has declared sampling. */
const needsSampling: FixtureAnswer = (context) => {
	if ("sampling" in declaredBy(context)) return say("The client can sample.");
	throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
};

export const ASKING_TOOLS: Readonly<Record<string, FixtureAnswer>> = {
	test_tool_with_logging: logs,
	test_logging_tool: logs,
	test_tool_with_progress: tellsProgress,
	test_missing_capability: needsSampling,
	test_streaming_elicitation: asks(askName, (given) => `Hello, ${nameOf(given)}!`),
	test_input_required_result_elicitation: asks(askName, (given) => `Hello, ${nameOf(given)}!`),
	test_input_required_result_sampling: asks(askCapital, JSON.stringify),
	test_input_required_result_list_roots: asks(askRoots, JSON.stringify),
	test_input_required_result_request_state: asksWithState({
		confirm: elicit("Please confirm", "ok", "boolean"),
	}),
	test_input_required_result_tampered_state: asksWithState({
		confirm: elicit("Please confirm", "ok", "boolean"),
	}),
	test_input_required_result_multiple_inputs: asksWithState({
		...askName,
		greeting: sample("Generate a greeting", 50),
		...askRoots,
	}),
	test_input_required_result_multi_round: asksTwice,
	test_input_required_result_capabilities: asksWhatIsDeclared,
};

/** A prompt that asks before it is written. */
export function writePrompt({ mcpReq: { inputResponses = {} } }: ServerContext) {
	const given = acceptedContent<{ context: string }>(inputResponses, "user_context");
	if (!given) {
		const user_context = elicit("What context should the prompt use?", "context");
		return inputRequired({ inputRequests: { user_context } });
	}
	const content = { type: "text", text: `Context: ${given.context}` } as const;
	return { messages: [{ role: "user", content } as const] };
}
