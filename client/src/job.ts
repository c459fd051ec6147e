/** A job that works when its call has ended: its events, its report, and what of its price was taken. */
import { type JobOperationId, toAddress } from "./address.js";
import { ClientError } from "./errors.js";
import { follow, type ServerEvent } from "./events.js";
import { readUsd } from "./money.js";
import { type Bought, type CallOptions, order, type Shop, toOutgoing } from "./order.js";
import { invalidReply, isRecord, recordIn } from "./reply.js";
import type { components } from "./schema.js";
import { newTrace } from "./send.js";
import { asStream } from "./stream.js";

export type JobStatus = components["schemas"]["DeepDiveStatus"];

export interface JobOptions {
	readonly signal?: AbortSignal | undefined;
}

export interface Job {
	readonly id: string;
	/** From its creation, or behind an event of which the id is known, to its end; goes on where the connection breaks. */
	events(
		options?: JobOptions & { readonly after?: string | undefined },
	): AsyncIterable<ServerEvent>;
	/** Where it stands; the report once there is one. */
	status(options?: JobOptions): Promise<JobStatus>;
	/** Waits for its end. Throws NO_REPORT where it ends without one. */
	report(options?: JobOptions): Promise<NonNullable<JobStatus["report"]>>;
	/** Ends it as soon as can be; passes that were not begun are not charged. */
	cancel(options?: JobOptions): Promise<JobStatus>;
}

/** Launches one; its price is reserved in the budget until its end says what was taken. */
export async function launchJob(
	shop: Shop,
	id: JobOperationId,
	{ input, options, idleMs }: { input: object; options: CallOptions; idleMs: number },
): Promise<Job> {
	const address = toAddress(id, input);
	const bought = await order(shop, { address, input, options, exchange: shop.transport.send });
	const { body } = bought.answer as { readonly body: unknown };
	const { job_id: jobId } = recordIn(body, "data");
	if (typeof jobId !== "string") throw invalidReply("The server launched a job without an id.");
	return openJob(shop, jobId, { idleMs, reservation: bought.reservation });
}

const OPEN_STATES: ReadonlySet<string> = new Set(["queued", "running", "cancelling"]);

/** One that was launched before, by its id. */
export function openJob(
	shop: Shop,
	id: string,
	{ idleMs, reservation }: { idleMs: number; reservation?: Bought["reservation"] },
): Job {
	const { transport } = shop;
	const ask = async (
		operation: "research.deep_dive.status" | "research.deep_dive.cancel",
		signal: AbortSignal | undefined,
	): Promise<JobStatus> => {
		const outgoing = toOutgoing(shop, toAddress(operation, { job_id: id }), { signal });
		// Cancelled twice is cancelled once.
		const { body } = await transport.send({ ...outgoing, isRepeatable: true }, newTrace());
		const job = recordIn(body, "data");
		if (typeof job["status"] !== "string") {
			throw invalidReply(`The server does not say where the job ${id} stands.`);
		}
		await correct(job);
		return job as unknown as JobStatus;
	};
	const correct = async ({ status, cost }: Readonly<Record<string, unknown>>) => {
		if (!reservation || OPEN_STATES.has(String(status)) || !isRecord(cost)) return;
		// A wallet paid at the launch; what it got back is a token of its own.
		if (shop.payer?.offer) return;
		await reservation.count(readUsd(cost["amount_usd"]) ?? reservation.counted());
	};
	const events = ({ signal, after }: JobOptions & { readonly after?: string | undefined } = {}) => {
		const outgoing = toOutgoing(shop, toAddress("research.deep_dive.events", { job_id: id }), {
			signal,
		});
		const open = async (lastId: string | undefined) => {
			const headers = {
				...outgoing.headers,
				...(lastId !== undefined && { "Last-Event-ID": lastId }),
			};
			return asStream(await transport.open({ ...outgoing, headers }, newTrace()));
		};
		return follow({ open, retry: transport.retry, idleMs, signal, lastId: after });
	};
	return {
		id,
		events,
		status: ({ signal } = {}) => ask("research.deep_dive.status", signal),
		cancel: ({ signal } = {}) => ask("research.deep_dive.cancel", signal),
		async report({ signal } = {}) {
			let job = await ask("research.deep_dive.status", signal);
			if (OPEN_STATES.has(job.status)) {
				for await (const _ of events({ signal }));
				job = await ask("research.deep_dive.status", signal);
			}
			const { report, status, stop_reason: why } = job;
			if (report) return report;
			const reason = why ? ` (${why})` : "";
			throw new ClientError("NO_REPORT", `The job ${id} is ${status}${reason} and has no report.`);
		},
	};
}
