import { createHash } from "node:crypto";
import { Task, TaskState, taskStateToJSON } from "@a2a-js/sdk";
import type { Store, TaskRow } from "../../store/store.js";
import { LIMITS, pushDocument, taskDocument } from "../contract/contract.js";
import type { JobView } from "../jobs/jobs.js";
import type { Clock } from "../kernel/kernel.js";
import { jobIdOf, taskStateOf } from "./job-task.js";
import type { LiveTasks } from "./live-tasks.js";

/** The rows and texts of tasks, whoever they belong to. */
export interface TaskRecords {
	/** Writes the text, then the row that points to it; durable when it resolves. */
	put(holder: TaskHolder, task: Task, told?: Task): Promise<void>;
	/** As its job stands; undefined for a text that is missing, and once the job is deleted. */
	read(row: TaskRow, options?: { readonly artifacts: boolean }): Promise<Task | undefined>;
	/** The row as its job stands now: until the job has ended, its own state is that of the launch. */
	withState(row: TaskRow): Promise<TaskRow>;
	/** Writes down how the job of a row stands; false where it has none. */
	settle(row: TaskRow): Promise<boolean>;
	/** Deletes the text of a row whose job was deleted; true where that is so. */
	forgetLost(row: TaskRow): Promise<boolean>;
}

export type TaskHolder = Pick<TaskRow, "owner" | "grantId">;

export interface TaskRecordsDeps {
	readonly store: Store;
	readonly clock: Clock;
	readonly live: LiveTasks;
}

export function createTaskRecords({ store, clock, live }: TaskRecordsDeps): TaskRecords {
	const { documents } = store;
	const viewOf = async (jobId: string | undefined) =>
		jobId === undefined ? undefined : live.viewOf(jobId);
	return {
		async put(holder, task, told = task) {
			const view = await viewOf(jobIdOf(task));
			const row = {
				...toRow(holder, task, clock.now()),
				// What nobody paid for belongs to whoever has its id, as its job does.
				...(view && { owner: view.owner, ...fromView(view) }),
			};
			// Text first: a row never points to a text that is missing.
			await documents.put(row.documentId, JSON.stringify(Task.toJSON(told)), row.expiresAt);
			await store.transaction((tx) => tx.put("tasks", row));
		},
		async read({ documentId }, options) {
			const text = await documents.get(documentId);
			return text === undefined ? undefined : live.now(Task.fromJSON(JSON.parse(text)), options);
		},
		async withState(row) {
			const view = isTerminal(row) ? undefined : await viewOf(row.jobId);
			return view ? { ...row, ...fromView(view) } : row;
		},
		async settle({ id, documentId, jobId }) {
			const view = await viewOf(jobId);
			if (!view) return false;
			const text = await documents.get(documentId);
			if (text !== undefined) await documents.put(documentId, text, view.expiresAt);
			const isThere = await store.transaction(async (tx) => {
				const row = await tx.get("tasks", id);
				if (row) await tx.put("tasks", { ...row, ...fromView(view) });
				return row !== undefined;
			});
			// Erased in between: its text must not come back.
			if (!isThere) await documents.delete(documentId);
			return true;
		},
		async forgetLost({ id, documentId, jobId }) {
			if (jobId === undefined || (await viewOf(jobId))) return false;
			for (const name of [documentId, pushDocument(id)]) await documents.delete(name);
			return true;
		},
	};
}

const TERMINAL: ReadonlySet<string> = new Set(
	[
		TaskState.TASK_STATE_COMPLETED,
		TaskState.TASK_STATE_FAILED,
		TaskState.TASK_STATE_CANCELED,
		TaskState.TASK_STATE_REJECTED,
	].map(taskStateToJSON),
);

/** True for a row whose task nothing can happen to any more. */
export function isTerminal({ state }: TaskRow): boolean {
	return TERMINAL.has(state);
}

function toRow({ owner, grantId }: TaskHolder, task: Task, now: number): TaskRow {
	const jobId = jobIdOf(task);
	return {
		id: task.id,
		owner,
		grantId,
		contextId: digestOf(task.contextId),
		messageId: digestOf(task.history[0]?.messageId ?? ""),
		state: taskStateToJSON(task.status?.state ?? TaskState.TASK_STATE_UNSPECIFIED),
		documentId: taskDocument(task.id),
		...(jobId !== undefined && { jobId }),
		updatedAt: now,
		expiresAt: now + LIMITS.artifactTtlMs,
	};
}

/** What a row takes over from its job. */
function fromView(view: JobView): Pick<TaskRow, "state" | "updatedAt" | "expiresAt"> {
	const { updatedAt, expiresAt } = view;
	return { state: taskStateToJSON(taskStateOf(view)), updatedAt, expiresAt };
}

const DIGEST_CHARS = 22;

/** Ids that callers choose may hold anything; rows stay in the journal, so they only tell whether two are equal. */
export function digestOf(callersId: string): string {
	return createHash("sha256").update(callersId).digest("base64url").slice(0, DIGEST_CHARS);
}
