import type { AgentCard, Message, SendMessageRequest, Task } from "@a2a-js/sdk";
import { A2AError, RequestMalformedError, UnsupportedOperationError } from "@a2a-js/sdk/errors";
import {
	type A2ARequestHandler,
	type AgentExecutor,
	DefaultRequestHandler,
	type ServerCallContext,
} from "@a2a-js/sdk/server";
import { costHeaders } from "../service/cost-headers.js";
import { costOf } from "./answer-task.js";
import { type Exchange, exchangeOf } from "./exchange.js";
import type { OpenTasks } from "./payment-desk.js";
import type { BuyAnswer } from "./purchase.js";
import type { Purchase } from "./sell.js";
import { toStreamEvents } from "./stream-events.js";
import type { TaskArchive } from "./task-archive.js";

export interface RequestHandlerDeps {
	readonly card: () => Promise<AgentCard>;
	readonly tasks: TaskArchive;
	readonly openTasks: OpenTasks;
	readonly buy: BuyAnswer;
}

/**
 * What the SDK's transports call. Messages go through the pipeline first and are answered with the finished task, so
 * that a refusal is known before the first byte; reading tasks is the SDK's own work over our archive.
 */
export function createRequestHandler(deps: RequestHandlerDeps): A2ARequestHandler {
	const { card, tasks, openTasks, buy } = deps;
	const stock = createStock(card, tasks);
	const purchase = (request: SendMessageRequest, context: ServerCallContext) =>
		guard(context, async (exchange) => {
			const bought = await buy(getMessage(request), exchange);
			showCost(exchange, bought);
			const limit = request.configuration?.historyLength;
			return { ...bought, task: trimHistory(bought.task, limit) };
		});
	const read = <R>(context: ServerCallContext, work: (sdk: A2ARequestHandler) => Promise<R>) =>
		guard(context, async (exchange) => {
			await exchange.caller(); // 401 before anything is looked up
			return work(await stock());
		});

	return {
		getAgentCard: card,
		getAuthenticatedExtendedAgentCard: async (params, context) =>
			(await stock()).getAuthenticatedExtendedAgentCard(params, context),
		async sendMessage(request, context) {
			return (await purchase(request, context)).task;
		},
		async *sendMessageStream(request, context) {
			yield* toStreamEvents(await purchase(request, context));
		},
		async getTask(params, context) {
			const task = await openTasks.find(params.id);
			if (task) return trimHistory(task, params.historyLength);
			return read(context, (sdk) => sdk.getTask(params, context));
		},
		listTasks: (params, context) => read(context, (sdk) => sdk.listTasks(params, context)),
		cancelTask: async (params, context) =>
			(await openTasks.cancel(params.id)) ??
			read(context, (sdk) => sdk.cancelTask(params, context)),
		async *resubscribe(params, context) {
			const events = await read(context, async (sdk) => sdk.resubscribe(params, context));
			yield* events;
		},
		createTaskPushNotificationConfig: (params, context) =>
			read(context, (sdk) => sdk.createTaskPushNotificationConfig(params, context)),
		getTaskPushNotificationConfig: (params, context) =>
			read(context, (sdk) => sdk.getTaskPushNotificationConfig(params, context)),
		listTaskPushNotificationConfigs: (params, context) =>
			read(context, (sdk) => sdk.listTaskPushNotificationConfigs(params, context)),
		deleteTaskPushNotificationConfig: (params, context) =>
			read(context, (sdk) => sdk.deleteTaskPushNotificationConfig(params, context)),
	};
}

/** The SDK's handler for everything but messages; made anew when the card changes. */
function createStock(card: () => Promise<AgentCard>, tasks: TaskArchive) {
	let made: { readonly card: AgentCard; readonly handler: A2ARequestHandler } | undefined;
	return async (): Promise<A2ARequestHandler> => {
		const current = await card();
		if (made?.card !== current) {
			made = { card: current, handler: new DefaultRequestHandler(current, tasks, noExecutor) };
		}
		return made.handler;
	};
}

const refuseToRun = async () => {
	throw new UnsupportedOperationError("Messages are answered by the pipeline.");
};
const noExecutor: AgentExecutor = { execute: refuseToRun, cancelTask: refuseToRun };

/** Errors of the protocol are the SDK's to tell; of every other the exchange remembers how to refuse. */
async function guard<R>(
	context: ServerCallContext,
	work: (exchange: Exchange) => Promise<R>,
): Promise<R> {
	const exchange = exchangeOf(context);
	try {
		return await work(exchange);
	} catch (error) {
		if (!(error instanceof A2AError)) exchange.refuse(error);
		throw error;
	}
}

function getMessage({ message }: SendMessageRequest): Message {
	if (!message) throw new RequestMalformedError("message is required");
	return message;
}

/** As the protocol says: no limit unless asked for, and zero leaves the history out. */
function trimHistory(task: Task, limit: number | undefined): Task {
	if (limit === undefined) return task;
	return { ...task, history: limit > 0 ? task.history.slice(-limit) : [] };
}

function showCost({ response }: Exchange, { task, isRepeated }: Purchase): void {
	const cost = costOf(task);
	for (const [name, value] of Object.entries(cost ? costHeaders(cost) : {})) {
		response.setHeader(name, value);
	}
	if (isRepeated) response.setHeader("Idempotent-Replayed", "true");
}
