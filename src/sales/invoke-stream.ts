import { costOf, fingerprintOf } from "../../payments/payments.js";
import type { ReceiptRow } from "../../store/store.js";
import type { Call, Caller, Skill, SkillContext, SkillEvent } from "../contract/contract.js";
import { ServiceError, unavailable } from "../kernel/kernel.js";
import type { OpenCallDeps } from "./cashier.js";
import {
	contextOf,
	type OpenedCall,
	openCall,
	refundFailed,
	type Settled,
	settleCall,
	unansweredOf,
	withoutLoss,
} from "./invoke.js";
import type { FollowedStream } from "./stream-record.js";
import type { RecordUsage } from "./usage.js";

/** A stream that is paid for: its first event is at hand, and its price was captured before it may leave. */
export interface BegunStream extends Settled {
	readonly kind: "begun";
	readonly payer: Caller | undefined;
	/** False when there was nothing to pay for: then all its events are at hand. */
	readonly hasEvidence: boolean;
	/** Hash of operation and canonical input. */
	readonly fingerprint: string;
	/** Ends when the work ends or its signal is aborted; leaving early ends the work. */
	readonly events: AsyncGenerator<SkillEvent, void, undefined>;
}

/** The call was paid for before, and what it gave then is still there: no work begins. */
export interface RecalledStream extends Settled {
	readonly kind: "recalled";
	readonly stream: FollowedStream;
}

export interface StreamWork {
	/**
	 * Takes a place for the work of a call that may begin. Its signal ends the work; until the price is captured the caller's
	 * leaving ends it as well. Throws when there is no place.
	 */
	readonly begin: (payer: Caller | undefined) => AbortSignal;
	/** What an earlier call of this payer gave for the same input and retry key, if it is still there. */
	readonly recall: (named: {
		readonly payer: Caller;
		readonly fingerprint: string;
		readonly idempotencyKey: string | undefined;
	}) => Promise<FollowedStream | undefined>;
}

export type InvokeStream = (call: Call, work: StreamWork) => Promise<BegunStream | RecalledStream>;

/**
 * Runs one call that answers piece by piece. What comes before the first evidence is kept back until the capture is
 * durable, so nothing leaves unpaid; a stream that ends or fails without evidence is not charged. From the capture on
 * the work is its own: anyone who called may leave at any time.
 */
export function createInvokeStream(
	deps: OpenCallDeps & {
		readonly recordUsage: RecordUsage;
	},
): InvokeStream {
	return async (call, work) => {
		const opened = await openCall(deps, call);
		const { skill, input, payer, admission } = opened;
		const fingerprint = fingerprintOf(skill.operationId, input);
		if (admission.kind === "replayed" && payer) {
			const { idempotencyKey } = call;
			const stream = await work.recall({ payer, fingerprint, idempotencyKey });
			if (stream)
				return { kind: "recalled", stream, ...withoutLoss(await settleCall(opened, REPLAYED)) };
		}
		const { source, signal, start } = await begin(opened, call, work).catch(
			async (error: unknown) => {
				throw admission.kind === "held" ? await refundFailed(admission, error, call) : error;
			},
		);
		const settled = await settleCall(opened, { isAnswer: start.hasEvidence }).catch(
			(error: unknown) => {
				endQuietly(source);
				throw error;
			},
		);
		deps.recordUsage({
			...{ call, skill, input },
			owner: payer?.owner ?? "anonymous",
			keepsNoText: payer?.keepsNoText,
			output: undefined,
			receiptId: settled.cost.receipt_id,
			unanswered: unansweredOf(opened, { isAnswer: start.hasEvidence }),
		});
		const events = replayThenFollow(start.events, source, signal);
		return {
			kind: "begun",
			...withoutLoss(settled),
			payer,
			hasEvidence: start.hasEvidence,
			fingerprint,
			events,
		};
	};
}

const REPLAYED = { isAnswer: true } as const;

type Source = AsyncIterator<SkillEvent>;

/**
 * The work of a stream once more that was paid for and ended with its process: nothing is charged, and where nothing is found
 * any more it fails. Ends with the signal.
 */
export async function repeatStream(
	{ skill, input }: Pick<OpenedCall, "skill" | "input">,
	{
		receipt,
		...call
	}: Pick<SkillContext, "signal" | "requestId" | "caller"> & { readonly receipt: ReceiptRow },
): Promise<Pick<BegunStream, "events" | "hasEvidence" | "cost">> {
	const { signal } = call;
	const context = { ...call, callId: receipt.holdId, isReplay: true };
	const { source, start } = await readFirst(skill, { input, context }, [signal]);
	if (!start.hasEvidence)
		throw unavailable(
			`What the stream was about is not on sale any more. It was paid for by ${receipt.id}: ask for its price back with POST /v1/refunds.`,
		);
	const events = replayThenFollow(start.events, source, signal);
	return { events, hasEvidence: true, cost: costOf(receipt, { replayed: true }) };
}

/** Begins the work and waits for its first evidence. */
async function begin(opened: OpenedCall, call: Call, work: StreamWork) {
	const signal = work.begin(opened.payer);
	const { skill, input } = opened;
	const context = contextOf(opened, { ...call, signal });
	const begun = await readFirst(skill, { input, context }, [call.signal, signal]);
	return { ...begun, signal };
}

async function readFirst(
	skill: Skill,
	{ input, context }: { readonly input: unknown; readonly context: SkillContext },
	signals: readonly AbortSignal[],
) {
	const source = startStream(skill, input, context);
	try {
		return { source, start: await readToEvidence(source, signals) };
	} catch (error) {
		endQuietly(source);
		throw error;
	}
}

function startStream(skill: Skill, input: unknown, context: SkillContext): Source {
	if (!skill.stream) {
		throw new ServiceError("INTERNAL", `The operation "${skill.operationId}" has no stream.`);
	}
	return skill.stream(input, context)[Symbol.asyncIterator]();
}

/** Everything up to the first evidence, or the whole stream when there is none. */
async function readToEvidence(source: Source, signals: readonly AbortSignal[]) {
	const events: SkillEvent[] = [];
	for (;;) {
		const next = await nextUnlessAborted(source, signals);
		if (next.done) return { events, hasEvidence: false };
		events.push(next.value);
		// Left in the same instant as the evidence came: before the capture, so nothing is charged.
		for (const signal of signals) signal.throwIfAborted();
		if (next.value.isEvidence) return { events, hasEvidence: true };
	}
}

async function* replayThenFollow(
	kept: readonly SkillEvent[],
	source: Source,
	signal: AbortSignal,
): AsyncGenerator<SkillEvent, void, undefined> {
	try {
		yield* kept;
		for (;;) {
			const next = await nextUnlessAborted(source, [signal]);
			if (next.done) return;
			yield next.value;
		}
	} finally {
		endQuietly(source);
	}
}

/** The next event, or the reason why no one waits for it any more; leaves no listener on the signals. */
async function nextUnlessAborted(
	source: Source,
	signals: readonly AbortSignal[],
): Promise<IteratorResult<SkillEvent>> {
	for (const signal of signals) signal.throwIfAborted();
	const stops: (() => void)[] = [];
	const left = new Promise<never>((_, reject) => {
		for (const signal of signals) {
			const leave = () => reject(signal.reason);
			signal.addEventListener("abort", leave, { once: true });
			stops.push(() => signal.removeEventListener("abort", leave));
		}
	});
	try {
		return await Promise.race([left, source.next()]);
	} finally {
		for (const stop of stops) stop();
	}
}

/** Signals to the work that no one listens; it may be in the middle of something, so its end is not waited for. */
function endQuietly(source: Source): void {
	void source.return?.().catch(() => undefined);
}
