import { type ListTasksRequest, type Task, TaskState } from "@a2a-js/sdk";
import type { TaskStore } from "@a2a-js/sdk/server";
import type { TaskRow } from "../../store/store.js";
import { type Caller, grantIdOf, isTheirs, isWallet, maySeeAgain } from "../contract/contract.js";
import { toIsoTime } from "../kernel/kernel.js";
import { agentMessage, ownContextOf, withoutText } from "./answer-task.js";
import { exchangeOf } from "./exchange.js";
import { pageOf } from "./task-page.js";
import {
	createTaskRecords,
	digestOf,
	isTerminal,
	type TaskRecords,
	type TaskRecordsDeps,
} from "./task-records.js";

/**
 * Tasks that survive a restart: where they stand in the table, their text in one document each.
 * Both are forgotten LIMITS.artifactTtlMs after the last change; with a job behind them, when its report is. Such a task is
 * read as its job stands, and is gone with it.
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
	/** Whoever's task it is, without its artifacts; for what is done on their behalf. */
	read(taskId: string): Promise<Task | undefined>;
	/** Resolves when the task survives a power cut; without its text for an account that agreed on zero retention. */
	keep(caller: Caller, task: Task): Promise<void>;
	/** Writes down where a task with this job behind it stands. */
	settle(ended: { readonly jobId: string; readonly owner: string }): Promise<void>;
	/** Fails what a crash left unfinished and no job goes on with; call once before serving. Resolves to how many. */
	recover(): Promise<number>;
	/**
	 * Forgets the tasks whose time is over, whose text goes with the sweep of documents, and those whose job was deleted, text
	 * and all.
	 */
	sweep(now: number): Promise<void>;
}

export function createTaskArchive(deps: TaskRecordsDeps): TaskArchive {
	const { store, clock } = deps;
	const records = createTaskRecords(deps);
	const rowOf = (taskId: string) => store.read((reader) => reader.get("tasks", taskId));
	const rowsOf = (owner: string) => store.read((reader) => reader.findBy("tasks", "owner", owner));
	const isAlive = ({ expiresAt }: TaskRow) => expiresAt > clock.now();

	const keep = ({ owner, access, keepsNoText }: Caller, task: Task) =>
		records.put(
			{ owner, grantId: grantIdOf(access) },
			task,
			keepsNoText ? withoutText(task) : task,
		);
	const find = async (caller: Caller, taskId: string) => {
		const row = await rowOf(taskId);
		return row && isTheirs(caller, row) && isAlive(row) ? records.read(row) : undefined;
	};
	const findOpen = async (taskId: string) => {
		const row = await rowOf(taskId);
		return row && isWallet(row.owner) && isAlive(row) ? records.read(row) : undefined;
	};
	const list = async ({ owner, access }: Caller, request: ListTasksRequest) => {
		const mine = (await rowsOf(owner)).filter(
			(row) => isAlive(row) && maySeeAgain(access, row.grantId),
		);
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
	};

	return {
		keep,
		find,
		findOpen,
		async read(taskId) {
			const row = await rowOf(taskId);
			return row && records.read(row, { artifacts: false });
		},
		async save(task, context) {
			await keep(await exchangeOf(context).caller(), task);
		},
		async load(taskId, context) {
			return (await findOpen(taskId)) ?? find(await exchangeOf(context).caller(), taskId);
		},
		async list(request, context) {
			return list(await exchangeOf(context).caller(), request);
		},
		async settle({ jobId, owner }) {
			const rows = await rowsOf(owner);
			for (const row of rows.filter((each) => each.jobId === jobId)) await records.settle(row);
		},
		recover: () => recover(deps, records),
		sweep: (now) => sweep(deps, records, now),
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
		const task = (await records.read(row)) ?? toBareTask(row);
		await records.put(row, toInterrupted(task, toIsoTime(clock.now())));
		interrupted += 1;
	}
	return interrupted;
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
