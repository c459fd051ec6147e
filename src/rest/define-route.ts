import { z } from "zod";
import { type HeaderReader, parseInput, type ServedDocument } from "../contract/contract.js";
import type { PurchaseCall, PurchaseReply, Purchases } from "../sales/sales.js";
import type { FreeOperations, OwnerOperations } from "../service/service.js";
import type {
	DataRequest,
	DataRoute,
	DocumentRoute,
	OwnerRequest,
	OwnerRoute,
	PurchaseRoute,
	RawRequest,
} from "./route.js";

/** What an answer sees of its request: the parts its route has a schema for, as the schemas give them back. */
interface Parsed<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodObject> {
	readonly path: z.output<P>;
	readonly query: z.output<Q>;
	readonly body: z.output<B>;
	readonly header: HeaderReader;
}

type Defined<R, P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodObject, Answer> = Omit<
	R,
	"kind" | "path" | "query" | "body" | "answer"
> & {
	readonly path: P;
	readonly query: Q;
	readonly body?: B;
	readonly answer: Answer;
};

type Data = object | Promise<object>;

/** A data route whose answer sees its input parsed; a request that does not fit never reaches it. */
export function dataRoute<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodObject>(
	route: Defined<
		DataRoute,
		P,
		Q,
		B,
		(
			free: FreeOperations,
			request: Parsed<P, Q, B> & Pick<DataRequest, "signal" | "address">,
		) => Data
	>,
): DataRoute {
	return {
		...route,
		kind: "data",
		answer: (free, raw) => {
			const { signal, address } = raw;
			return route.answer(free, { ...parse(route, raw), signal, address });
		},
	};
}

/** An owner route whose answer sees its input parsed and knows whose it is. */
export function ownerRoute<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodObject>(
	route: Defined<
		OwnerRoute,
		P,
		Q,
		B,
		(
			owner: OwnerOperations,
			request: Parsed<P, Q, B> & Pick<OwnerRequest, "signal" | "caller" | "credential">,
		) => Data
	>,
): OwnerRoute {
	return {
		...route,
		kind: "owner",
		answer: (owner, raw) => {
			const { signal, caller, credential } = raw;
			return route.answer(owner, { ...parse(route, raw), signal, caller, credential });
		},
	};
}

/** A purchase whose answer sees its order parsed, before anybody looks at the payment. */
export function purchaseRoute<B extends z.ZodObject>(
	route: Omit<PurchaseRoute, "kind" | "path" | "query" | "body" | "isList" | "answer"> & {
		readonly body: B;
		readonly answer: (
			purchases: Purchases,
			call: PurchaseCall,
			order: z.output<B>,
		) => Promise<PurchaseReply>;
	},
): PurchaseRoute {
	const nothing = z.strictObject({});
	return {
		...route,
		kind: "purchase",
		path: nothing,
		query: nothing,
		isList: false,
		async answer(purchases, raw) {
			const { body } = parse({ path: nothing, query: nothing, body: route.body }, raw);
			const { credential, payment, idempotencyKey, resourceUrl } = raw;
			return route.answer(purchases, { credential, payment, idempotencyKey, resourceUrl }, body);
		},
	};
}

/** A document route whose answer sees its path and query parsed. */
export function documentRoute<P extends z.ZodObject, Q extends z.ZodObject>(
	route: Omit<DocumentRoute, "kind" | "path" | "query" | "answer"> & {
		readonly path: P;
		readonly query: Q;
		readonly answer: (
			free: FreeOperations,
			request: Omit<Parsed<P, Q, z.ZodObject>, "body">,
		) => ServedDocument;
	},
): DocumentRoute {
	return {
		...route,
		kind: "document",
		answer: (free, raw) => route.answer(free, parse(route, raw)),
	};
}

function parse<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodObject>(
	{ path, query, body }: { path: P; query: Q; body?: B },
	raw: RawRequest,
): Parsed<P, Q, B> {
	return {
		path: parseInput(path, raw.path),
		query: parseInput(query, raw.query),
		body: (body ? parseInput(body, raw.body) : {}) as z.output<B>,
		header: raw.header,
	};
}
