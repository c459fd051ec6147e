import { fingerprintOf } from "../../payments/payments.js";
import {
	type Caller,
	type PaidOperationId,
	parseInput,
	type SkillCatalog,
} from "../contract/contract.js";
import { type Ids, notFound } from "../kernel/kernel.js";
import type { InterruptedStream, InterruptedStreams } from "./interrupted-streams.js";
import { repeatStream } from "./invoke-stream.js";
import type { KeptStreams } from "./stored-streams.js";
import { createStreamRecord, type FollowedStream } from "./stream-record.js";
import { type KeptFor, toKeptFor, toStreamName } from "./stream-rows.js";
import type { createStreamSlots } from "./stream-slots.js";
import type { StreamWriting } from "./stream-writing.js";

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
		{ input, ...found }: InterruptedStream & { readonly input: unknown },
	): Promise<FollowedStream | undefined> => {
		const { row, receipt } = found;
		const { owner } = row;
		const slot = slots.take(owner);
		try {
			const payer: Caller = caller.owner === owner ? caller : { owner, rail: receipt.rail };
			const work = { signal: slot.signal, requestId, caller: payer, receipt };
			const begun = await repeatStream({ skill: skills[operationId], input }, work);
			const record = createStreamRecord(ids.next("str"));
			const running = { record, operationId, payer, name: row.id, receiptId: receipt.id };
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
			if (error === ANOTHER_WAS_FASTER) return undefined;
			throw error;
		}
	};

	return {
		/**
		 * Charges nothing. `isAnew` where the work began again because its process had ended: it is another stream, to be read from
		 * its start. Throws NOT_FOUND alike for what is not there, is somebody else's, or is over.
		 */
		async resume(
			caller: Caller,
			request: ResumeRequest,
		): Promise<{ readonly stream: FollowedStream; readonly isAnew: boolean }> {
			const { operationId, rawInput, streamId, idempotencyKey } = request;
			const input = parseInput(skills[operationId].input, rawInput);
			const fingerprint = fingerprintOf(operationId, input);
			const nameFor = (owner: KeptFor) => toStreamName(owner, { fingerprint, idempotencyKey });
			const wanted =
				streamId === undefined ? { name: nameFor(toKeptFor(caller)) } : { id: streamId };
			const find = () => kept.find(caller, { operationId, ...wanted });
			const stream = await find();
			if (stream) return { stream, isAnew: streamId !== undefined && stream.id !== streamId };
			const left = await interrupted.find(caller, wanted);
			// The question was not kept: the same one names it.
			if (left && left.row.id === nameFor(left.row)) {
				const anew = (await beginAgain(caller, request, { ...left, input })) ?? (await find());
				if (anew) return { stream: anew, isAnew: true };
			}
			throw notFound(
				"There is no stream of yours to go on with; a wallet names it with stream_id. Without Last-Event-ID and after a new one begins, and is paid for.",
			);
		},
	};
}

const ANOTHER_WAS_FASTER = new Error("Another process goes on with it.");
