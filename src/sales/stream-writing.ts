import {
	type Call,
	keepsText,
	LIMITS,
	type PlainEvent,
	STREAM_LIMITS,
} from "../contract/contract.js";
import { toServiceError } from "../http/http.js";
import { type Clock, toIsoTime, withinCall } from "../kernel/kernel.js";
import type { BegunStream } from "./invoke-stream.js";
import type { KeptStreams } from "./stored-streams.js";
import type { FollowedStream, StreamRecord } from "./stream-record.js";
import type { RunningStream } from "./stream-rows.js";
import { tooLong } from "./stream-slots.js";

/** Writes what streams give, to their ends. */
export type StreamWriting = ReturnType<typeof createStreamWriting>;

export function createStreamWriting({
	kept,
	clock,
}: {
	readonly kept: Pick<KeptStreams, "keep">;
	readonly clock: Clock;
}) {
	const writing = new Set<Promise<void>>();
	return {
		/** Lets it be written and followed. */
		begin(
			call: Pick<Call, "operationId" | "requestId">,
			begun: Pick<BegunStream, "events" | "hasEvidence" | "cost">,
			{
				running,
				forget,
				endWork,
			}: { readonly running: RunningStream; readonly forget: () => void; endWork(): void },
		): FollowedStream {
			const { record } = running;
			record.add(toCreated(running, call, { clock, begun }));
			const scope = { id: call.requestId, operationId: call.operationId };
			const written = withinCall(scope, () => write({ kept, call, begun, running })).finally(() => {
				endWork();
				forget();
				writing.delete(written);
			});
			writing.add(written);
			return record;
		},

		/** Resolves once nothing is written any more. */
		stop: async (): Promise<void> => void (await Promise.all(writing)),
	};
}

/** Why work ends that its process does not finish. */
export const CANCELLED = new Error("The service is stopping.");

/** Persists what the work gives, whether or not anyone listens; the last event leaves once all of it can be read again. */
async function write({
	kept,
	call,
	begun,
	running,
}: {
	readonly kept: Pick<KeptStreams, "keep">;
	readonly call: Pick<Call, "requestId">;
	readonly begun: Pick<BegunStream, "events" | "hasEvidence" | "cost">;
	readonly running: RunningStream;
}): Promise<void> {
	const { record } = running;
	const last = await writeEvents(record, begun, call.requestId);
	record.add({ event: "research.usage", data: { cost: begun.cost } });
	// What is cut off with its process is not kept: its work begins again for anyone who comes back. The credit for what had settled is stated once, to anyone who paid.
	if (begun.hasEvidence && last.event !== "research.cancelled")
		await kept.keep(running, [...record.events, last]);
	record.add(last);
	record.end();
}

/** Resolves to the one event that says how the work ended. */
async function writeEvents(
	record: StreamRecord,
	{ events, hasEvidence }: Pick<BegunStream, "events" | "hasEvidence">,
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
	{ record: { id: streamId }, payer }: RunningStream,
	{ operationId, requestId }: Pick<Call, "operationId" | "requestId">,
	{ clock, begun: { hasEvidence } }: { clock: Clock; begun: Pick<BegunStream, "hasEvidence"> },
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
