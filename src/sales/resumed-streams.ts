import { fingerprintOf } from "../../payments/payments.js";
import {
	type Caller,
	LIMITS,
	type PaidOperationId,
	parseInput,
	type SkillCatalog,
} from "../contract/contract.js";
import { type Ids, notFound, unavailable } from "../kernel/kernel.js";
import type { InterruptedStream, InterruptedStreams } from "./interrupted-streams.js";
import { repeatStream } from "./invoke-stream.js";
import type { KeptStreams } from "./stored-streams.js";
import { createStreamRecord, type FollowedStream } from "./stream-record.js";
import { type KeptFor, toKeptFor, toStreamName } from "./stream-rows.js";
import type { createStreamSlots } from "./stream-slots.js";
import { CANCELLED, type StreamWriting } from "./stream-writing.js";

/** Which earlier stream somebody wants to go on with: the one of an id, else their latest of this input and retry key. */
export interface ResumeRequest {
	readonly operationId: PaidOperationId;
	readonly rawInput: unknown;
	readonly idempotencyKey: string | undefined;
	readonly streamId: string | undefined;
	readonly requestId: string;
}

/** Going on with streams that were paid for: with the same one, or, where its process ended, with its work done again. */
export function createStreamResumption({
	skills,
	kept,
	interrupted,
	ids,
	slots,
	writing,
}: {
	readonly skills: SkillCatalog;
	readonly kept: KeptStreams;
	readonly interrupted: InterruptedStreams;
	readonly ids: Ids;
	readonly slots: ReturnType<typeof createStreamSlots>;
	readonly writing: StreamWriting;
}) {
	/** Does the work again of one that ended with its process; undefined where another process was faster. */
	const beginAgain = async (
		caller: Caller,
		{ operationId, requestId }: ResumeRequest,
		{
			input,
			name,
			...found
		}: InterruptedStream & { readonly input: unknown; readonly name: string },
	): Promise<FollowedStream | undefined> => {
		const { row, receipt } = found;
		const { owner } = row;
		const slot = slots.take(owner);
		try {
			const payer: Caller = caller.owner === owner ? caller : { owner, rail: receipt.rail };
			const work = { signal: slot.signal, requestId, caller: payer, receipt };
			const begun = await repeatStream({ skill: skills[operationId], input }, work);
			const generation = (row.generation ?? 0) + 1;
			const record = createStreamRecord(ids.next("str"), [], generation);
			const running = { record, operationId, payer, name, receiptId: receipt.id };
			if (!(await interrupted.takeUp(found, running))) throw ANOTHER_WAS_FASTER;
			const { forget } = kept.begin(running, Promise.resolve());
			return writing.begin({ operationId, requestId }, begun, {
				running,
				forget,
				endWork: slot.end,
			});
		} catch (error) {
			slot.end();
			slot.abort(error);
			return undefinedWhereFaster(error);
		}
	};

	return {
		/**
		 * Charges nothing. Where the work begins again because its process had ended, it is another stream, whose events have higher
		 * ids. Throws NOT_FOUND alike for what is not there, is somebody else's, or is over.
		 */
		async resume(caller: Caller, request: ResumeRequest): Promise<FollowedStream> {
			const { operationId, rawInput, streamId, idempotencyKey } = request;
			const input = parseInput(skills[operationId].input, rawInput);
			const fingerprint = fingerprintOf(operationId, input);
			const nameFor = (owner: KeptFor) => toStreamName(owner, { fingerprint, idempotencyKey });
			const wanted =
				streamId === undefined ? { name: nameFor(toKeptFor(caller)) } : { id: streamId };
			const find = () => kept.find(caller, { operationId, ...wanted });
			const stream = await find();
			if (stream) return stream;
			const left = await interrupted.find(caller, wanted);
			// The question was not kept: the same one names it.
			const name = left?.row.name;
			if (left && name !== undefined && name === nameFor(left.row)) {
				const anew = await beginAgain(caller, request, { ...left, input, name });
				const followed = anew ?? (await find());
				if (followed) return followed;
			}
			throw notFound(
				"There is no stream of yours to go on with; a wallet names it with stream_id. Without Last-Event-ID and after a new one begins, and is paid for, unless it is sent with the Idempotency-Key of a call that was.",
			);
		},
	};
}

const ANOTHER_WAS_FASTER = new Error("Another process goes on with it.");

function undefinedWhereFaster(error: unknown): undefined {
	if (error === ANOTHER_WAS_FASTER) return undefined;
	if (error !== CANCELLED) throw error;
	throw unavailable("The service is stopping; resume the stream again in a moment.", {
		retryAfterSeconds: LIMITS.retryAfterSeconds,
	});
}
