import { createHash } from "node:crypto";
import {
	type ListTasksRequest,
	type ListTasksResponse,
	Task,
	TaskState,
	taskStateToJSON,
} from "@a2a-js/sdk";
import { RequestMalformedError } from "@a2a-js/sdk/errors";
import type { ServerCallContext } from "@a2a-js/sdk/server";
import type { StoreReader, TaskRow } from "../../store/store.js";
import {
	type Caller,
	grantIdOf,
	isTheirs,
	isWallet,
	LIMITS,
	maySeeAgain,
	pushDocument,
	taskDocument,
} from "../contract/contract.js";
import type { JobView, JobViews } from "../jobs/jobs.js";
import { toIsoTime } from "../kernel/kernel.js";
import {
	agentMessage,
	jobIdOf,
	ownContextOf,
	taskStateOf,
	toJobTask,
	withoutText,
} from "./a2a-task.js";
import { type A2aServices, exchangeOf } from "./exchange.js";
import { createUnpaidTasks, type UnpaidTasks } from "./task-memory.js";

/**
 * Tasks that survive a restart: where they stand in the table, their text in one document each.
 * Both are forgotten LIMITS.artifactTtlMs after the last change; with a job behind them, when its report is. Such a task is
 * read as its job stands, and is gone with it. What no one paid for is held in memory, and read in the same way.
 */
export type TaskArchive = ReturnType<typeof createTaskArchive>;

export function createTaskArchive(services: Omit<TaskRecordsDeps, "unpaid">) {
	const { store, clock } = services;
	const unpaid = createUnpaidTasks(clock);
	const deps = { ...services, unpaid };
	const records = createTaskRecords(deps);
	const lookups = createTaskLookups(deps, records);

	/** Resolves when the task survives a power cut; without its text for an account that agreed on zero retention. */
	const keep = async (caller: Caller, task: Task) => {
		await records.put(holderOf(caller), task, reportedTo(caller, task));
		unpaid.forget(task.id);
	};

	return {
		...lookups,
		keep,
		/** Holds a finished task in memory, where its caller can read it for LIMITS.waitingTaskTtlMs, or until room is short. */
		remember(caller: Caller, task: Task): void {
			unpaid.keep(toRow(holderOf(caller), task, clock.now()), reportedTo(caller, task));
		},
		async save(task: Task, context: ServerCallContext) {
			await keep(await exchangeOf(context).caller(), task);
		},
		/** Persists where a task with this job behind it stands. */
		async settle({ jobId, owner }: { readonly jobId: string; readonly owner: string }) {
			const rows = await store.read((reader) => reader.findBy("tasks", "owner", owner));
			for (const row of rows.filter((each) => each.jobId === jobId)) await records.settle(row);
		},
		/** Fails what a crash left unfinished and no job goes on with; call once before serving. Resolves to how many. */
		recover: () => recover(deps, records),
		/**
		 * Forgets the tasks whose time is over, whose text goes with the sweep of documents, and those whose job was deleted,
		 * text and all.
		 */
		sweep: (now: number) => sweep(deps, records, now),
	};
}

function holderOf({ owner, access }: Caller): TaskHolder {
	return { owner, grantId: grantIdOf(access) };
}

function reportedTo({ keepsNoText }: Caller, task: Task): Task {
	return keepsNoText ? withoutText(task) : task;
}

function createTaskLookups({ store, clock, unpaid }: TaskRecordsDeps, records: TaskRecords) {
	const rowOf = async (taskId: string) =>
		unpaid.findRow(taskId) ?? (await store.read((reader) => reader.get("tasks", taskId)));
	const isAlive = ({ expiresAt }: TaskRow) => expiresAt > clock.now();

	/**
	 * The caller's task, or undefined when there is none, it is someone else's, or its time is over. Tasks of an account
	 * are shown to the credential that paid for them and to those that manage the account.
	 */
	const find = async (caller: Caller, taskId: string): Promise<Task | undefined> => {
		const row = await rowOf(taskId);
		return row && isTheirs(caller, row) && isAlive(row) ? records.read(row) : undefined;
	};
	/**
	 * A task that a wallet paid for, or undefined. A wallet has no session to show here: the task's id, 80 random bits shown
	 * to no one else, is what opens it.
	 */
	const findOpen = async (taskId: string): Promise<Task | undefined> => {
		const row = await rowOf(taskId);
		return row && isWallet(row.owner) && isAlive(row) ? records.read(row) : undefined;
	};

	return {
		find,
		findOpen,
		/** A task of any owner, without its artifacts; for what is done on their behalf. */
		async read(taskId: string): Promise<Task | undefined> {
			const row = await rowOf(taskId);
			return row && records.read(row, { artifacts: false });
		},
		async load(taskId: string, context: ServerCallContext): Promise<Task | undefined> {
			return (await findOpen(taskId)) ?? find(await exchangeOf(context).caller(), taskId);
		},
		async list(request: ListTasksRequest, context: ServerCallContext): Promise<ListTasksResponse> {
			const { owner, access } = await exchangeOf(context).caller();
			const stored = await store.read((reader) => reader.findBy("tasks", "owner", owner));
			const rows = [...stored, ...unpaid.rowsOf(owner)];
			const mine = rows.filter((row) => isAlive(row) && maySeeAgain(access, row.grantId));
			const page = pageOf(await Promise.all(mine.map(records.withState)), {
				...request,
				contextId: request.contextId && digestOf(request.contextId),
			});
			const artifacts = request.includeArtifacts === true;
			const tasks = await Promise.all(page.rows.map((row) => records.read(row, { artifacts })));
			return {
				tasks: tasks
					.filter((task) => task !== undefined)
					.map((task) => (artifacts ? task : { ...task, artifacts: [] })),
				nextPageToken: page.nextPageToken,
				pageSize: page.pageSize,
				totalSize: page.totalSize,
			};
		},
	};
}

async function sweep({ store }: TaskRecordsDeps, records: TaskRecords, now: number): Promise<void> {
	const rows = await store.read((reader) => reader.list("tasks"));
	const past = rows.filter((row) => row.expiresAt <= now);
	for (const row of rows) if (await records.forgetLost(row)) past.push(row);
	if (past.length === 0) return;
	await store.transaction(
		async (tx) => {
			for (const { id } of past) await tx.delete("tasks", id);
		},
		{ durability: "deferred" },
	);
}

async function recover({ store, clock }: TaskRecordsDeps, records: TaskRecords): Promise<number> {
	const rows = await store.read((reader) => reader.list("tasks"));
	const unfinished = rows.filter((row) => !isTerminal(row));
	let interrupted = 0;
	for (const row of unfinished) {
		// What a job stands behind goes on with it, or is gone with it.
		if ((await records.settle(row)) || row.jobId !== undefined) continue;
		if (await store.read((reader) => isWorkedOn(reader, row))) continue;
		const task = (await records.read(row)) ?? toBareTask(row);
		await records.put(row, toInterrupted(task, toIsoTime(clock.now())));
		interrupted += 1;
	}
	return interrupted;
}

/** By another process, or by this one. */
async function isWorkedOn(reader: StoreReader, { processId }: TaskRow): Promise<boolean> {
	return processId !== undefined && reader.isAlive(processId);
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

/** The rows and texts of tasks of all owners. */
type TaskRecords = ReturnType<typeof createTaskRecords>;

type TaskHolder = Pick<TaskRow, "owner" | "grantId">;

type TaskRecordsDeps = Pick<A2aServices, "store" | "clock"> & {
	readonly live: LiveTasks;
	readonly unpaid: UnpaidTasks;
};

function createTaskRecords({ store, clock, live, unpaid }: TaskRecordsDeps) {
	const { documents } = store;
	const viewOf = async (jobId: string | undefined) =>
		jobId === undefined ? undefined : live.viewOf(jobId);
	return {
		/** Writes the text, then the row that points to it; durable when it resolves. */
		async put(holder: TaskHolder, task: Task, reported: Task = task): Promise<void> {
			const view = await viewOf(jobIdOf(task));
			const row = {
				...toRow(holder, task, clock.now()),
				// What no one paid for belongs to anyone who has its id, as its job does.
				...(view && { owner: view.owner, ...fromView(view) }),
			};
			// Text first: a row never points to a text that is missing.
			await documents.put(row.documentId, JSON.stringify(Task.toJSON(reported)), row.expiresAt);
			await store.transaction((tx) => tx.put("tasks", { ...row, processId: tx.processId }));
		},
		/** As its job stands; undefined for a text that is missing, and once the job is deleted. */
		async read(
			{ id, documentId }: TaskRow,
			options?: { readonly artifacts: boolean },
		): Promise<Task | undefined> {
			const held = unpaid.findTask(id);
			if (held) return held;
			const text = await documents.get(documentId);
			return text === undefined ? undefined : live.now(Task.fromJSON(JSON.parse(text)), options);
		},
		/** The row as its job stands now: until the job has ended, its own state is that of the launch. */
		async withState(row: TaskRow): Promise<TaskRow> {
			const view = isTerminal(row) ? undefined : await viewOf(row.jobId);
			return view ? { ...row, ...fromView(view) } : row;
		},
		/** Persists how the job of a row stands; false where it has none. */
		async settle({ id, documentId, jobId }: TaskRow): Promise<boolean> {
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
		/** Deletes the text of a row whose job was deleted; true where that is so. */
		async forgetLost({ id, documentId, jobId }: TaskRow): Promise<boolean> {
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
function isTerminal({ state }: TaskRow): boolean {
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

/** Ids that callers choose may hold anything; rows stay in the journal, so they only show whether two are equal. */
function digestOf(callersId: string): string {
	return createHash("sha256").update(callersId).digest("base64url").slice(0, DIGEST_CHARS);
}

const DEFAULT_PAGE_SIZE = 50;

/**
 * One page of the rows a request asks for, last changed first; its context is compared as the rows write theirs.
 * Throws RequestMalformedError for a token that is not ours.
 */
function pageOf(rows: readonly TaskRow[], request: ListTasksRequest) {
	const pageSize = request.pageSize ?? DEFAULT_PAGE_SIZE;
	const matching = rows.filter((row) => matches(row, request)).sort(byLastChange);
	const cursor = request.pageToken ? fromToken(request.pageToken) : undefined;
	const left = cursor ? matching.filter((row) => byLastChange(cursor, row) < 0) : matching;
	const page = left.slice(0, pageSize);
	const last = page.at(-1);
	return {
		rows: page,
		/** Empty on the last page. */
		nextPageToken: last && left.length > page.length ? toToken(last) : "",
		pageSize,
		/** Rows that match, on all pages. */
		totalSize: matching.length,
	};
}

function matches(
	row: TaskRow,
	{ contextId, status, statusTimestampAfter }: ListTasksRequest,
): boolean {
	if (contextId && row.contextId !== contextId) return false;
	if (status !== TaskState.TASK_STATE_UNSPECIFIED && row.state !== taskStateToJSON(status)) {
		return false;
	}
	return !statusTimestampAfter || row.updatedAt >= Date.parse(statusTimestampAfter);
}

type Position = Pick<TaskRow, "id" | "updatedAt">;

function byLastChange(a: Position, b: Position): number {
	if (a.updatedAt !== b.updatedAt) return b.updatedAt - a.updatedAt;
	if (a.id === b.id) return 0;
	return a.id < b.id ? 1 : -1;
}

function toToken({ id, updatedAt }: Position): string {
	return Buffer.from(`${updatedAt}|${id}`).toString("base64url");
}

function fromToken(token: string): Position {
	const match = /^(\d{1,15})\|(.+)$/.exec(Buffer.from(token, "base64url").toString());
	if (!match?.[1] || !match[2]) {
		throw new RequestMalformedError("The page token is not one this server has given.");
	}
	return { updatedAt: Number(match[1]), id: match[2] };
}

/** Tasks as their jobs stand: what is kept of a task states who asked what, its job states the rest. */
export type LiveTasks = ReturnType<typeof createLiveTasks>;

/** Without jobs every task stays as it is. */
export function createLiveTasks(jobs: JobViews | undefined) {
	const viewOf = async (jobId: string) => jobs?.find(jobId);
	return {
		viewOf,
		/** Undefined once the job is deleted; a task without a job stays as it is. */
		async now(
			task: Task,
			{ artifacts = true }: { readonly artifacts?: boolean } = {},
		): Promise<Task | undefined> {
			const jobId = jobIdOf(task);
			if (jobId === undefined || !jobs) return task;
			const view = await viewOf(jobId);
			if (!view) return undefined;
			const isOver = view.job.ended_at !== null;
			return toJobTask(task, view, isOver && artifacts ? await jobs.reportOf(jobId) : undefined);
		},
	};
}
