import type { z } from "zod";
import type {
	Caller,
	Credential,
	FreeOperationId,
	HeaderReader,
	OwnerOperationId,
	PaidOperationId,
	PricedBy,
	PricedOperationId,
	PurchaseOperationId,
	ServedDocument,
} from "../contract/contract.js";
import type { PurchaseCall, PurchaseReply, Purchases } from "../sales/sales.js";
import type { FreeOperations, OwnerOperations } from "../service/service.js";

/** One request of a free operation before its schemas have seen it. */
export interface RawRequest {
	readonly path: unknown;
	readonly query: unknown;
	/** An object without fields where no body was sent. */
	readonly body: unknown;
	readonly header: HeaderReader;
	/** IP address of the caller, or its network; see toCallerAddress. */
	readonly address: string;
}

/** Free answers may take their time: they end with the caller. */
export interface DataRequest extends RawRequest {
	/** Aborted when the caller leaves or the time is over. */
	readonly signal: AbortSignal;
}

interface RouteText {
	readonly summary: string;
	readonly description: string;
}

interface RouteInput {
	readonly path: z.ZodObject;
	readonly query: z.ZodObject;
}

/** An example that works as it stands; the tests hold it against the schemas. */
interface RouteExample {
	readonly path?: Readonly<Record<string, string>>;
	readonly query?: Readonly<Record<string, string>>;
	readonly body?: Readonly<Record<string, unknown>>;
}

interface Accepted {
	readonly retryAfterSeconds: number;
	/** Path to poll, from the body of the reply. */
	readonly locationOf: (reply: unknown) => string;
}

/** A route that sells one skill: its handler is the pipeline and nothing beside it. */
export interface PaidRoute extends RouteText, RouteInput {
	readonly kind: "paid";
	readonly operationId: PaidOperationId;
	/** What its price is for, where that is not the call: the listed price is that of one, the body says how many. */
	readonly pricePer?: string;
	/** Its price is that of the kind that this field of the body names. */
	readonly priceBy?: PricedBy;
	/** It answers 202 with where to ask what became of it. */
	readonly accepted?: Accepted;
	/** It answers with Server-Sent Events, and resumes them; its reply is their text. */
	readonly streams?: true;
	/** Absent for GET; what path, query and body give together is the skill's input. */
	readonly body?: z.ZodObject;
	/** The whole body of the reply. */
	readonly reply: z.ZodType;
	readonly example: RouteExample & { readonly reply: unknown };
}

/** How long a reply may be kept: "catalog" with an ETag and a short life, "live" and "secret" not at all. */
type Freshness = "catalog" | "live" | "secret";

/** What every answer in the envelope `{ok, data, meta}` has in common. */
export interface EnvelopeRoute extends RouteText, RouteInput {
	/** Absent for operations that take none; a body sent to them is not read. */
	readonly body?: z.ZodObject;
	/** Lists carry `meta.next_cursor`: that of the answer, else null. */
	readonly isList: boolean;
	/** How often one address may ask; absent where it does not matter. */
	readonly callsPerMinute?: number;
	/** Schema of `data`. */
	readonly data: z.ZodType;
	readonly example: RouteExample & { readonly data: unknown };
}

/** A free route that answers with the envelope `{ok, data, meta}`. */
export interface DataRoute extends EnvelopeRoute {
	readonly kind: "data";
	readonly operationId: FreeOperationId;
	readonly freshness: Freshness;
	readonly answer: (free: FreeOperations, raw: DataRequest) => object | Promise<object>;
}

/** One request of somebody known, its credential found valid. */
export interface OwnerRequest extends DataRequest {
	/** Nobody in particular where the route opens by an id alone and no credential was shown. */
	readonly caller: Caller;
	readonly credential: Credential | undefined;
}

/** A route for somebody who shows a credential and pays nothing; the answer is for nobody else. */
export interface OwnerRoute extends EnvelopeRoute {
	readonly kind: "owner";
	readonly operationId: OwnerOperationId;
	/** The only kind of credential it takes; any kind where absent. "account" is whatever opens an account. */
	readonly scheme?: "spt" | "account";
	/** What a wallet paid for has no session to belong to: its unguessable id opens it, and no credential is asked for. */
	readonly opensById?: boolean;
	/** The contract names no credential for it: one that is shown is used, and none is asked for. */
	readonly isOpen?: boolean;
	/** Status of the answer; 200 where absent. */
	readonly status?: 200 | 201 | 202;
	/** How long it may take; as long as any other request where absent. */
	readonly timeoutMs?: number;
	/** Its answer tells a secret once: HEAD, which drops the answer, is refused. */
	readonly tellsOnce?: true;
	/** The price that the contract states of what it asks about. */
	readonly statedPrice?: PricedOperationId;
	/** What it sends instead of the envelope; the example's data is then its text. */
	readonly sends?:
		| { readonly kind: "events" }
		| { readonly kind: "document"; readonly mediaTypes: readonly string[] };
	/** Pieces of JSON text (an AsyncIterable) are sent one after the other as the data. */
	readonly answer: (owner: OwnerOperations, raw: OwnerRequest) => object | Promise<object>;
}

/** A route that turns a payment on a chain into balance; the price is the amount in the body. */
export interface PurchaseRoute extends EnvelopeRoute {
	readonly kind: "purchase";
	readonly operationId: PurchaseOperationId;
	readonly body: z.ZodObject;
	/** The credential that must be shown beside the payment; none where absent. */
	readonly scheme?: "spt";
	readonly status?: 200 | 201;
	readonly answer: (purchases: Purchases, raw: RawRequest & PurchaseCall) => Promise<PurchaseReply>;
}

/** A free route that serves a document as it stands. */
export interface DocumentRoute extends RouteText, RouteInput {
	readonly kind: "document";
	readonly operationId: FreeOperationId;
	readonly mediaType: string;
	/** Name for saving, sent as Content-Disposition. */
	readonly fileName?: string;
	/** A short piece of the document; absent for binary ones. */
	readonly example: RouteExample & { readonly document?: unknown };
	readonly answer: (free: FreeOperations, raw: RawRequest) => ServedDocument;
}

export type Route = PaidRoute | DataRoute | DocumentRoute | OwnerRoute | PurchaseRoute;
