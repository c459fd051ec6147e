import type { Message, Part, Task } from "@a2a-js/sdk";
import { DEFAULT_TEXT_SKILL } from "../../agent-card/agent-card.js";
import {
	type Caller,
	type CallResult,
	findSkillId,
	isWallet,
	LIMITS,
	OPERATION_OF_SKILL,
	type Payment,
	SKILL_IDS,
	type Skill,
	type SkillId,
} from "../contract/contract.js";
import { type CallerWatch, readTraceParent, toServiceError, watchLink } from "../http/http.js";
import { ServiceError, stackOf, toIsoTime } from "../kernel/kernel.js";
import { isPaid, jobIdOf, toCompletedTask, toFailedTask, toLaunchedTask } from "./a2a-task.js";
import type { A2aServices, Exchange } from "./exchange.js";
import { invalidMessage } from "./message-envelope.js";
import type { TaskArchive } from "./task-archive.js";

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

/** A task for its caller, and whether an earlier sending of the same message has made it. */
export interface Purchase {
	readonly task: Task;
	readonly isRepeated: boolean;
}

/**
 * Runs the pipeline and makes the task of its result: the finished one, or that of a job that was launched. A failure of
 * ours becomes a failed task without a result where one can be kept (`canFail`); whatever else the pipeline throws goes to
 * the caller.
 */
export type Sell = ReturnType<typeof createSell>;

export function createSell({
	service,
	clock,
	logger,
}: Pick<A2aServices, "service" | "clock" | "logger">) {
	return async (
		offered: Offered,
		{ canFail }: { readonly canFail: boolean },
	): Promise<{ readonly task: Task; readonly result: CallResult | undefined }> => {
		const { taskId, message, request, exchange, idempotencyKey, payment } = offered;
		const { requestId, carrier } = exchange;
		const frame = () => ({
			taskId,
			message,
			skillId: request.skillId,
			requestId,
			timestamp: toIsoTime(clock.now()),
		});
		const watch = watchLink(carrier, clock, LIMITS.requestTimeoutMs);
		try {
			const operationId = OPERATION_OF_SKILL[request.skillId];
			const result = await service.invoke({
				operationId,
				rawInput: request.rawInput,
				credential: exchange.credential(),
				payment,
				idempotencyKey,
				requestId,
				traceParent: readTraceParent(carrier.headers),
				transport: "a2a",
				resourceUrl: offered.resourceUrl ?? exchange.resourceUrl,
				signal: watch.signal,
			});
			reportPayment(exchange, result);
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
function reportPayment({ carrier }: Exchange, result: CallResult) {
	const { paymentHeaders = {} } = result;
	for (const [name, value] of Object.entries(paymentHeaders)) carrier.setHeader(name, value);
	carrier.reportDelivery(result);
}

/** The error of a call that went wrong after it was let in; undefined when the caller or the clock ended it. */
function toOurFailure(error: unknown, { signal }: CallerWatch): ServiceError | undefined {
	if (!(error instanceof ServiceError)) return signal.aborted ? undefined : toServiceError(error);
	return error.code === "INTERNAL" || error.code === "UPSTREAM" ? error : undefined;
}

function toCallersError(error: unknown, { signal, timeout }: CallerWatch): unknown {
	if (error instanceof ServiceError || !signal.aborted) return error;
	// The caller has left; only someone who waits for the same message can still read this.
	return (
		timeout() ??
		new ServiceError(
			"IDEMPOTENCY_IN_FLIGHT",
			"An earlier sending of this message was given up; send it again in a moment.",
		)
	);
}

/** What a message asks for: a skill and the input its schema will judge. */
export interface SkillRequest {
	readonly skillId: SkillId;
	readonly rawInput: unknown;
}

/** Retry key of a message or task id; its prefix keeps it apart from REST's keys of the same principal. */
export function keyOf(id: string): string {
	return `a2a:${id}`;
}

/**
 * Reads a message whose envelope was checked: the one data part `{skill, input}`, whatever text stands beside it, or else all text as the question
 * of the default skill. Throws INVALID_ARGUMENT with the path of what is wrong.
 */
export function toSkillRequest({ parts }: Message): SkillRequest {
	const data = parts.findIndex((part) => part.content?.$case === "data");
	if (data !== -1) {
		if (parts.findLastIndex((part) => part.content?.$case === "data") !== data) {
			throw invalidMessage("message.parts", "must hold one data part at most");
		}
		return fromData(parts[data]?.content?.value, `message.parts.${data}.data`);
	}
	return { skillId: DEFAULT_TEXT_SKILL, rawInput: { question: joinText(parts) } };
}

function fromData(value: unknown, path: string): SkillRequest {
	if (typeof value !== "object" || value === null || Array.isArray(value)) {
		throw invalidMessage(path, 'must be an object {"skill", "input"}');
	}
	const { skill, input = {}, ...others } = value as Record<string, unknown>;
	const unknown = Object.keys(others)[0];
	if (unknown !== undefined) {
		throw invalidMessage(
			`${path}.${unknown.slice(0, 80)}`,
			'is not known; send "skill" and "input" only',
		);
	}
	const skillId = typeof skill === "string" ? findSkillId(skill) : undefined;
	if (!skillId) throw invalidMessage(`${path}.skill`, `must be one of ${SKILL_IDS.join(", ")}`);
	return { skillId, rawInput: input };
}

function joinText(parts: readonly Part[]): string {
	return parts
		.map(({ content }) => (content?.$case === "text" ? content.value : ""))
		.join("\n")
		.trim();
}

/**
 * Keeps a task for its caller; resolves to false when it neither was paid for nor has a job, was not to be kept or could
 * not be. Never rejects.
 */
export type KeepPaid = ReturnType<typeof createKeepPaid>;

/** Only what was paid for is kept, and what a job works on: storage costs the one who fills it. */
export function createKeepPaid({
	tasks,
	logger,
}: Pick<A2aServices, "logger"> & { readonly tasks: TaskArchive }) {
	return async (caller: Caller, task: Task, { requestId }: Exchange): Promise<boolean> => {
		if (!isPaid(task) && jobIdOf(task) === undefined) return false;
		// A wallet's payment, sent again, is answered from the graphs again: that takes no text of its answer.
		if (caller.keepsNoText && isWallet(caller.owner)) return false;
		try {
			await tasks.keep(caller, task);
			return true;
		} catch (error) {
			// The answer is paid for, so it is delivered; sent again, the message finds its receipt.
			logger?.error("a paid task could not be kept", { requestId, error: stackOf(error) });
			return false;
		}
	};
}
