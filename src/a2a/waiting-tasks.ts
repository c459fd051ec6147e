import { Message, Task, TaskState } from "@a2a-js/sdk";
import { type CallResult, LIMITS } from "../contract/contract.js";
import { toErrorReply } from "../http/http.js";
import type { ServiceError } from "../kernel/kernel.js";
import { dataPart } from "./a2a-task.js";
import { type SkillRequest, toSkillRequest } from "./sell.js";
import type { FoundText, WaitingTexts } from "./task-memory.js";
import {
	type Demand,
	demandOf,
	type PaymentErrorCode,
	type PaymentReceipt,
	type PaymentState,
	paymentErrorOf,
	paymentMessage,
	toFailedReceipt,
	toReceipt,
	withoutPayload,
	type X402Payment,
} from "./x402-extension.js";

/** A message someone wants to pay for: what it asks for, and how its payment stands. */
export interface WaitingTask {
	readonly taskId: string;
	/** IP address that asked. */
	readonly address: string;
	/** The message that asked; later ones only pay for it. */
	readonly message: Message;
	readonly request: SkillRequest;
	/** Address the demand names, whichever binding carries the payment. */
	readonly resourceUrl: string;
	readonly required: Demand | undefined;
	/** Payments that failed. */
	readonly receipts: readonly PaymentReceipt[];
	/** Hash of the payment whose settlement is not known; no other one is taken meanwhile. */
	readonly unsettled: string | undefined;
	/** The task as it was reported last. */
	readonly reported: Task;
	/** How it was found among those that wait; absent for one that does not wait yet. */
	readonly found?: Pick<FoundText, "version" | "isBusy">;
}

/** Tasks that wait for their payment: text no one paid for is bounded, and is soon forgotten. */
export type WaitingTasks = ReturnType<typeof createWaitingTasks>;

export function createWaitingTasks(texts: WaitingTexts) {
	const { has, forget, release } = texts;
	return {
		has,
		find: async (taskId: string) => fromFound(await texts.find(taskId)),
		/** For one payment alone, see WaitingTexts. */
		claim: async (taskId: string, payment: string) => fromFound(await texts.claim(taskId, payment)),
		/**
		 * Starts its time again. Where room is short, the address that holds most loses its oldest; a task that is being paid
		 * for, or whose settlement is not known, stays. False where it was changed by someone else since it was found.
		 */
		keep(task: WaitingTask): Promise<boolean> {
			const { taskId, address, unsettled, found } = task;
			const kept = { text: toText(task), holder: address, isPinned: unsettled !== undefined };
			return texts.keep(taskId, kept, found?.version);
		},
		forget,
		release,
	};
}

function fromFound(found: FoundText | undefined): WaitingTask | undefined {
	if (!found) return undefined;
	const { text, ...how } = found;
	return { ...fromText(text), found: how };
}

/** The asking message is kept once, and what it asks for is read from it again. */
function toText({ request: _, found: _found, message, reported, ...rest }: WaitingTask): string {
	return JSON.stringify({
		...rest,
		message: Message.toJSON(withoutPayload(message)),
		reported: Task.toJSON({ ...reported, history: reported.history.slice(1) }),
	});
}

function fromText(text: string): WaitingTask {
	const { message: asked, reported: last, ...rest } = JSON.parse(text);
	const message = Message.fromJSON(asked);
	const reported = Task.fromJSON(last);
	return {
		...rest,
		message,
		request: toSkillRequest(message),
		reported: { ...reported, history: [message, ...reported.history] },
	};
}

/** One try to get a task paid. */
export interface PaymentTry {
	/** The message that came with it. */
	readonly message: Message;
	/** What its metadata carried. */
	readonly payment: X402Payment | undefined;
	/** The extension is on, or the message speaks its words. */
	readonly speaksX402: boolean;
	/** Distinguishes payments of one task. */
	readonly hash: string;
	readonly x402Version: 1 | 2;
	readonly requestId: string;
	/** ISO 8601. */
	readonly timestamp: string;
}

/**
 * The task after a try that ended in a refusal: it asks for money, says why the payment failed and asks again, or waits
 * for a settlement. Undefined for a refusal that is not about money.
 */
export function toAsked(
	asked: WaitingTask,
	error: ServiceError,
	attempt: PaymentTry,
): WaitingTask | undefined {
	const { payment, x402Version, hash } = attempt;
	const required = demandOf(error, x402Version) ?? asked.required;
	if (!payment) {
		if (error.code !== "PAYMENT_REQUIRED" || !required) return undefined;
		const state: PaymentState = { status: "payment-required", required, receipts: asked.receipts };
		return withStatus(
			{ ...asked, required },
			TaskState.TASK_STATE_INPUT_REQUIRED,
			state,
			error,
			attempt,
		);
	}
	if (error.code === "SETTLEMENT_UNKNOWN") {
		const state: PaymentState = { status: "payment-verified", receipts: asked.receipts };
		const unsettled = { ...asked, unsettled: hash };
		return withStatus(unsettled, TaskState.TASK_STATE_WORKING, state, error, attempt);
	}
	const code = paymentErrorOf(error);
	return code && toFailed({ ...asked, required, unsettled: undefined }, code, error, attempt);
}

function toFailed(
	asked: WaitingTask,
	code: PaymentErrorCode,
	error: ServiceError,
	attempt: PaymentTry,
): WaitingTask {
	const { payment } = attempt;
	const receipts = [
		...asked.receipts,
		...(payment ? [toFailedReceipt(error.message, payment)] : []),
	];
	const isLast = receipts.length >= LIMITS.taskPaymentsMax;
	const { required } = asked;
	const state: PaymentState = {
		status: "payment-failed",
		error: code,
		receipts,
		required: isLast ? undefined : required,
	};
	const next = isLast ? TaskState.TASK_STATE_FAILED : TaskState.TASK_STATE_INPUT_REQUIRED;
	return withStatus({ ...asked, receipts }, next, state, error, attempt);
}

function withStatus(
	asked: WaitingTask,
	state: TaskState,
	payment: PaymentState,
	error: ServiceError,
	{ message, requestId, timestamp }: PaymentTry,
): WaitingTask {
	const { reported, request } = asked;
	const text = paymentMessage(reported, `${error.message}${NEXT[state] ?? ""}`, payment);
	// The same body an HTTP caller gets: every other way to pay is in it.
	const body = dataPart(toErrorReply(error, requestId).body);
	return {
		...asked,
		reported: {
			...reported,
			history: historyOf(asked, message),
			status: { state, message: { ...text, parts: [...text.parts, body] }, timestamp },
			metadata: { skill: request.skillId, request_id: requestId },
		},
	};
}

const NEXT: Partial<Record<TaskState, string>> = {
	[TaskState.TASK_STATE_INPUT_REQUIRED]:
		" To pay by the x402 extension, send a message of this task with a signed payment in its metadata.",
	[TaskState.TASK_STATE_WORKING]:
		" Send the same payment message again in a moment; it is not charged twice.",
	[TaskState.TASK_STATE_FAILED]: " No further payment is taken for this task; start another one.",
};

/** The task of a caller who does not want to pay. */
export function toCanceled(
	asked: WaitingTask,
	{ message, timestamp }: { readonly message: Message | undefined; readonly timestamp: string },
): Task {
	const { reported, receipts } = asked;
	const text = "The payment was declined, so the task ends here; nothing was charged.";
	return {
		...reported,
		history: historyOf(asked, message),
		status: {
			state: TaskState.TASK_STATE_CANCELED,
			message: paymentMessage(reported, text, { status: "payment-rejected", receipts }),
			timestamp,
		},
	};
}

/** The finished task, stating what became of its payment. */
export function toPaid(
	asked: WaitingTask,
	task: Task,
	result: CallResult,
	{ message: sent, payment, hash, speaksX402 }: PaymentTry,
): Task {
	const { settlement } = result;
	const receipts = settlement
		? [...asked.receipts, toReceipt(settlement, payment)]
		: asked.receipts;
	const reported = { ...task, history: historyOf(asked, sent) };
	if (!task.status || !speaksX402 || (!settlement && !payment)) return reported;
	const status = settlement ? "payment-completed" : "payment-verified";
	const message = paymentMessage(task, fateOf(result), { status, receipts });
	return {
		...reported,
		status: { ...task.status, message },
		metadata: { ...task.metadata, payment_hash: hash },
	};
}

/** What became of the payment's money, in a sentence. */
function fateOf({ isAnswer, settlement, cost }: CallResult): string {
	if (cost.charged) return `Paid: ${cost.amount_usd} USD.`;
	if (cost.held) return `Paid: ${cost.amount_usd} USD; what the job does not take comes back.`;
	if (cost.credit) {
		return `There is no answer, and the payment had settled: its ${cost.credit.balance_usd} USD are on the Shared Payment Token in meta.cost.credit of the artifact. Keep it, it is shown once.`;
	}
	if (settlement) {
		return 'There is no answer, and the payment had settled: it is credited to its payer; POST /v1/spt with "recover": true collects it.';
	}
	return `${isAnswer ? "This call costs nothing" : "There is no answer"}, so the payment was not settled.`;
}

/** What was asked and what paid for it; payments in between are stated by their receipts. */
function historyOf(
	{ reported, message: asked }: WaitingTask,
	message: Message | undefined,
): Message[] {
	const { id: taskId, contextId } = reported;
	const messages = message && message.messageId !== asked.messageId ? [asked, message] : [asked];
	return messages.map((each) => ({ ...withoutPayload(each), taskId, contextId }));
}
