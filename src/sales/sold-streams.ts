import type { Call, SkillCatalog } from "../contract/contract.js";
import type { Clock, Ids } from "../kernel/kernel.js";
import type { InterruptedStreams } from "./interrupted-streams.js";
import type { Settled } from "./invoke.js";
import type { BegunStream, InvokeStream } from "./invoke-stream.js";
import { createStreamResumption } from "./resumed-streams.js";
import type { KeptStreams } from "./stored-streams.js";
import { createStreamRecord, type FollowedStream } from "./stream-record.js";
import { toKeptFor, toStreamName } from "./stream-rows.js";
import { createStreamSlots, type StreamSlot } from "./stream-slots.js";
import { CANCELLED, createStreamWriting } from "./stream-writing.js";

/** A stream that was sold, and what is reported to its caller of the money. */
export interface SoldStream extends Settled {
	readonly stream: FollowedStream;
}

export type SoldStreams = ReturnType<typeof createSoldStreams>;

/** Streams outlive their connections: paid for once, worked for to the end, read again for a while by anyone who paid. */
export function createSoldStreams(deps: {
	readonly invokeStream: InvokeStream;
	readonly skills: SkillCatalog;
	readonly kept: KeptStreams;
	readonly interrupted: InterruptedStreams;
	readonly ids: Ids;
	readonly clock: Clock;
}) {
	const { invokeStream, kept, ids, clock } = deps;
	const slots = createStreamSlots(clock);
	const writing = createStreamWriting({ kept, clock });
	const { resume } = createStreamResumption({ ...deps, slots, writing });

	const persist = async (
		call: Call,
		begun: BegunStream,
		endWork: () => void,
	): Promise<FollowedStream> => {
		const { payer, fingerprint, hasEvidence, cost } = begun;
		const { operationId, idempotencyKey } = call;
		const record = createStreamRecord(ids.next("str"));
		const name = payer
			? toStreamName(toKeptFor(payer), { fingerprint, idempotencyKey })
			: record.id;
		const running = { record, operationId, payer, name, receiptId: cost.receipt_id };
		const { forget, announcement } = hasEvidence ? kept.begin(running) : UNANNOUNCED;
		const stream = writing.begin(call, begun, { running, forget, endWork });
		// Before the first event leaves: from then on it is known wherever its reader comes back.
		await announcement;
		return stream;
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
					kept.find(payer, { operationId, name: toStreamName(toKeptFor(payer), named) }),
			}).catch((error: unknown) => {
				end();
				slot?.abort(error);
				throw error;
			});
			if (result.kind === "begun") return { ...result, stream: await persist(call, result, end) };
			return result;
		},

		resume,

		/** Ends all work with `research.cancelled`; it can be resumed at another process, or this one's next start. Resolves once all is written. */
		async stop(): Promise<void> {
			slots.abortAll(CANCELLED);
			await writing.stop();
		},
	};
}

const UNANNOUNCED = { forget: () => undefined, announcement: Promise.resolve() };
