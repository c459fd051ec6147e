import { fingerprintOf } from "../../payments/payments.js";
import {
	type Call,
	type Caller,
	keepsText,
	LIMITS,
	type PaidOperationId,
	type PlainEvent,
	parseInput,
	type SkillCatalog,
	STREAM_LIMITS,
} from "../contract/contract.js";
import { toServiceError } from "../http/http.js";
import {
	type Clock,
	type Ids,
	notFound,
	ServiceError,
	toIsoTime,
	unavailable,
	withinCall,
} from "../kernel/kernel.js";
import type { Settled } from "./invoke.js";
import type { BegunStream, InvokeStream } from "./invoke-stream.js";
import { type KeptStreams, type RunningStream, toStreamName } from "./stored-streams.js";
import { createStreamRecord, type FollowedStream, type StreamRecord } from "./stream-record.js";

/** A stream that was sold, and what is reported to its caller of the money. */
export interface SoldStream extends Settled {
	readonly stream: FollowedStream;
}

/** Which earlier stream somebody wants to go on with: the one of an id, else their latest of this input and retry key. */
export interface ResumeRequest {
	readonly operationId: PaidOperationId;
	readonly rawInput: unknown;
	readonly idempotencyKey: string | undefined;
	readonly streamId: string | undefined;
}

export type SoldStreams = ReturnType<typeof createSoldStreams>;

/** Streams outlive their connections: paid for once, worked for to the end, read again for a while by anyone who paid. */
export function createSoldStreams(deps: {
	readonly invokeStream: InvokeStream;
	readonly skills: SkillCatalog;
	readonly kept: KeptStreams;
	readonly ids: Ids;
	readonly clock: Clock;
}) {
	const { invokeStream, kept, ids, clock } = deps;
	const slots = createStreamSlots(clock);
	const writing = new Set<Promise<void>>();

	const persist = (call: Call, begun: BegunStream, endWork: () => void): FollowedStream => {
		const { payer, fingerprint, hasEvidence } = begun;
		const { operationId, idempotencyKey } = call;
		const record = createStreamRecord(ids.next("str"));
		const name = payer ? toStreamName(payer, { fingerprint, idempotencyKey }) : record.id;
		const running = { record, operationId, payer, name };
		const forget = hasEvidence ? kept.begin(running) : () => undefined;
		record.add(toCreated(record.id, call, { clock, begun }));
		const scope = { id: call.requestId, operationId: call.operationId };
		const written = withinCall(scope, () => write({ kept, call, begun, running })).finally(() => {
			endWork();
			forget();
			writing.delete(written);
		});
		writing.add(written);
		return record;
	};

	return {
		/** Sells and begins one; a paid call that is sent again under its retry key gets the stream it began. */
		async open(call: Call): Promise<SoldStream> {
			const { operationId } = call;
			let slot: StreamSlot | undefined;
			const end = () => slot?.end();
			const result = await invokeStream(call, {
				begin: (payer) => {
					slot = slots.take(payer?.owner ?? "");
					return slot.signal;
				},
				recall: ({ payer, ...named }) =>
					kept.find(payer, { operationId, name: toStreamName(payer, named) }),
			}).catch((error: unknown) => {
				end();
				slot?.abort(error);
				throw error;
			});
			if (result.kind === "begun") return { ...result, stream: persist(call, result, end) };
			return result;
		},

		/** Charges nothing. Throws NOT_FOUND alike for what is not there, is somebody else's, or is over. */
		async resume(caller: Caller, request: ResumeRequest): Promise<FollowedStream> {
			const { operationId, rawInput, streamId, idempotencyKey } = request;
			const nameOf = () => {
				const input = parseInput(deps.skills[operationId].input, rawInput);
				const fingerprint = fingerprintOf(operationId, input);
				return toStreamName(caller, { fingerprint, idempotencyKey });
			};
			const wanted = streamId === undefined ? { name: nameOf() } : { id: streamId };
			const stream = await kept.find(caller, { operationId, ...wanted });
			if (stream) return stream;
			throw notFound(
				"There is no stream of yours to go on with; a wallet names it with stream_id. Without Last-Event-ID and after a new one begins, and is paid for.",
			);
		},

		/** Ends all work with `research.cancelled`; resolves once what was given is persisted. */
		async stop(): Promise<void> {
			slots.abortAll(CANCELLED);
			await Promise.all(writing);
		},
	};
}

const CANCELLED = new Error("The service is stopping.");

/** Persists what the work gives, whether or not anyone listens; the last event leaves once all of it can be read again. */
async function write({
	kept,
	call,
	begun,
	running,
}: {
	readonly kept: KeptStreams;
	readonly call: Call;
	readonly begun: BegunStream;
	readonly running: RunningStream;
}): Promise<void> {
	const { record } = running;
	const last = await writeEvents(record, begun, call.requestId);
	record.add({ event: "research.usage", data: { cost: begun.cost } });
	// The credit for what had settled is stated once, to anyone who paid.
	if (begun.hasEvidence) await kept.keep(running, [...record.events, last]);
	record.add(last);
	record.end();
}

/** Resolves to the one event that says how the work ended. */
async function writeEvents(
	record: StreamRecord,
	{ events, hasEvidence }: BegunStream,
	requestId: string,
): Promise<PlainEvent> {
	const { id: stream_id } = record;
	try {
		for await (const { event, data } of events) {
			if (record.events.length >= STREAM_LIMITS.eventsMax) throw tooLong();
			record.add({ event, data });
		}
		const why = hasEvidence
			? {}
			: { reason: "The curated graphs hold no evidence on this; nothing was charged." };
		return { event: "research.completed", data: { stream_id, is_answered: hasEvidence, ...why } };
	} catch (error) {
		if (error === CANCELLED) return { event: "research.cancelled", data: { stream_id } };
		const { code, message, retryable } = toServiceError(error);
		const failure = { code, message, retryable, request_id: requestId };
		return { event: "research.failed", data: { stream_id, error: failure } };
	}
}

function toCreated(
	streamId: string,
	{ operationId, requestId }: Call,
	{ clock, begun: { payer, hasEvidence } }: { clock: Clock; begun: BegunStream },
): PlainEvent {
	const isKept = hasEvidence && payer && keepsText(payer);
	const now = clock.now();
	return {
		event: "research.created",
		data: {
			stream_id: streamId,
			request_id: requestId,
			operation: operationId,
			created_at: toIsoTime(now),
			kept_until: isKept ? toIsoTime(now + LIMITS.artifactTtlMs) : null,
		},
	};
}

/** A place for the work of one stream. */
interface StreamSlot {
	/** Aborted by `abort`, by the end of everything, or when the work takes too long. */
	readonly signal: AbortSignal;
	abort(reason: unknown): void;
	/** Frees the place; harmless when called again. */
	end(): void;
}

/** Places for work whose end is not its caller's: so many in all, and of each owner. */
function createStreamSlots(clock: Clock) {
	/** Whose each is. */
	const works = new Map<AbortController, string>();
	return {
		/** Throws UNAVAILABLE when there is no place, RATE_LIMITED when this owner has too many. */
		take(owner: string): StreamSlot {
			if (works.size >= STREAM_LIMITS.runningMax)
				throw unavailable(
					`${STREAM_LIMITS.runningMax} streams are being written already; send the same request again in a moment. Nothing was charged.`,
					{ retryAfterSeconds: LIMITS.retryAfterSeconds },
				);
			const own = [...works.values()].filter((other) => other === owner).length;
			if (own >= STREAM_LIMITS.ownerRunningMax)
				throw new ServiceError(
					"RATE_LIMITED",
					`${STREAM_LIMITS.ownerRunningMax} streams of yours are being written already; send the same request again when one of them has ended. Nothing was charged.`,
					{ retryAfterSeconds: LIMITS.retryAfterSeconds },
				);
			const work = new AbortController();
			works.set(work, owner);
			const cancelTimer = clock.after(STREAM_LIMITS.workMs, () => work.abort(tooLong()));
			return {
				signal: work.signal,
				abort: (reason) => work.abort(reason),
				end() {
					cancelTimer();
					works.delete(work);
				},
			};
		},

		abortAll(reason: unknown): void {
			for (const work of works.keys()) work.abort(reason);
		},
	};
}

function tooLong(): ServiceError {
	return unavailable(
		"The stream took longer, or became longer, than one may; send the same request again later.",
	);
}
