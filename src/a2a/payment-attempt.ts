import { createHash } from "node:crypto";
import type { Message, Task } from "@a2a-js/sdk";
import { type CallResult, LIMITS, type Payment } from "../contract/contract.js";
import { createTokenBucket } from "../http/http.js";
import {
	type Clock,
	invalidArgument,
	ServiceError,
	toCanonicalJson,
	toIsoTime,
} from "../kernel/kernel.js";
import { isPaid } from "./a2a-task.js";
import type { A2aServices, Exchange } from "./exchange.js";
import { type KeepPaid, keyOf, type Sell } from "./sell.js";
import {
	type PaymentTry,
	toAsked,
	toPaid,
	type WaitingTask,
	type WaitingTasks,
} from "./waiting-tasks.js";
import { type PaymentNote, readPaymentNote } from "./x402-extension.js";

export type SellServices = Pick<A2aServices, "clock" | "acceptsX402" | "processCount"> & {
	readonly sell: Sell;
	readonly keepPaid: KeepPaid;
};

/** A message on its way to a task, with whatever pays for it. */
export interface Sending {
	readonly message: Message;
	readonly note: PaymentNote | undefined;
	readonly payment: Payment | undefined;
	/** The same for every sending of one payment. */
	readonly hash: string;
	readonly exchange: Exchange;
}

/** Throws INVALID_ARGUMENT for a payment that cannot be read, and for two at once. */
export function readSending(message: Message, exchange: Exchange): Sending {
	const note = readPaymentNote(message);
	const noted = note?.kind === "submitted" ? note.payment : undefined;
	const inHeaders = exchange.payment();
	if (noted && inHeaders) {
		throw invalidArgument("The message carries a payment and so do the headers; send exactly one.");
	}
	const payment = noted ?? inHeaders;
	const shown = payment ? toCanonicalJson(payment) : `message ${message.messageId}`;
	const hash = createHash("sha256").update(shown).digest("base64url");
	return { message, note, payment, hash, exchange };
}

export type PaymentAttempt = ReturnType<typeof createPaymentAttempt>;

/**
 * One way through the pipeline, and what the task is afterwards. Throws what the pipeline throws, unless the caller
 * speaks the extension and the refusal is about money; RATE_LIMITED for more unpaid tasks than one address may open.
 */
export function createPaymentAttempt(deps: SellServices & { readonly waiting: WaitingTasks }) {
	const { sell, keepPaid, waiting, clock, acceptsX402, processCount } = deps;
	const takeFrom = createTokenBucket({
		clock,
		perMinute: LIMITS.waitingTasksPerMinute,
		keysMax: LIMITS.rateLimitedCallersMax,
		share: processCount,
	});
	const isWaiting = ({ found }: WaitingTask) => found !== undefined;

	const buy = ({ taskId, request, message, resourceUrl }: WaitingTask, sending: Sending) => {
		// A waiting task's id is known to its payer alone, and stays the same when the payment is sent again.
		const idempotencyKey = keyOf(sending.message.taskId ? taskId : message.messageId);
		const { exchange, payment } = sending;
		const offered = { taskId, message, request, resourceUrl, exchange, payment, idempotencyKey };
		return sell(offered, { canFail: false });
	};

	const conclude = async (asked: WaitingTask, sending: Sending, task: Task, result: CallResult) => {
		const done = toPaid(asked, task, result, toTry(sending, clock));
		// A paid task that cannot be kept goes on waiting: its payment, sent again, is answered and not charged.
		const isKept = await keepPaid(result.caller, done, sending.exchange);
		if (isKept) await waiting.forget(asked.taskId);
		// Nothing new is kept of who agreed on that: a paid call, sent again, is answered anew at no price.
		else if (result.caller.keepsNoText) {
			if (!isPaid(done)) await waiting.forget(asked.taskId);
		} else if (!isPaid(done) || !isWaiting(asked)) await waiting.keep({ ...asked, reported: done });
		return done;
	};

	const refuse = async (asked: WaitingTask, sending: Sending, error: unknown): Promise<Task> => {
		const attempt = toTry(sending, clock);
		const speaksX402 = acceptsX402 && (attempt.speaksX402 || isWaiting(asked));
		if (!speaksX402 || !(error instanceof ServiceError)) throw error;
		const next = toAsked(asked, error, attempt);
		if (!next) throw error;
		const isNew = sending.message.taskId === "";
		if (isNew && next.unsettled === undefined) takeFrom(asked.address);
		await waiting.keep(next);
		return next.reported;
	};

	return async (asked: WaitingTask, sending: Sending): Promise<Task> => {
		try {
			const { task, result } = await buy(asked, sending);
			return result ? await conclude(asked, sending, task, result) : task;
		} catch (error) {
			return refuse(asked, sending, error);
		}
	};
}

function toTry({ message, note, hash, exchange }: Sending, clock: Clock): PaymentTry {
	const payment = note?.kind === "submitted" ? note.payment : undefined;
	const x402Version = exchange.x402?.x402Version ?? payment?.version ?? 2;
	return {
		message,
		payment,
		speaksX402: note !== undefined || exchange.x402 !== undefined,
		hash,
		x402Version,
		requestId: exchange.requestId,
		timestamp: toIsoTime(clock.now()),
	};
}
