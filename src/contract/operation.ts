import type { z } from "zod";
import type { ServedDocument } from "./artifacts.js";
import type { Caller } from "./call.js";
import type { Credential, Payment, SentHeaders } from "./credential.js";
import type {
	FreeOperationId,
	OperationAddress,
	OperationId,
	OwnerOperationId,
	PaidOperationId,
	PurchaseOperationId,
} from "./operations.js";
import type { BillingType } from "./prices.js";
import type { Services, SkillServices } from "./services.js";
import type { Skill } from "./skill.js";

/** One request before its schemas have seen it. */
export interface RawRequest {
	readonly params: unknown;
	readonly query: unknown;
	/** An object without fields where none was sent; undefined where none is read. */
	readonly body: unknown;
	readonly headers: SentHeaders;
	/** IP address of the caller, or its network; see toCallerAddress. */
	readonly address: string;
	/** Aborted when the caller leaves or the time is over. */
	readonly signal: AbortSignal;
}

/** One request of somebody known, its credential found valid. */
export interface OwnerRequest extends RawRequest {
	/** Anonymous where the operation opens by an id alone and no credential was shown. */
	readonly caller: Caller;
	readonly credential: Credential | undefined;
}

/** One order of balance, and what pays for it. */
export interface PurchaseRequest extends RawRequest {
	readonly credential: Credential | undefined;
	readonly payment: Payment | undefined;
	readonly idempotencyKey: string | undefined;
	readonly resourceUrl: string;
}

/** What a purchase answers: its data, and the headers that carry the receipt. */
export interface PurchaseReply {
	readonly data: object;
	readonly headers: Readonly<Record<string, string>>;
	/** Called once the answer has left. */
	readonly onDelivered?: () => void;
	/** Called when the caller left before the answer did. */
	readonly onAbandoned?: () => void;
}

export type Fields = z.ZodObject;
export type ParsedFields<P extends Fields, Q extends Fields, B extends Fields> = {
	readonly params: z.output<P>;
	readonly query: z.output<Q>;
	readonly body: z.output<B>;
};

/** What every operation says of itself; every transport, document and list reads it. */
export interface OperationText {
	/** Names the operation in ledgers, scopes, price books and documents, e.g. "graphs.search". */
	readonly id: OperationId;
	readonly method: OperationAddress["method"];
	/** Where it answers; `{name}` is a parameter. */
	readonly path: string;
	readonly summary: string;
	readonly description: string;
}

/**
 * An example that works as it stands; tests hold it against the schemas. What it is answered is generated from the sample catalog
 * (docs/examples.ts), and written by hand only where the sample cannot answer.
 */
export interface RequestExample {
	readonly params?: Readonly<Record<string, string>>;
	readonly query?: Readonly<Record<string, string>>;
	readonly body?: Readonly<Record<string, unknown>>;
}

export interface RequestSchemas {
	readonly params: Fields;
	readonly query: Fields;
	/** Absent for operations that take none; a body sent to them is not read. */
	readonly body?: Fields | undefined;
}

export interface PriceTerms {
	/** Decimal USD, e.g. "0.50": what a deployment charges unless its operator says otherwise. */
	readonly usd: string;
	readonly billingType: BillingType;
}

/** The default price of most operations. */
export const PER_CALL: PriceTerms = { usd: "0.50", billingType: "per_call" };

/** How agents find an operation: one name as A2A skill and MCP tool. */
export interface AgentTerms {
	readonly name: string;
	/** Older names that are still understood. */
	readonly aliases?: readonly string[];
	/** Absent for what is sold over A2A only. */
	readonly tool?: ToolTerms;
}

/** What is said of an operation where models choose among tools. */
export interface ToolTerms {
	readonly title: string;
	/** A sentence or two; what it costs is added. */
	readonly description: string;
	/** Arguments it takes of those the operation knows, each in a few words. */
	readonly fields: Readonly<Record<string, string>>;
	/** Arguments where the caller says nothing. */
	readonly defaults?: Readonly<Record<string, unknown>>;
	/** True where something begins that stays: sent twice under two retry keys it is there twice. */
	readonly begins?: true;
}

interface Accepted {
	readonly retryAfterSeconds: number;
	/** Path to poll, from the body of the reply. */
	readonly locationOf: (reply: unknown) => string;
}

/** What of a skill needs the app's services. */
export type SkillWork<Input, Output> = Pick<
	Skill<never, Input, Output>,
	"isOffered" | "prepare" | "run" | "stream" | "job"
> &
	Partial<Pick<Skill<never, Input, Output>, "graphsOf">> & {
		/** An input that is valid as it stands, for documents and probes. */
		readonly exampleInput: () => Readonly<Record<string, unknown>>;
	};

type SkillText<Input, Output> = Pick<
	Skill<never, Input, Output>,
	| "title"
	| "tags"
	| "examples"
	| "input"
	| "output"
	| "capture"
	| "hasEffects"
	| "renews"
	| "queryOf"
	| "pricedBy"
	| "toText"
> & {
	/** What it does, as stated to agents. */
	readonly about: string;
	/** As in `Skill`; how many units an input asks for may depend on what is on sale. */
	readonly units?:
		| (Omit<NonNullable<Skill<never, Input, Output>["units"]>, "countOf"> & {
				readonly countOf: (input: Input, services: SkillServices) => number;
		  })
		| undefined;
	/** Graphs the input names, for scoped tokens; `create` says so where only the catalog knows them. */
	readonly graphsOf: Skill<never, Input, Output>["graphsOf"];
};

/** An operation that is sold: whatever reaches it goes through the pipeline, so nothing runs unpaid. */
export interface PaidOperation<Input = unknown, Output = unknown>
	extends OperationText,
		RequestSchemas,
		SkillText<Input, Output> {
	readonly kind: "paid";
	readonly id: PaidOperationId;
	readonly price: PriceTerms;
	/** Prices of the dearer kinds it is sold in, by the operation id each is priced as; see `pricedBy`. */
	readonly kindPrices?: Readonly<Record<string, PriceTerms>> | undefined;
	readonly agent?: AgentTerms | undefined;
	/** It answers 202 with where to ask what became of it. */
	readonly accepted?: Accepted | undefined;
	/** Longest body over REST, where it is not the usual one: of operations over many texts. */
	readonly bodyBytes?: number | undefined;
	/** It answers with Server-Sent Events, and resumes them; its reply is their text. */
	readonly streams?: true | undefined;
	/** The whole body of the reply. */
	readonly reply: z.ZodType;
	readonly example: RequestExample & { readonly reply?: unknown };
	readonly create: (services: SkillServices) => SkillWork<Input, Output>;
}

/** What every answer in the envelope `{ok, data, meta}` has in common. */
export interface EnvelopeOperation extends OperationText, RequestSchemas {
	/** Lists carry `meta.next_cursor`: that of the answer, else null. */
	readonly isList: boolean;
	/** How often one address may ask; absent where it does not matter. */
	readonly callsPerMinute?: number | undefined;
	/** Schema of `data`. */
	readonly data: z.ZodType;
	readonly example: RequestExample & { readonly data?: unknown };
}

/** A free operation that answers with the envelope. */
export interface DataOperation extends EnvelopeOperation {
	readonly kind: "data";
	readonly id: FreeOperationId;
	/** How long a reply may be kept: "catalog" with an ETag and a short life, "live" and "secret" not at all. */
	readonly freshness: "catalog" | "live" | "secret";
	/** The operator may offer it to no one; it answers 403 then. */
	readonly mayBeClosed?: true | undefined;
	readonly create: (services: Services) => (request: RawRequest) => object | Promise<object>;
	/** Answers a browser whose form was sent, in place of the envelope; absent where everyone gets that. */
	readonly createPage?:
		| ((services: Services) => (request: RawRequest) => Promise<ServedDocument>)
		| undefined;
}

/** An operation for somebody who shows a credential and pays nothing; the answer is for no one else. */
export interface OwnerOperation extends EnvelopeOperation {
	readonly kind: "owner";
	readonly id: OwnerOperationId;
	/** The only kind of credential it takes; any kind where absent. "account" is whatever opens an account. */
	readonly scheme?: "spt" | "account" | undefined;
	/** What a wallet paid for has no session to belong to: its unguessable id opens it, and no credential is asked for. */
	readonly opensById?: boolean | undefined;
	/** The contract names no credential for it: one that is shown is used, and none is asked for. */
	readonly isOpen?: boolean | undefined;
	/** Status of the answer; 200 where absent. */
	readonly status?: 200 | 201 | 202 | undefined;
	/** How long it may take; as long as any other request where absent. */
	readonly timeoutMs?: number | undefined;
	/** Its answer shows a secret once: HEAD, which drops the answer, is refused. */
	readonly showsOnce?: true | undefined;
	/** What it sends instead of the envelope; the example's data is then its text. */
	readonly sends?:
		| { readonly kind: "events" }
		| { readonly kind: "document"; readonly mediaTypes: readonly string[] }
		| undefined;
	/** Pieces of JSON text (an AsyncIterable) are sent one after the other as the data. */
	readonly create: (services: Services) => (request: OwnerRequest) => object | Promise<object>;
}

/** An operation that turns a payment on a chain into balance; the price is the amount in the body. */
export interface PurchaseOperation extends EnvelopeOperation {
	readonly kind: "purchase";
	readonly id: PurchaseOperationId;
	readonly body: Fields;
	/** The credential that must be shown beside the payment; none where absent. */
	readonly scheme?: "spt" | undefined;
	readonly status?: 200 | 201 | undefined;
	readonly create: (services: Services) => (request: PurchaseRequest) => Promise<PurchaseReply>;
}

/** A free operation that serves a document as it stands. */
export interface DocumentOperation extends OperationText, RequestSchemas {
	readonly kind: "document";
	readonly id: FreeOperationId;
	readonly body?: undefined;
	readonly mediaType: string;
	/** Name for saving, sent as Content-Disposition. */
	readonly fileName?: string | undefined;
	/** A short piece of the document; absent for binary ones. */
	readonly example: RequestExample & { readonly document?: unknown };
	readonly create: (
		services: Services,
	) => (request: RawRequest) => ServedDocument | Promise<ServedDocument>;
}

export type Operation =
	| PaidOperation
	| DataOperation
	| OwnerOperation
	| PurchaseOperation
	| DocumentOperation;
