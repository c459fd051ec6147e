/**
 * The extension for tasks (io.modelcontextprotocol/tasks, SEP-2663): a tool that begins a job answers with a task, to a client
 * that says it can ask for one (docs/adr/0070).
 */

import {
	type CallToolResult,
	MissingRequiredClientCapabilityError,
	ProtocolError,
	type Server,
	type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { LIMITS } from "../contract/contract.js";
import { JOB_LIMITS, type JobStatusWire, type JobWire } from "../jobs/jobs.js";
import { toIsoTime } from "../kernel/kernel.js";
import type { Service } from "../service/service.js";
import { capabilitiesOf, INVALID_PARAMS } from "./envelope.js";
import type { Exchange } from "./exchange.js";
import { textOf } from "./lookup-tools.js";
import { toToolResult } from "./tool-result.js";

export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";

/** A task as its client reads it. */
export interface TaskState {
	readonly taskId: string;
	readonly status: "working" | "input_required" | "completed" | "cancelled" | "failed";
	readonly statusMessage?: string;
	readonly createdAt: string;
	readonly lastUpdatedAt: string;
	/** From its creation on. */
	readonly ttlMs: number;
	readonly pollIntervalMs: number;
}

/** Where tasks are found. Each throws NOT_FOUND for those of others, and for unknown ones. */
export interface Tasks {
	/** With `result` once it is completed. */
	get(exchange: Exchange, taskId: string): Promise<TaskState>;
	/** Takes answers to what the task asked. */
	update(exchange: Exchange, taskId: string, responses: object): Promise<void>;
	cancel(exchange: Exchange, taskId: string): Promise<void>;
}

export function declaresTasks(context: ServerContext): boolean {
	return capabilitiesOf(context).extensions?.[TASKS_EXTENSION] !== undefined;
}

/** Answers the methods of the extension, for clients that declare it. `read` turns what is thrown into the protocol's errors. */
export function registerTasks(
	server: Server,
	tasks: Tasks,
	{ exchange, read }: { readonly exchange: Exchange; read<T>(look: () => Promise<T>): Promise<T> },
): void {
	const answer = (
		method: string,
		look: (taskId: string, context: ServerContext) => Promise<TaskState | undefined>,
	) =>
		server.setRequestHandler(method, SCHEMAS, ({ taskId }, context) => {
			if (!declaresTasks(context)) throw missingExtension();
			return read(async () => ({ ...(await look(taskId, context)) }));
		});
	answer("tasks/get", (taskId) => tasks.get(exchange, taskId));
	answer("tasks/cancel", async (taskId) => {
		await tasks.cancel(exchange, taskId);
		return undefined;
	});
	answer("tasks/update", async (taskId, { mcpReq: { inputResponses = {} } }) => {
		await tasks.update(exchange, taskId, inputResponses);
		return undefined;
	});
}

const SCHEMAS = { params: z.looseObject({ taskId: z.string() }), result: z.looseObject({}) };

export function missingExtension(): MissingRequiredClientCapabilityError {
	const requiredCapabilities = { extensions: { [TASKS_EXTENSION]: {} } };
	return new MissingRequiredClientCapabilityError({ requiredCapabilities });
}

/** Jobs of this server as tasks: a task has the id of its job, and opens as that does. */
export function createJobTasks({ owner, rates }: Service): Tasks {
	const look = async (exchange: Exchange, taskId: string) => {
		const { address } = exchange;
		rates.take("research.deep_dive.status", { address, perMinute: JOB_LIMITS.pollsPerMinute });
		return owner.jobs.glance(await exchange.caller(), taskId);
	};
	return {
		async get(exchange, taskId) {
			const job = await look(exchange, taskId);
			if (job.status === "expired") {
				throw new ProtocolError(INVALID_PARAMS, `The time of the task "${taskId}" is over.`);
			}
			const task = toTask(job);
			if (task.status !== "completed") return task;
			const caller = await exchange.caller();
			const isFailed = job.status === "failed";
			const report = isFailed ? undefined : await owner.jobs.export(caller, taskId, "md");
			const text = report && textOf(report.text);
			// Last, because a credit's secret is shown once.
			const shown = await owner.jobs.status(caller, taskId);
			return { ...task, result: toResult(shown, exchange.requestId, text) };
		},
		async update(exchange, taskId) {
			// No job asks for anything: whatever is answered is answered to no question of ours.
			await look(exchange, taskId);
		},
		async cancel(exchange, taskId) {
			const { address } = exchange;
			const perMinute = LIMITS.accountChangesPerMinute;
			rates.take("research.deep_dive.cancel", { address, perMinute });
			await owner.jobs.cancel(await exchange.caller(), taskId);
		},
	};
}

/** What the tool would have answered, had it waited. */
function toResult(
	{ cost, ...job }: JobStatusWire,
	request_id: string,
	report: string | undefined,
): CallToolResult {
	const meta = { query: job.query, request_id, cost };
	const data = { ok: job.status !== "failed", data: { ...job, cost }, meta };
	return { ...toToolResult({ data, summary: report }), ...(!data.ok && { isError: true }) };
}

/** A failed job is a completed task whose result is an error: `failed` is for the protocol's own errors. */
export function toTask(job: JobWire): TaskState {
	const { job_id: taskId, created_at: createdAt, started_at, ended_at, report_expires_at } = job;
	const created = Date.parse(createdAt);
	const latest = JOB_LIMITS.lifeMs + JOB_LIMITS.reportTtlMs;
	const expires = report_expires_at === null ? created + latest : Date.parse(report_expires_at);
	return {
		taskId,
		status: STATUS[job.status],
		statusMessage: wordsOf(job),
		createdAt,
		lastUpdatedAt: ended_at ?? started_at ?? toIsoTime(created),
		ttlMs: expires - created,
		pollIntervalMs: JOB_LIMITS.pollSeconds * 1000,
	};
}

const STATUS: Readonly<Record<JobWire["status"], TaskState["status"]>> = {
	queued: "working",
	running: "working",
	cancelling: "working",
	completed: "completed",
	expired: "completed",
	failed: "completed",
	cancelled: "cancelled",
};

function wordsOf({ status, percent, pass_number, passes, cost }: JobWire): string {
	const money = cost.held ? `${cost.amount_usd} USD are held` : `${cost.amount_usd} USD were taken`;
	return `${status}, ${percent} %, round ${pass_number} of ${passes}; ${money}.`;
}
