import type { JobOpening } from "../../payments/payments.js";
import type { JobRow } from "../../store/store.js";
import { isOpenJob, type JobJson, type JobWork } from "../contract/contract.js";
import {
	invalidArgument,
	notFound,
	pause,
	ServiceError,
	tryAgain,
	unavailable,
} from "../kernel/kernel.js";
import { createJobEndings, createJobNotes, type JobServices } from "./job-endings.js";
import { createdEvent, lastEventsOf } from "./job-events.js";
import {
	type JobOrder,
	openUnpaidJob,
	readJob,
	toJobRow,
	UNPAID_OWNER,
	type UnpaidTerms,
} from "./job-rows.js";
import {
	createJobQueue,
	createJobRunner,
	type JobRunner,
	type Place,
	type RunnerServices,
} from "./job-runner.js";
import { JOB_LIMITS } from "./job-schemas.js";

/** An order on its way to become a job. */
export type JobPlace = ReturnType<Jobs["place"]>;

/** Work that outlives its call and owns its hold (docs/adr/0035). */
export type Jobs = ReturnType<typeof createJobs>;

interface Parts extends Omit<RunnerServices, "onEnded"> {
	readonly runner: JobRunner;
}

export function createJobs(deps: JobServices) {
	const { store, works } = deps;
	const queue = createJobQueue();
	const notes = createJobNotes(store.documents);
	const endings = createJobEndings({ ...deps, notes });
	const listeners = new Set<(row: JobRow) => void>();
	const onEnded = (row: JobRow) => {
		for (const listener of listeners) listener(row);
	};
	const runner = createJobRunner({ ...deps, notes, queue, endings, onEnded });
	const parts: Parts = { ...deps, queue, notes, endings, runner };
	const { cancel, retry, remove, revealCredit } = createChanging(parts);
	const workOf = (kind: string): JobWork => {
		const work = works.find((candidate) => candidate.kind === kind);
		if (work) return work;
		throw new ServiceError("INTERNAL", `Nobody works on jobs of the kind "${kind}".`);
	};
	return {
		workOf,
		/** Passes of a job of this kind. Throws INTERNAL for a kind no one works on. */
		passesOf: (kind: string, input: JobJson) => workOf(kind).passesOf(input),
		...createLaunching(parts),
		...createLooking(parts),
		cancel,
		retry,
		remove,
		revealCredit,
		/** Called with every job that ends here; a listener that throws harms no one. Returns how to stop. */
		onEnded(listener: (row: JobRow) => void) {
			listeners.add(listener);
			return () => listeners.delete(listener);
		},
		load: queue.load,
		resume: runner.resume,
		letGo: runner.letGo,
		/** Ends those jobs here that another process was asked to cancel. */
		async look() {
			const asked = await store.read((reader) => reader.findBy("jobs", "state", "cancelling"));
			for (const { id } of asked) await runner.cancel(id);
		},
		start: runner.start,
		close: runner.close,
	};
}

function createLaunching(parts: Parts) {
	const { store, clock, ids, queue, endings, runner } = parts;
	const questions = createQuestions(parts);
	/** Jobs whose rows may be there and that were not begun. */
	const unbegun = new Set<string>();
	return {
		place(order: JobOrder) {
			const id = ids.next("job");
			let place: Place | undefined;
			const reserve = () => {
				place ??= order.caller
					? queue.reserve(order.caller.owner)
					: queue.reserve(UNPAID_OWNER, JOB_LIMITS.openOfStrangers);
			};
			const opening: JobOpening = {
				id,
				reserve,
				open(tx, held) {
					unbegun.add(id);
					const opened = { ...held, now: clock.now(), processId: tx.processId };
					return tx.put("jobs", toJobRow(id, order, opened));
				},
			};
			return {
				...opening,
				/** Writes the job where there is nothing to hold, or finds the one that its retry key names. Throws IDEMPOTENCY_MISMATCH. */
				openUnpaid(terms: UnpaidTerms) {
					const reserveAndNote = () => {
						reserve();
						unbegun.add(id);
					};
					const opened = { ...terms, id, order, reserve: reserveAndNote };
					return openUnpaidJob({ store, clock }, opened);
				},
				/** Releases a place that was not taken; safe to call whatever happened. */
				leave() {
					place?.leave();
					// Its row was written and the answer was lost, or it was not: it must not wait for ever for who never learned of it.
					if (unbegun.delete(id)) runner.pushLater(id);
				},
			};
		},

		/** After its row: what it was asked is persisted, then it waits for its turn. Throws UNAVAILABLE, which says what became of it. */
		async begin(id: string, input: JobJson): Promise<void> {
			unbegun.delete(id);
			try {
				const row = await tryAgain(() => questions.write(id, input), { clock, ...TRIES });
				runner.push(row);
			} catch (cause) {
				// Undefined where it is another process's by now, which may have its question.
				const hasFailed = await endings.fail(id, "lost", 0).then(
					(row) => row !== undefined,
					() => false,
				);
				// Where it was written after all it goes on, and else it fails.
				if (!hasFailed) runner.pushLater(id);
				throw notBegun(id, hasFailed, cause);
			}
		},
		writeAgain: questions.writeAgain,
	};
}

/** What jobs are asked, as launches write it. */
function createQuestions({ store, notes }: Pick<Parts, "store" | "notes">) {
	const find = (id: string) => store.read((reader) => reader.get("jobs", id));
	return {
		async write(id: string, input: JobJson): Promise<JobRow> {
			const row = await find(id);
			if (!row) throw new Error(`The job ${id} was launched and cannot be read.`);
			await notes.writeInput(row, input);
			return row;
		},
		/** Written by the caller who asks again, where the process that launched it ended before it could. */
		async writeAgain(id: string, input: JobJson): Promise<void> {
			const row = await find(id);
			if (!row || !isOpenJob(row.state) || row.passesBegun > 0) return;
			if ((await notes.readInput(id)) !== undefined) return;
			await notes.writeInput(row, input);
			// It may have been deleted meanwhile.
			if ((await find(id)) === undefined) await notes.forget(id);
		},
	};
}

/** A database that crashed is back within seconds. */
const TRIES = { tries: 4, everyMs: 1_000 };

/** The price is released where the job cannot even begin; what had settled is stated by the job. */
function notBegun(id: string, hasFailed: boolean, cause: unknown): ServiceError {
	const message = hasFailed
		? "The job could not be written down and has failed; nothing was charged. Send the request again; what a transfer had paid is a credit, which the job states."
		: "Whether the job could be written down is not known yet: look at it by its id in a minute. It is charged only if it completes; the same request under the same key never launches another.";
	return unavailable(message, { cause, reply: { body: { job_id: id } } });
}

function createLooking({ store, clock, notes, runner }: Parts) {
	return {
		/** As it is on the disk; undefined for none. */
		find: (id: string) => readJob(store, id),

		/** Of one owner, newest first. */
		async listOf(owner: string) {
			const rows = await store.transaction((tx) => tx.findBy("jobs", "owner", owner));
			return [...rows].sort((one, other) => (one.id < other.id ? 1 : -1));
		},

		inputOf: notes.readInput,

		/** The report as long as it is kept. */
		reportOf: async ({ id, reportExpiresAt = 0 }: JobRow) =>
			reportExpiresAt > clock.now() ? notes.readReport(id) : undefined,

		/** Every event after an id, then those that follow; ends after the last one, or when the signal is aborted. */
		events(row: JobRow, after: number, signal: AbortSignal) {
			const log = runner.log(row.id);
			if (!log) return eventsOfOther(row.id, after, signal);
			if (log.listeners() >= JOB_LIMITS.eventStreamsPerJob) {
				throw new ServiceError(
					"RATE_LIMITED",
					`The events of this job are read ${JOB_LIMITS.eventStreamsPerJob} times at once already; close one of the streams first.`,
					{ retryAfterSeconds: 30 },
				);
			}
			return log.follow(after, signal);
		},
	};

	/** What is persisted of a job's events; undefined for a job that is gone. */
	async function persistedEvents(id: string) {
		const row = await store.read((reader) => reader.get("jobs", id));
		if (!row) return undefined;
		const kept = (await notes.readWork(id))?.events ?? [];
		const events = [createdEvent(row), ...kept, ...lastEventsOf(row)];
		return { events, isOpen: isOpenJob(row.state) };
	}

	/** Of a job that has ended, or that another process works on: as they are persisted, one pass after the other. */
	async function* eventsOfOther(id: string, after: number, signal: AbortSignal) {
		let last = after;
		while (!signal.aborted) {
			const found = await persistedEvents(id);
			const fresh = found?.events.filter((event) => event.id > last) ?? [];
			yield* fresh;
			last = fresh.at(-1)?.id ?? last;
			if (!found?.isOpen) return;
			// It was taken over, and here its events are known at once.
			const log = runner.log(id);
			if (log) return yield* log.follow(last, signal);
			await pause(JOB_LIMITS.lookMs, { clock, signal });
		}
	}
}

function createChanging(parts: Parts) {
	const { store, clock, notes, runner, billing } = parts;
	return {
		/** The secret of what was credited, the first time it is asked for. */
		revealCredit: (id: string) =>
			store.transaction(async (tx) => {
				const row = await tx.get("jobs", id);
				if (!row?.creditTokenId || row.creditShownAt !== undefined || !row.isProven) {
					return undefined;
				}
				const secret = await billing.reveal(tx, row.creditTokenId);
				await tx.put("jobs", { ...row, creditShownAt: clock.now() });
				return secret;
			}),

		/** Asks for its end; one that has ended stays as it is. */
		async cancel(id: string) {
			await store.transaction(async (tx) => {
				const row = await tx.get("jobs", id);
				if (row?.state !== "queued" && row?.state !== "running") return;
				await tx.put("jobs", { ...row, state: "cancelling", updatedAt: clock.now() });
			});
			await runner.cancel(id);
			return readJob(store, id);
		},

		retry: (id: string) => retryJob(parts, id),

		/** Deletes a job that has ended, with all of its text. Throws INVALID_ARGUMENT for one that is open. */
		async remove(row: JobRow) {
			if (isOpenJob(row.state)) {
				throw invalidArgument(
					"The job has not ended yet; cancel it first with POST /v1/research/deep-dive/{job_id}/cancel.",
				);
			}
			// Text first: what a crash leaves is a row that can be deleted again.
			await notes.forget(row.id);
			await store.transaction(async (tx) => {
				await tx.delete("artefacts", row.id);
				await tx.delete("jobs", row.id);
			});
			// Its events may have been persisted between the two.
			await notes.forget(row.id);
		},
	};
}

/**
 * Lets a failed job begin again, at no price: what it held was released when it failed, and its payer is not asked twice.
 * Throws NOT_FOUND, and INVALID_ARGUMENT for one that did not fail or whose input is gone.
 */
async function retryJob({ store, clock, notes, runner }: Parts, id: string): Promise<JobRow> {
	const known = (await notes.readInput(id)) !== undefined;
	const row = await store.transaction(async (tx) => {
		const failed = await tx.get("jobs", id);
		if (!failed) throw notFound(`No job is called "${id.slice(0, 80)}".`);
		if (failed.state !== "failed") {
			throw invalidArgument(`The job is ${failed.state}; only one that failed can begin again.`);
		}
		if (!known) throw invalidArgument("What the job was asked is no longer kept.");
		const queued: JobRow = {
			...failed,
			state: "queued",
			priceMicros: 0n,
			holdId: undefined,
			chargedMicros: undefined,
			stopReason: undefined,
			endedAt: undefined,
			reportExpiresAt: undefined,
			passesBegun: 0,
			passesDone: 0,
			passStarts: 0,
			ranMs: 0,
			percent: 0,
			processId: tx.processId,
			updatedAt: clock.now(),
		};
		await tx.put("jobs", queued);
		return queued;
	});
	const earlier = await notes.readWork(id);
	await notes.writeWork(row, { done: 0, events: earlier?.events ?? [] });
	runner.push(row, earlier?.events);
	return row;
}
