import type { DocumentStore, JobRow } from "../../store/store.js";
import { inputDocument, type JobJson, jobDocuments, workDocument } from "../contract/contract.js";
import type { JobEvent } from "./job-events.js";
import { JOB_LIMITS } from "./job-limits.js";

/** Where the work stands between two passes, and what was told until then. */
export interface Checkpoint {
	readonly done: number;
	/** Absent once the job has ended. */
	readonly state?: JobJson | undefined;
	readonly events: readonly JobEvent[];
}

/** The text of jobs: what was asked, what is kept between passes. Durable when a write resolves. */
export interface JobNotes {
	writeInput(row: JobRow, input: JobJson): Promise<void>;
	readInput(id: string): Promise<JobJson | undefined>;
	writeWork(row: JobRow, checkpoint: Checkpoint): Promise<void>;
	readWork(id: string): Promise<Checkpoint | undefined>;
	writeReport(id: string, text: string, expiresAt: number): Promise<void>;
	readReport(id: string): Promise<JobJson | undefined>;
	/** All of it. */
	forget(id: string): Promise<void>;
}

export function createJobNotes(documents: DocumentStore): JobNotes {
	const read = async <T>(name: string): Promise<T | undefined> => {
		const text = await documents.get(name);
		return text === undefined ? undefined : (JSON.parse(text) as T);
	};
	return {
		writeInput: ({ id, expiresAt }, input) =>
			documents.put(inputDocument(id), JSON.stringify(input), expiresAt),
		readInput: (id) => read(inputDocument(id)),
		writeWork: (row, checkpoint) =>
			documents.put(workDocument(row.id), JSON.stringify(checkpoint), workExpiry(row)),
		readWork: (id) => read(workDocument(id)),
		writeReport: (id, text, expiresAt) => documents.put(id, text, expiresAt),
		readReport: (id) => read(id),
		async forget(id) {
			for (const name of [id, ...jobDocuments(id)]) await documents.delete(name);
		},
	};
}

/** As long as the report can be read; while it is open, longer than it may stay so. */
function workExpiry({ createdAt, endedAt, reportExpiresAt }: JobRow): number {
	if (endedAt === undefined) return createdAt + JOB_LIMITS.lifeMs + JOB_LIMITS.reportTtlMs;
	return reportExpiresAt ?? endedAt + JOB_LIMITS.reportTtlMs;
}
