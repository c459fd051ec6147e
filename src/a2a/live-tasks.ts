import type { Task } from "@a2a-js/sdk";
import type { JobView, JobViews } from "../jobs/jobs.js";
import { jobIdOf, toJobTask } from "./job-task.js";

/** Tasks as their jobs stand: what is kept of a task tells who asked what, its job tells the rest. */
export interface LiveTasks {
	/** Undefined once the job is deleted; a task without a job stays as it is. */
	now(task: Task, options?: { readonly artifacts?: boolean }): Promise<Task | undefined>;
	viewOf(jobId: string): Promise<JobView | undefined>;
}

/** Without jobs every task stays as it is. */
export function createLiveTasks(jobs: JobViews | undefined): LiveTasks {
	const viewOf = async (jobId: string) => jobs?.find(jobId);
	return {
		viewOf,
		async now(task, { artifacts = true } = {}) {
			const jobId = jobIdOf(task);
			if (jobId === undefined || !jobs) return task;
			const view = await viewOf(jobId);
			if (!view) return undefined;
			const isOver = view.job.ended_at !== null;
			return toJobTask(task, view, isOver && artifacts ? await jobs.reportOf(jobId) : undefined);
		},
	};
}
