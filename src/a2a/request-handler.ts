import type { AgentCard, Message, SendMessageRequest, StreamResponse, Task } from "@a2a-js/sdk";
import {
	A2AError,
	RequestMalformedError,
	TaskNotCancelableError,
	TaskNotFoundError,
	UnsupportedOperationError,
} from "@a2a-js/sdk/errors";
import {
	type A2ARequestHandler,
	type AgentExecutor,
	DefaultRequestHandler,
	type ServerCallContext,
} from "@a2a-js/sdk/server";
import { costHeaders } from "../http/http.js";
import { costOf, jobIdOf } from "./a2a-task.js";
import { type Exchange, exchangeOf } from "./exchange.js";
import type { OpenTasks } from "./payment-service.js";
import type { BuyAnswer } from "./purchase.js";
import type { PushService } from "./push-service.js";
import type { Purchase } from "./sell.js";
import type { TaskArchive } from "./task-archive.js";
import { type TaskWatch, toStreamEvents } from "./task-events.js";
import { isFinal } from "./x402-extension.js";

interface RequestHandlerDeps {
	readonly card: () => Promise<AgentCard>;
	readonly tasks: TaskArchive;
	readonly watch: TaskWatch;
	readonly push: PushService;
	readonly openTasks: OpenTasks;
	readonly buy: BuyAnswer;
}

/**
 * What the SDK's transports call. Messages go through the pipeline first, so that a refusal is known before the first byte:
 * most are answered with the finished task, long work with a task that its job goes on behind. What is asked about tasks is
 * the SDK's own work over our archive, but for those jobs.
 */
export function createRequestHandler(deps: RequestHandlerDeps): A2ARequestHandler {
	const { card, tasks, openTasks, watch } = deps;
	const sdkHandler = createSdkHandler(card, tasks);
	const purchase = createPurchase(deps);
	const read = <R>(context: ServerCallContext, work: (sdk: A2ARequestHandler) => Promise<R>) =>
		guard(context, async (exchange) => {
			await exchange.caller(); // 401 before anything is looked up
			return work(await sdkHandler());
		});
	const getTask = createGetTask(tasks);

	return {
		getAgentCard: card,
		getAuthenticatedExtendedAgentCard: async (params, context) =>
			(await sdkHandler()).getAuthenticatedExtendedAgentCard(params, context),
		sendMessage: (request, context) =>
			guard(context, async (exchange) => {
				const { task } = await purchase(request, context);
				const waits = request.configuration?.returnImmediately !== true && goesOn(task);
				const reported = await (waits ? watch.untilEnd(task, exchange) : watch.now(task));
				return trimHistory(reported, request.configuration?.historyLength);
			}),
		async *sendMessageStream(request, context) {
			const bought = await guard(context, () => purchase(request, context));
			const task = trimHistory(bought.task, request.configuration?.historyLength);
			if (goesOn(task)) yield* begun(context, watch.events(task, exchangeOf(context)));
			else yield* toStreamEvents({ ...bought, task });
		},
		async getTask(params, context) {
			const task = await openTasks.find(params.id);
			if (task) return trimHistory(task, params.historyLength);
			return read(context, (sdk) => sdk.getTask(params, context));
		},
		listTasks: (params, context) => read(context, (sdk) => sdk.listTasks(params, context)),
		async cancelTask(params, context) {
			const open = await tasks.findOpen(params.id);
			const waiting = open ? undefined : await openTasks.cancel(params.id);
			if (waiting) return waiting;
			return guard(context, async (exchange) => {
				const task = open ?? (await getTask(params.id, context));
				if (goesOn(task)) return watch.cancel(task, exchange);
				throw new TaskNotCancelableError(`Task not cancelable: ${params.id}`);
			});
		},
		async *resubscribe(params, context) {
			const open = await openTasks.find(params.id);
			const task = open ?? (await guard(context, () => getTask(params.id, context)));
			if (isFinal(task)) {
				throw new UnsupportedOperationError(
					`The task ${params.id} is finished and cannot be subscribed to; read it instead.`,
				);
			}
			const exchange = exchangeOf(context);
			const follow = goesOn(task) ? watch.events : openTasks.follow;
			yield* begun(context, follow(task, exchange));
		},
		...createPushMethods(deps.push, getTask),
	};
}

/** Sells what a message asks for and sets who is to be notified of it; an address that is not good costs nothing. */
function createPurchase({ buy, push }: RequestHandlerDeps) {
	return async (request: SendMessageRequest, context: ServerCallContext): Promise<Purchase> => {
		const exchange = exchangeOf(context);
		const wanted = request.configuration?.taskPushNotificationConfig;
		if (wanted) push.check(wanted, versionOf(context));
		const bought = await buy(getMessage(request), exchange);
		showCost(exchange, bought);
		if (wanted && goesOn(bought.task)) await push.set(bought.task, wanted, versionOf(context));
		return bought;
	};
}

type GetTask = ReturnType<typeof createGetTask>;

/** The caller's task, or one that its id opens. Throws UNAUTHENTICATED or TaskNotFound. */
function createGetTask(tasks: TaskArchive) {
	return async (taskId: string, context: ServerCallContext): Promise<Task> => {
		const task = await tasks.load(taskId, context);
		if (task) return task;
		throw new TaskNotFoundError(`Task not found: ${taskId}`);
	};
}

function createPushMethods(push: PushService, getTask: GetTask) {
	return {
		createTaskPushNotificationConfig: (params, context) =>
			guard(context, async () => {
				const task = await getTask(params.taskId, context);
				return push.set(task, params, versionOf(context));
			}),
		getTaskPushNotificationConfig: (params, context) =>
			guard(context, async () => {
				const { id } = await getTask(params.taskId, context);
				return push.get(id, params.id);
			}),
		listTaskPushNotificationConfigs: (params, context) =>
			guard(context, async () => {
				const { id } = await getTask(params.taskId, context);
				return { configs: await push.list(id), nextPageToken: "" };
			}),
		deleteTaskPushNotificationConfig: (params, context) =>
			guard(context, async () => {
				const { id } = await getTask(params.taskId, context);
				await push.remove(id, params.id);
			}),
	} satisfies Partial<A2ARequestHandler>;
}

/** True for a task whose job has not ended. */
function goesOn(task: Task): boolean {
	return jobIdOf(task) !== undefined && !isFinal(task);
}

function versionOf({ requestedVersion }: ServerCallContext): "1.0" | "0.3" {
	return requestedVersion.startsWith("0.") ? "0.3" : "1.0";
}

/** The SDK's handler for everything but messages; rebuilt when the card changes. */
function createSdkHandler(card: () => Promise<AgentCard>, tasks: TaskArchive) {
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

/** Errors of the protocol are the SDK's to report; of every other the exchange remembers how to refuse. */
export async function guard<R>(
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

/** The events, whose refusal to begin is remembered like every other. */
async function* begun(
	context: ServerCallContext,
	events: AsyncGenerator<StreamResponse, void, undefined>,
): AsyncGenerator<StreamResponse, void, undefined> {
	try {
		const first = await guard(context, () => events.next());
		if (first.done) return;
		yield first.value;
		yield* events;
	} finally {
		await events.return();
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

function showCost({ carrier }: Exchange, { task, isRepeated }: Purchase): void {
	const cost = costOf(task);
	for (const [name, value] of Object.entries(cost ? costHeaders(cost) : {})) {
		carrier.setHeader(name, value);
	}
	if (isRepeated) carrier.setHeader("Idempotent-Replayed", "true");
}
