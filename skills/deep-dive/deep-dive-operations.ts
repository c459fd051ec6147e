import {
	type Caller,
	isOpenJob,
	type JobJson,
	mayRead,
	maySeeAgain,
	type PageRequest,
	REPORT_MEDIA_TYPES,
	type ReportFile,
	type ReportFormat,
	readCursor,
	takePage,
} from "../../src/contract/contract.js";
import {
	createJobNotes,
	type JobCreditWire,
	type JobStatusWire,
	type Jobs,
	type JobWire,
	toJobWire,
} from "../../src/jobs/jobs.js";
import { type Clock, formatUsd, notFound } from "../../src/kernel/kernel.js";
import type { JobRow, Store } from "../../store/store.js";
import { type ReportDocument, withEnd } from "../answers/answers.js";
import { toReportDocument } from "./report-pages.js";
import type { DeepDiveReport } from "./report-wire.js";

const LIST = { list: "jobs", asked: {} } as const;

export type DeepDiveOperations = ReturnType<typeof createDeepDiveOperations>;

/** What the caller that launched a job may ask about it; others' and unknown ids throw the same NOT_FOUND. */
export function createDeepDiveOperations({ jobs, clock }: { jobs: Jobs; clock: Clock }) {
	const find = (caller: Caller, id: string) => findOwn(jobs, caller, id);
	return {
		/** Where it stands, without its report, and without a secret that is shown once. */
		glance: async (caller: Caller, id: string) => toJobWire(await find(caller, id), clock.now()),
		/** With the report once there is one, and once with the secret of what a payment on a chain got back. */
		async status(caller: Caller, id: string): Promise<JobStatusWire> {
			const row = await find(caller, id);
			return {
				...toJobWire(row, clock.now()),
				query: await queryOf(jobs, row),
				report: (await jobs.reportOf(row)) ?? null,
				credit: await creditOf(jobs, row),
			};
		},

		/** Newest first. Throws INVALID_ARGUMENT for a cursor of another list. */
		async list({ owner, access }: Caller, { limit, cursor }: PageRequest) {
			const [before] = cursor === undefined ? [] : readCursor(cursor, LIST, 1);
			const mine = (await jobs.listOf(owner)).filter(
				({ id, grantId }) => maySeeAgain(access, grantId) && (!before || id < before),
			);
			const { page, next_cursor } = takePage(mine, limit, LIST, ({ id }) => [id]);
			const now = clock.now();
			return {
				items: await Promise.all(
					page.map(async (row) => ({ ...toJobWire(row, now), query: await queryOf(jobs, row) })),
				),
				next_cursor,
			};
		},

		/** Refunds what was not begun; a job that has ended stays as it is. */
		async cancel(caller: Caller, id: string): Promise<JobWire> {
			const row = await find(caller, id);
			const ended = isOpenJob(row.state) ? await jobs.cancel(id) : row;
			return toJobWire(ended ?? row, clock.now());
		},

		/** Throws NOT_FOUND while there is no report, and when its time is over. */
		async sources(caller: Caller, id: string) {
			const row = await find(caller, id);
			const items = jobs.workOf(row.kind).sourcesOf(await getReport(jobs, row, clock.now()));
			return { job_id: id, items };
		},

		/** As `sources`. */
		export: async (caller: Caller, id: string, format: ReportFormat) =>
			getFile(jobs, await find(caller, id), { format, now: clock.now() }),

		/** As `sources`. */
		document: async (caller: Caller, id: string) =>
			getDocument(jobs, await find(caller, id), clock.now()),

		/** Throws INVALID_ARGUMENT for a job that has not ended. */
		async remove(caller: Caller, id: string) {
			await jobs.remove(await find(caller, id));
			return { job_id: id, status: "deleted" as const };
		},

		/** Everything reported after an event, as it comes; undefined when that was the last one. */
		async events(
			caller: Caller,
			id: string,
			{ after, signal }: { readonly after: number; readonly signal: AbortSignal },
		) {
			const row = await find(caller, id);
			const isOver = !isOpenJob(row.state) && after >= row.lastEventId;
			return isOver ? undefined : jobs.events(row, after, signal);
		},
	};
}

async function queryOf(jobs: Jobs, { id }: JobRow): Promise<string | null> {
	const query = (await jobs.inputOf(id))?.["query"];
	return typeof query === "string" ? query : null;
}

async function findOwn(jobs: Jobs, caller: Caller, id: string): Promise<JobRow> {
	const row = await jobs.find(id);
	if (row && mayRead(caller, row)) return row;
	throw notFound(`No job of yours is called "${id.slice(0, 80)}".`);
}

async function getReport(jobs: Jobs, row: JobRow, now: number): Promise<JobJson> {
	const report = await jobs.reportOf(row);
	if (report) return report;
	const { status, job_id: id } = toJobWire(row, now);
	const why = status === "expired" ? "its time is over" : `the job is ${status}`;
	throw notFound(`The job "${id}" has no report to read: ${why}.`);
}

async function getFile(
	jobs: Jobs,
	row: JobRow,
	{ format, now }: { readonly format: ReportFormat; readonly now: number },
): Promise<ReportFile> {
	const text = jobs.workOf(row.kind).exportOf(await getReport(jobs, row, now), format);
	return { text, mediaType: REPORT_MEDIA_TYPES[format], fileName: `${row.id}.${format}` };
}

async function getDocument(jobs: Jobs, row: JobRow, now: number): Promise<ReportDocument> {
	const report = (await getReport(jobs, row, now)) as unknown as DeepDiveReport;
	return withEnd(toReportDocument(report), row.reportExpiresAt);
}

async function creditOf(jobs: Jobs, row: JobRow): Promise<JobCreditWire | null> {
	const { id, creditTokenId, creditMicros = 0n } = row;
	if (creditTokenId === undefined) return null;
	const token = (await jobs.revealCredit(id)) ?? null;
	return {
		id: creditTokenId,
		token,
		balance_usd: formatUsd(creditMicros),
		instructions: token
			? "What the payment had settled beyond its cost is on this Shared Payment Token; keep it, it is told once."
			: 'The token was told before, or may only be told to its wallet: POST /v1/spt with "recover": true and a new payment collects what was never used.',
	};
}

export type FindEarlierQuestion = ReturnType<typeof createEarlierQuestions>;

/** What a deep dive looked into, for a follow-up question: graphs where it was confined to some. */
export function createEarlierQuestions(store: Pick<Store, "read" | "documents">) {
	const notes = createJobNotes(store.documents);
	/** Throws NOT_FOUND, alike for jobs of others and for those that are gone. */
	return async (caller: Pick<Caller, "owner" | "access">, jobId: string) => {
		const row = await store.read((reader) => reader.get("jobs", jobId));
		const input = row && mayRead(caller, row) ? await notes.readInput(jobId) : undefined;
		const { query, graphs } = input ?? {};
		if (typeof query === "string") return { query, graphs: graphs as string[] | undefined };
		throw notFound(
			`No deep dive of yours is called "${jobId.slice(0, 80)}", or its question is not kept any more.`,
		);
	};
}
