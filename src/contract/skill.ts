import type { z } from "zod";
import type { KeptResult } from "./artifacts.js";
import type { Caller } from "./call.js";
import type { JobJson } from "./job.js";
import type { PaidOperationId, PricedOperationId } from "./operations.js";

/** What a skill may see of the call it serves: never a price or a header. */
export interface SkillContext {
	/** Aborted when the caller is gone or the time is over. */
	readonly signal: AbortSignal;
	readonly requestId: string;
	/** Absent where no one has to show who they are. */
	readonly caller?: Caller | undefined;
	/**
	 * What the call was paid with, the same when it is sent again under its retry key: effects are keyed by it, so that
	 * what was done once is found instead of done twice.
	 */
	readonly callId: string;
	/** True when the call was paid for before, and is sent again under its retry key. */
	readonly isReplay?: boolean;
}

/** What every paid answer has: transports add request id and cost to its meta. Beside it stand the contract's `rows`, or `data`. */
export interface PaidOutput {
	readonly ok: true;
	readonly meta: Readonly<Record<string, unknown>>;
}

/** The two outcomes every skill knows: an answer captures the hold, no answer releases it. */
export type Outcome<Output> =
	| {
			readonly kind: "answer";
			readonly result: Output;
			/** Places of the units it is sold by that had an answer; all of them where absent. */
			readonly answered?: readonly number[];
			/** What its owner may read again for a while; kept once it is paid for. */
			readonly keep?: KeptResult;
			/** What is to happen once it is paid for, before it leaves; not at all for a call that was not. */
			readonly onPaid?: () => Promise<void>;
			/** What is to happen once it is known that no one pays for it now. */
			readonly onUnpaid?: () => void;
	  }
	| { readonly kind: "no-answer"; readonly result: Output };

export const answer = <Output>(
	result: Output,
	options: Omit<Extract<Outcome<Output>, { kind: "answer" }>, "kind" | "result"> = {},
): Outcome<Output> => ({ kind: "answer", result, ...options });
export const noAnswer = <Output>(result: Output): Outcome<Output> => ({
	kind: "no-answer",
	result,
});

/** When the hold of a call is captured (WIRE: who pays what, when). */
export type CaptureMoment = "onResult" | "beforeFirstEvent" | "jobOwned";

export interface PricedBy {
	readonly field: string;
	readonly as: Readonly<Record<string, PricedOperationId>>;
}

/** Which work a skill launches. */
export interface JobOffer<Input = unknown> {
	/** Names a JobWork. */
	readonly kind: string;
	/** What that work is given; throws NOT_FOUND for what it goes on from and that is not the caller's. */
	readonly inputOf: (input: Input, caller?: Caller) => JobJson | Promise<JobJson>;
	/** How it is done, where a caller can choose, e.g. "fast". */
	readonly modeOf?: (input: Input) => string;
}

/** One capability: input, context, result. No money, no transport. */
export interface Skill<
	Id extends PaidOperationId = PaidOperationId,
	Input = unknown,
	Output = unknown,
> {
	/** The operation it is sold as. */
	readonly operationId: Id;
	readonly title: string;
	readonly description: string;
	readonly tags: readonly string[];
	/** Questions in plain language, for the agent card. */
	readonly examples: readonly string[];
	/** An input that is valid as it stands, for documents and probes. */
	readonly exampleInput: Readonly<Record<string, unknown>>;
	/** False while the catalog holds nothing it could answer with: then its price is not advertised. True where absent. */
	readonly isOffered?: () => boolean;
	readonly input: z.ZodType<Input>;
	readonly output: z.ZodType<Output>;
	readonly capture: CaptureMoment;
	/** What it does stays done, read or not: the price goes back by the operator's decision only. */
	readonly hasEffects?: true | undefined;
	/** Weeks to come are paid from the credential that was shown, also beside a payment that pays for the first. */
	readonly renews?: true | undefined;
	/** The field of the input whose text belongs into the query log; undefined for skills without a query. */
	readonly queryOf: (input: Input) => string | undefined;
	/** For operations whose listed price is that of one unit: what the unit is called, and how many the input asks for. */
	readonly units?:
		| {
				readonly name: string;
				readonly countOf: (input: Input) => number;
				/** The graph that each unit names, in their order; absent where the input names graphs for all of them. */
				readonly graphsOf?: (input: Input) => readonly (string | undefined)[];
				/** The result with the answers of these units alone; for skills whose answers name the units they are of. */
				readonly keepOnly?: (output: Output, kept: readonly number[]) => Output;
		  }
		| undefined;
	/** For operations that are sold in several kinds: the field of the input that names the kind, and what each is priced as. */
	readonly pricedBy?: PricedBy | undefined;
	/** For `capture: "jobOwned"`: `run` then reports the job that was launched, whose id is its context's `callId`. */
	readonly job?: JobOffer<Input> | undefined;
	/** Graphs the input names, for scoped tokens; empty when the skill chooses them itself. */
	readonly graphsOf: (input: Input) => readonly string[];
	/** The answer for somebody who reads text only, without what it cost. */
	readonly toText?: (output: Output) => string;
	/** Existence checks before anybody pays; throws NOT_FOUND. Without a caller only the price is asked for. */
	readonly prepare?: (input: Input, caller?: Caller) => void | Promise<void>;
	readonly run: (input: Input, context: SkillContext) => Promise<Outcome<Output>>;
	/** The same work piece by piece, for skills that are sold as a stream (`capture: "beforeFirstEvent"`). */
	readonly stream?: (input: Input, context: SkillContext) => AsyncIterable<SkillEvent>;
}

/** One event of a stream. */
export interface SkillEvent {
	/** Name on the wire, e.g. `research.evidence`. */
	readonly event: string;
	readonly data: unknown;
	/** True for what is worth paying for: the price is captured before the first of them leaves. */
	readonly isEvidence?: boolean;
}

/** What each operation that is sold does. */
export type SkillCatalog = Readonly<Record<PaidOperationId, Skill>>;

/** The text of a call, for the query log: of inputs that call it query, question or topic. */
export const queryNamed = ({ query, question, topic }: Readonly<Record<string, string>>) =>
	query ?? question ?? topic;

/** The graph of a call that names one as graph_id; none otherwise, which a credential for single graphs may not pay for. */
export const graphNamed = ({ graph_id }: { readonly graph_id?: string }): readonly string[] =>
	graph_id === undefined ? [] : [graph_id];
