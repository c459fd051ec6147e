import { createHash } from "node:crypto";
import type { Message, Task } from "@a2a-js/sdk";
import { TaskNotFoundError, UnsupportedOperationError } from "@a2a-js/sdk/errors";
import { toCanonicalJson } from "../core/canonical-json.js";
import type { Clock } from "../core/clock.js";
import { ServiceError } from "../core/errors.js";
import type { Ids } from "../core/ids.js";
import { type Logger, stackOf } from "../core/logger.js";
import type { Service } from "../service/service.js";
import { isPaid, toRepeatedTask } from "./answer-task.js";
import type { Exchange } from "./exchange.js";
import { createSell, type Offered } from "./sell.js";
import { toSkillRequest } from "./skill-request.js";
import type { TaskArchive } from "./task-archive.js";

export interface PurchaseDeps {
	readonly service: Service;
	readonly tasks: TaskArchive;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly logger?: Logger | undefined;
}

/** A finished task, and whether an earlier sending of the same message has made it. */
export interface Purchase {
	readonly task: Task;
	readonly isRepeated: boolean;
}

/**
 * Sells what a message asks for, once for each (principal, messageId): the same message again, at the same time or
 * later, gets the same task; one that cost nothing is not kept, and its message may simply be sent again. Throws what
 * the pipeline throws, IDEMPOTENCY_MISMATCH for a messageId that was used for another request, TaskNotFound and
 * UnsupportedOperation for a message about an earlier task.
 */
export type BuyAnswer = (message: Message, exchange: Exchange) => Promise<Purchase>;

interface Running {
	readonly content: string;
	readonly purchase: Promise<Purchase>;
}

export function createBuyAnswer(deps: PurchaseDeps): BuyAnswer {
	const { service, tasks, ids, logger } = deps;
	const sell = createSell(deps);
	const running = new Map<string, Running>();

	/** Undefined for an anonymous caller, and for one the pipeline will refuse after it has judged the input. */
	const findOwner = async (exchange: Exchange): Promise<string | undefined> => {
		const credential = exchange.credential();
		if (!credential) return undefined;
		return service.identify(credential).then(
			(caller) => caller.owner,
			(error: unknown) => {
				if (error instanceof ServiceError && error.code === "UNAUTHENTICATED") return undefined;
				throw error;
			},
		);
	};

	/** Only what was paid for is kept: storage costs the one who fills it. */
	const keepPaid = async (owner: string, task: Task, { requestId }: Exchange) => {
		if (!isPaid(task)) return;
		try {
			await tasks.keep(owner, task);
		} catch (error) {
			// The answer is paid for, so it is delivered; sent again, the message finds its receipt.
			logger?.error("a paid task could not be kept", { requestId, error: stackOf(error) });
		}
	};

	const buyOrFind = async (offered: Offered, owner: string): Promise<Purchase> => {
		const earlier = await tasks.find(owner, offered.taskId);
		if (earlier) {
			const [sent] = earlier.history;
			assertSameContent(sent && contentOf(sent), contentOf(offered.message));
			return { task: toRepeatedTask(earlier), isRepeated: true };
		}
		const task = await sell(offered, { canFail: true });
		await keepPaid(owner, task, offered.exchange);
		return { task, isRepeated: false };
	};

	const buyOnce = async (offered: Offered, owner: string): Promise<Purchase> => {
		const content = contentOf(offered.message);
		const twin = running.get(offered.taskId);
		if (twin) {
			assertSameContent(twin.content, content);
			return { task: toRepeatedTask((await twin.purchase).task), isRepeated: true };
		}
		const purchase = buyOrFind(offered, owner);
		running.set(offered.taskId, { content, purchase });
		return purchase.finally(() => running.delete(offered.taskId));
	};

	return async (message, exchange) => {
		const request = toSkillRequest(message);
		if (message.taskId) throw await refuseFollowUp(tasks, message.taskId, exchange);
		const owner = await findOwner(exchange);
		if (owner !== undefined) {
			const taskId = taskIdOf(owner, message.messageId);
			return buyOnce({ taskId, message, request, exchange }, owner);
		}
		// Nobody can ask for an anonymous caller's task again, so it is not kept.
		const task = await sell(
			{ taskId: ids.next("task"), message, request, exchange },
			{ canFail: false },
		);
		return { task, isRepeated: false };
	};
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
	taskId: string,
	exchange: Exchange,
): Promise<Error> {
	const task = await tasks.find(await exchange.owner(), taskId);
	if (!task) return new TaskNotFoundError("No task of yours has this id; leave out taskId.");
	return new UnsupportedOperationError(
		"This task is finished; leave out taskId to start another one in the same context.",
	);
}
