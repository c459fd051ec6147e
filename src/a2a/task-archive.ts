import { createHash } from "node:crypto";
import { type ListTasksRequest, Task, TaskState, taskStateToJSON } from "@a2a-js/sdk";
import type { TaskStore } from "@a2a-js/sdk/server";
import type { Store, TaskRow } from "../../store/store.js";
import { grantIdOf, isWallet, maySeeAgain } from "../core/account-access.js";
import type { Caller } from "../core/call.js";
import { type Clock, toIsoTime } from "../core/clock.js";
import { LIMITS } from "../core/limits.js";
import { agentMessage, ownContextOf, withoutText } from "./answer-task.js";
import { exchangeOf } from "./exchange.js";
import { pageOf } from "./task-page.js";

/**
 * Tasks that survive a restart: where they stand in the table, their text in one document each.
 * Both are forgotten LIMITS.artefactTtlMs after the last change.
 */
export interface TaskArchive extends TaskStore {
	/**
	 * The caller's task, or undefined when there is none, it is somebody else's, or its time is over. Tasks of an account
	 * are shown to the credential that paid for them and to those that manage the account.
	 */
	find(caller: Caller, taskId: string): Promise<Task | undefined>;
	/**
	 * A task that a wallet paid for, or undefined. A wallet has no session to show here: the task's id, 80 random bits told
	 * to nobody else, is what opens it.
	 */
	findOpen(taskId: string): Promise<Task | undefined>;
	/** Resolves when the task survives a power cut; without its text for an account that agreed on zero retention. */
	keep(caller: Caller, task: Task): Promise<void>;
	/** Fails what a crash left unfinished; call once before serving. Resolves to how many. */
	recover(): Promise<number>;
	/** Forgets the tasks whose time is over; their text goes with the sweep of documents. */
	sweep(now: number): Promise<void>;
}

const TERMINAL: ReadonlySet<string> = new Set(
	[
		TaskState.TASK_STATE_COMPLETED,
		TaskState.TASK_STATE_FAILED,
		TaskState.TASK_STATE_CANCELED,
		TaskState.TASK_STATE_REJECTED,
	].map(taskStateToJSON),
);

export function createTaskArchive({ store, clock }: { store: Store; clock: Clock }): TaskArchive {
	const keepAs = async (holder: Holder, task: Task, told = task) => {
		const row = toRow(holder, task, clock.now());
		// Text first: a row never points to a text that is missing.
		await store.documents.put(row.documentId, JSON.stringify(Task.toJSON(told)), row.expiresAt);
		await store.transaction((tx) => tx.put("tasks", row));
	};
	const keep = ({ owner, access, keepsNoText }: Caller, task: Task) =>
		keepAs({ owner, grantId: grantIdOf(access) }, task, keepsNoText ? withoutText(task) : task);
	const readText = async (row: TaskRow) => {
		const text = await store.documents.get(row.documentId);
		return text === undefined ? undefined : Task.fromJSON(JSON.parse(text));
	};
	const find = async ({ owner, access }: Caller, taskId: string) => {
		const row = await store.read((reader) => reader.get("tasks", taskId));
		if (row?.owner !== owner || !maySeeAgain(access, row.grantId)) return undefined;
		return row.expiresAt > clock.now() ? readText(row) : undefined;
	};
	const findOpen = async (taskId: string) => {
		const row = await store.read((reader) => reader.get("tasks", taskId));
		return row && isWallet(row.owner) && row.expiresAt > clock.now() ? readText(row) : undefined;
	};
	const list = async ({ owner, access }: Caller, request: ListTasksRequest) => {
		const rows = await store.read((reader) => reader.findBy("tasks", "owner", owner));
		const now = clock.now();
		const page = pageOf(
			rows.filter((row) => row.expiresAt > now && maySeeAgain(access, row.grantId)),
			{ ...request, contextId: request.contextId && digestOf(request.contextId) },
		);
		const tasks = await Promise.all(page.rows.map(readText));
		return {
			tasks: tasks
				.filter((task) => task !== undefined)
				.map((task) => (request.includeArtifacts ? task : { ...task, artifacts: [] })),
			nextPageToken: page.nextPageToken,
			pageSize: page.pageSize,
			totalSize: page.totalSize,
		};
	};

	return {
		keep,
		find,
		findOpen,
		async save(task, context) {
			await keep(await exchangeOf(context).caller(), task);
		},
		async load(taskId, context) {
			return (await findOpen(taskId)) ?? find(await exchangeOf(context).caller(), taskId);
		},
		async list(request, context) {
			return list(await exchangeOf(context).caller(), request);
		},
		async recover() {
			const rows = await store.read((reader) => reader.list("tasks"));
			const unfinished = rows.filter((row) => !TERMINAL.has(row.state));
			for (const row of unfinished) {
				const task = (await readText(row)) ?? toBareTask(row);
				await keepAs(row, toInterrupted(task, toIsoTime(clock.now())));
			}
			return unfinished.length;
		},
		async sweep(now) {
			const rows = await store.read((reader) => reader.list("tasks"));
			const expired = rows.filter((row) => row.expiresAt <= now);
			if (expired.length === 0) return;
			await store.transaction(
				async (tx) => {
					for (const { id } of expired) await tx.delete("tasks", id);
				},
				{ durability: "deferred" },
			);
		},
	};
}

type Holder = Pick<TaskRow, "owner" | "grantId">;

function toRow({ owner, grantId }: Holder, task: Task, now: number): TaskRow {
	return {
		id: task.id,
		owner,
		grantId,
		contextId: digestOf(task.contextId),
		messageId: digestOf(task.history[0]?.messageId ?? ""),
		state: taskStateToJSON(task.status?.state ?? TaskState.TASK_STATE_UNSPECIFIED),
		documentId: `a2a-${task.id}`,
		updatedAt: now,
		expiresAt: now + LIMITS.artefactTtlMs,
	};
}

const DIGEST_CHARS = 22;

/** Ids that callers choose may hold anything; rows stay in the journal, so they only tell whether two are equal. */
function digestOf(callersId: string): string {
	return createHash("sha256").update(callersId).digest("base64url").slice(0, DIGEST_CHARS);
}

function toBareTask({ id }: TaskRow): Task {
	const contextId = ownContextOf(id);
	return { id, contextId, status: undefined, artifacts: [], history: [], metadata: undefined };
}

function toInterrupted(task: Task, timestamp: string): Task {
	const { id: taskId, contextId } = task;
	const text =
		"The server was restarted before this task was finished. To try again, send the message under a new messageId.";
	return {
		...task,
		status: {
			state: TaskState.TASK_STATE_FAILED,
			message: agentMessage({ taskId, contextId, text }),
			timestamp,
		},
	};
}
