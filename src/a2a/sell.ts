import type { Message, Task } from "@a2a-js/sdk";
import {
	type CallResult,
	LIMITS,
	OPERATION_OF_SKILL,
	type Payment,
	type Skill,
} from "../contract/contract.js";
import { type CallerWatch, reportDelivery, toServiceError, watchCaller } from "../http/http.js";
import { type Clock, type Logger, ServiceError, stackOf, toIsoTime } from "../kernel/kernel.js";
import type { Service } from "../service/service.js";
import { toCompletedTask, toFailedTask } from "./answer-task.js";
import type { Exchange } from "./exchange.js";
import { toLaunchedTask } from "./job-task.js";
import type { SkillRequest } from "./skill-request.js";

/** A message on its way through the pipeline. */
export interface Offered {
	readonly taskId: string;
	readonly message: Message;
	readonly request: SkillRequest;
	readonly exchange: Exchange;
	/** Retry key of the purchase. */
	readonly idempotencyKey: string;
	/** Pays for this message alone. */
	readonly payment?: Payment | undefined;
	/** Address the payment was asked for under; that of the exchange where none is named. */
	readonly resourceUrl?: string;
}

/** The finished task, or that of a job that was launched, and what the pipeline said; nothing when the task tells a failure. */
export interface Sold {
	readonly task: Task;
	readonly result: CallResult | undefined;
}

/** A task for its caller, and whether an earlier sending of the same message has made it. */
export interface Purchase {
	readonly task: Task;
	readonly isRepeated: boolean;
}

/**
 * Runs the pipeline and makes the task of its result. A failure of ours becomes a failed task where one can be kept
 * (`canFail`); whatever else the pipeline throws goes to the caller.
 */
export type Sell = (offered: Offered, options: { readonly canFail: boolean }) => Promise<Sold>;

export function createSell(deps: {
	readonly service: Service;
	readonly clock: Clock;
	readonly logger?: Logger | undefined;
}): Sell {
	const { service, clock, logger } = deps;
	return async (offered, { canFail }) => {
		const { taskId, message, request, exchange, idempotencyKey, payment } = offered;
		const { requestId, response } = exchange;
		const frame = () => ({
			taskId,
			message,
			skillId: request.skillId,
			requestId,
			timestamp: toIsoTime(clock.now()),
		});
		const watch = watchCaller(response, clock, LIMITS.requestTimeoutMs);
		try {
			const operationId = OPERATION_OF_SKILL[request.skillId];
			const result = await service.invoke({
				operationId,
				rawInput: request.rawInput,
				credential: exchange.credential(),
				payment,
				idempotencyKey,
				requestId,
				transport: "a2a",
				resourceUrl: offered.resourceUrl ?? exchange.resourceUrl,
				signal: watch.signal,
			});
			tellPayment(exchange, result);
			const skill: Skill = service.skills[operationId];
			const task = skill.job
				? toLaunchedTask(frame(), result)
				: toCompletedTask(frame(), result, textOf(skill, result));
			return { task, result };
		} catch (error) {
			const failure = canFail ? toOurFailure(error, watch) : undefined;
			if (!failure) throw toCallersError(error, watch);
			logger?.error("a call failed", { requestId, error: stackOf(error) });
			return { task: toFailedTask(frame(), failure), result: undefined };
		} finally {
			watch.stop();
		}
	};
}

/** The answer for agents that read text only, or why there is none. */
function textOf({ toText, title }: Skill, { output, isAnswer, cost }: CallResult): string {
	if (isAnswer) return toText?.(output) ?? `${title}: the answer is in the data part.`;
	const { charged, credit } = cost;
	if (charged) return "The curated graphs have no answer to this.";
	const money = credit
		? `the ${credit.balance_usd} USD that had settled are on the Shared Payment Token in meta.cost.credit`
		: "nothing was charged";
	return `The curated graphs have no answer to this; ${money}.`;
}

/** The rail's receipt headers, and word to the rail once the answer has left. */
function tellPayment({ response }: Exchange, result: CallResult) {
	const { paymentHeaders = {} } = result;
	for (const [name, value] of Object.entries(paymentHeaders)) response.setHeader(name, value);
	reportDelivery(response, result);
}

/** The error of a call that went wrong after it was let in; undefined when the caller or the clock ended it. */
function toOurFailure(error: unknown, { signal }: CallerWatch): ServiceError | undefined {
	if (!(error instanceof ServiceError)) return signal.aborted ? undefined : toServiceError(error);
	return error.code === "INTERNAL" || error.code === "UPSTREAM" ? error : undefined;
}

function toCallersError(error: unknown, { signal, timeout }: CallerWatch): unknown {
	if (error instanceof ServiceError || !signal.aborted) return error;
	// The caller has left; only somebody who waits for the same message can still read this.
	return (
		timeout() ??
		new ServiceError(
			"IDEMPOTENCY_IN_FLIGHT",
			"An earlier sending of this message was given up; send it again in a moment.",
		)
	);
}
