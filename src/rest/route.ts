import type { z } from "zod";
import type { HeaderReader } from "../core/credential.js";
import type { FreeOperationId, PaidOperationId, SkillId } from "../core/operations.js";
import type { FreeOperations, ServedDocument } from "../service/free-operations.js";
import { parseInput } from "../service/parse-input.js";

/** One request of a free operation before its schemas have seen it. */
export interface RawRequest {
	readonly path: unknown;
	readonly query: unknown;
	readonly header: HeaderReader;
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
}

/** A route that sells one skill: its handler is the pipeline and nothing beside it. */
export interface PaidRoute extends RouteText, RouteInput {
	readonly kind: "paid";
	readonly operationId: PaidOperationId;
	readonly skillId: SkillId;
	readonly body: z.ZodObject;
	/** The whole body of the reply. */
	readonly reply: z.ZodType;
	readonly example: RouteExample & {
		readonly body: Readonly<Record<string, unknown>>;
		readonly reply: unknown;
	};
}

/** How long a reply may be kept: "catalog" with an ETag and a short life, "live" and "secret" not at all. */
type Freshness = "catalog" | "live" | "secret";

/** A free route that answers with the envelope `{ok, data, meta}`. */
export interface DataRoute extends RouteText, RouteInput {
	readonly kind: "data";
	readonly operationId: FreeOperationId;
	/** Lists carry `meta.next_cursor`. */
	readonly isList: boolean;
	readonly freshness: Freshness;
	/** How often one address may ask; absent where it does not matter. */
	readonly callsPerMinute?: number;
	/** Schema of `data`. */
	readonly data: z.ZodType;
	readonly example: RouteExample & { readonly data: unknown };
	readonly answer: (free: FreeOperations, raw: DataRequest) => object | Promise<object>;
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

export type Route = PaidRoute | DataRoute | DocumentRoute;

interface Parsed<P extends z.ZodObject, Q extends z.ZodObject> {
	readonly path: z.output<P>;
	readonly query: z.output<Q>;
	readonly header: HeaderReader;
}

type WithAnswer<R, P extends z.ZodObject, Q extends z.ZodObject, A, More = unknown> = Omit<
	R,
	"kind" | "path" | "query" | "answer"
> & {
	readonly path: P;
	readonly query: Q;
	readonly answer: (free: FreeOperations, request: Parsed<P, Q> & More) => A;
};

/** A data route whose answer sees its path and query parsed; a request that does not fit never reaches it. */
export function dataRoute<P extends z.ZodObject, Q extends z.ZodObject>(
	route: WithAnswer<DataRoute, P, Q, object | Promise<object>, Pick<DataRequest, "signal">>,
): DataRoute {
	return {
		...route,
		kind: "data",
		answer: (free, raw) => route.answer(free, { ...parse(route, raw), signal: raw.signal }),
	};
}

/** A document route whose answer sees its path and query parsed. */
export function documentRoute<P extends z.ZodObject, Q extends z.ZodObject>(
	route: WithAnswer<DocumentRoute, P, Q, ServedDocument>,
): DocumentRoute {
	return {
		...route,
		kind: "document",
		answer: (free, raw) => route.answer(free, parse(route, raw)),
	};
}

function parse<P extends z.ZodObject, Q extends z.ZodObject>(
	{ path, query }: { path: P; query: Q },
	raw: RawRequest,
): Parsed<P, Q> {
	return {
		path: parseInput(path, raw.path),
		query: parseInput(query, raw.query),
		header: raw.header,
	};
}
