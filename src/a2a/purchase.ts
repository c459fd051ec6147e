import { createHash } from "node:crypto";
import type { Message } from "@a2a-js/sdk";
import { TaskNotFoundError, UnsupportedOperationError } from "@a2a-js/sdk/errors";
import { type Caller, grantIdOf } from "../contract/contract.js";
import { ServiceError, toCanonicalJson } from "../kernel/kernel.js";
import type { Service } from "../service/service.js";
import { costOf, isPaid, jobIdOf, toRepeatedTask } from "./a2a-task.js";
import type { Exchange } from "./exchange.js";
import type { PaymentService } from "./payment-service.js";
import {
	type KeepPaid,
	keyOf,
	type Offered,
	type Purchase,
	type Sell,
	toSkillRequest,
} from "./sell.js";
import type { TaskArchive } from "./task-archive.js";
import { readPaymentNote } from "./x402-extension.js";

/**
 * Sells what a message asks for, once for each (principal, messageId): the same message again, at the same time or
 * later, gets the same task; one that cost nothing can be read for a while, and its message may simply be sent again. Throws what
 * the pipeline throws, IDEMPOTENCY_MISMATCH for a messageId that was used for another request, TaskNotFound and
 * UnsupportedOperation for a message about an earlier task.
 */
export type BuyAnswer = ReturnType<typeof createBuyAnswer>;

export function createBuyAnswer(deps: {
	readonly service: Service;
	readonly tasks: TaskArchive;
	readonly sell: Sell;
	readonly keepPaid: KeepPaid;
	/** Serves callers who bring no identity. */
	readonly paymentService: PaymentService;
}) {
	const { service, tasks, sell, keepPaid, paymentService } = deps;
	const running = new Map<
		string,
		{ readonly content: string; readonly purchase: Promise<Purchase> }
	>();

	/** Undefined for an anonymous caller, and for one the pipeline will refuse after it has judged the input. */
	const findCaller = async (exchange: Exchange): Promise<Caller | undefined> => {
		const credential = exchange.credential();
		if (!credential) return undefined;
		return service.identify(credential, { opens: true }).catch((error: unknown) => {
			if (error instanceof ServiceError && error.code === "UNAUTHENTICATED") return undefined;
			throw error;
		});
	};

	const buyOrFind = async (offered: Offered, caller: Caller): Promise<Purchase> => {
		const earlier = await tasks.find(caller, offered.taskId);
		const [sent] = earlier?.history ?? [];
		if (earlier && sent && (isPaid(earlier) || jobIdOf(earlier) !== undefined)) {
			assertSameContent(contentOf(sent), contentOf(offered.message));
			return { task: toRepeatedTask(earlier), isRepeated: true };
		}
		// A task that was kept without its text is answered again: the pipeline knows that it is paid for.
		const { task } = await sell(offered, { canFail: true });
		if (!(await keepPaid(caller, task, offered.exchange))) tasks.remember(caller, task);
		return { task, isRepeated: costOf(task)?.replayed === true };
	};

	const buyOnce = async (offered: Offered, caller: Caller): Promise<Purchase> => {
		const content = contentOf(offered.message);
		const place = `${offered.taskId} ${grantIdOf(caller.access)}`;
		const twin = running.get(place);
		if (twin) {
			assertSameContent(twin.content, content);
			return { task: toRepeatedTask((await twin.purchase).task), isRepeated: true };
		}
		const purchase = buyOrFind(offered, caller);
		running.set(place, { content, purchase });
		return purchase.finally(() => running.delete(place));
	};

	return async (message: Message, exchange: Exchange): Promise<Purchase> => {
		if (message.taskId) {
			const purchase = await paymentService.goOn(message, exchange);
			if (purchase) return purchase;
			throw await refuseFollowUp(tasks, message, exchange);
		}
		const request = toSkillRequest(message);
		const caller = paysByItself(message, exchange) ? undefined : await findCaller(exchange);
		// No one can name an anonymous caller's message again, so its task has an id of its own.
		if (caller === undefined) return paymentService.open(message, exchange);
		const { messageId } = message;
		const taskId = taskIdOf(caller.owner, messageId);
		const idempotencyKey = keyOf(messageId);
		return buyOnce({ taskId, message, request, exchange, idempotencyKey }, caller);
	};
}

function paysByItself(message: Message, exchange: Exchange): boolean {
	return readPaymentNote(message) !== undefined || exchange.payment() !== undefined;
}

const ID_CHARS = 26;

/** One task for each principal and message: the id is its own uniqueness check. */
function taskIdOf(owner: string, messageId: string): string {
	const hash = createHash("sha256").update(`${owner}\n${messageId}`).digest("hex");
	return `task_${hash.slice(0, ID_CHARS)}`;
}

/** What makes two sendings the same request, in whichever protocol version they came. */
function contentOf(message: Message): string {
	return toCanonicalJson(toSkillRequest(message));
}

function assertSameContent(earlier: string | undefined, now: string): void {
	if (earlier === now) return;
	throw new ServiceError(
		"IDEMPOTENCY_MISMATCH",
		"This messageId was used for another request; use a new messageId for a new request.",
	);
}

/** Our tasks end with their first answer, so a message about one of them can only be refused. */
async function refuseFollowUp(
	tasks: TaskArchive,
	message: Message,
	exchange: Exchange,
): Promise<Error> {
	const isAnonymous = exchange.credential() === undefined;
	if (isAnonymous && (exchange.x402 || paysByItself(message, exchange))) {
		return new TaskNotFoundError(
			"No task waits for a payment under this id: its time was over, or the server was started anew. Nothing was charged now. Send the first message again without taskId; a payment that was signed already may come with it and is not charged twice.",
		);
	}
	const task = await tasks.find(await exchange.caller(), message.taskId);
	if (!task) return new TaskNotFoundError("No task of yours has this id; leave out taskId.");
	return new UnsupportedOperationError(
		"This task is finished; leave out taskId to start another one in the same context.",
	);
}
