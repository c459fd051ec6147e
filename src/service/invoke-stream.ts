import type { Call, Caller } from "../core/call.js";
import type { Clock } from "../core/clock.js";
import { ServiceError } from "../core/errors.js";
import type { SkillEvent } from "../core/skill.js";
import { contextOf, type OpenCallDeps, type OpenedCall, openCall } from "./open-call.js";
import { giveBack, type Settled, settleCall } from "./settle-call.js";
import type { RecordUsage } from "./usage.js";

/** A stream that is paid for: its first event is at hand, and its price was captured before it may leave. */
export interface StreamResult extends Settled {
	readonly caller: Caller;
	/** Ends when the work ends or the call's signal is aborted; leaving early ends the work. */
	readonly events: AsyncGenerator<SkillEvent, void, undefined>;
}

export type InvokeStream = (call: Call) => Promise<StreamResult>;

export interface InvokeStreamDeps extends OpenCallDeps {
	readonly recordUsage: RecordUsage;
	readonly clock: Clock;
}

/**
 * Runs one call that answers piece by piece. What comes before the first evidence is kept back until the capture is
 * durable, so nothing leaves unpaid; a stream that ends or fails without evidence is not charged. From the capture on
 * the caller may leave at any time: one charge, and no work goes on for nobody.
 */
export function createInvokeStream(deps: InvokeStreamDeps): InvokeStream {
	return async (call) => {
		const opened = await openCall(deps, call);
		const source = startStream(opened, call);
		const start = await readToEvidence(source, call).catch(async (error: unknown) => {
			endQuietly(source);
			const { admission } = opened;
			throw admission.kind === "held" ? await giveBack(admission, error, call) : error;
		});
		const settled = await settleCall(opened, { isAnswer: start.hasEvidence }).catch(
			(error: unknown) => {
				endQuietly(source);
				throw error;
			},
		);
		const owner = opened.payer?.owner ?? "anonymous";
		const { skill, input } = opened;
		const receiptId = settled.cost.receipt_id;
		const keepsNoText = opened.payer?.keepsNoText;
		deps.recordUsage({ call, skill, input, owner, keepsNoText, output: undefined, receiptId });
		return {
			...settled,
			caller: { owner, rail: settled.cost.rail },
			events: replayThenFollow(start.events, source, call.signal),
		};
	};
}

type Source = AsyncIterator<SkillEvent>;

function startStream(opened: OpenedCall, call: Call): Source {
	const { skill, input } = opened;
	if (!skill.stream) {
		throw new ServiceError("INTERNAL", `The operation "${skill.operationId}" has no stream.`);
	}
	return skill.stream(input, contextOf(opened, call))[Symbol.asyncIterator]();
}

/** Everything up to the first evidence, or the whole stream when there is none. */
async function readToEvidence(source: Source, { signal }: Call) {
	const events: SkillEvent[] = [];
	for (;;) {
		const next = await nextUnlessAborted(source, signal);
		if (next.done) return { events, hasEvidence: false };
		events.push(next.value);
		// Left in the same instant as the evidence came: before the capture, so nothing is charged.
		signal.throwIfAborted();
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
			const next = await nextUnlessAborted(source, signal);
			if (next.done) return;
			yield next.value;
		}
	} finally {
		endQuietly(source);
	}
}

/** The next event, or the reason why nobody waits for it any more; leaves no listener on the signal. */
async function nextUnlessAborted(
	source: Source,
	signal: AbortSignal,
): Promise<IteratorResult<SkillEvent>> {
	signal.throwIfAborted();
	let leave = () => undefined as unknown;
	const left = new Promise<never>((_, reject) => {
		leave = () => reject(signal.reason);
		signal.addEventListener("abort", leave, { once: true });
	});
	try {
		return await Promise.race([source.next(), left]);
	} finally {
		signal.removeEventListener("abort", leave);
	}
}

/** Tells the work that nobody listens; it may be in the middle of something, so its end is not waited for. */
function endQuietly(source: Source): void {
	void source.return?.().catch(() => undefined);
}
