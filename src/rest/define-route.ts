import type { z } from "zod";
import {
	type DataOperation,
	type DocumentOperation,
	dataOperation,
	documentOperation,
	OPERATION_ADDRESSES,
	type OperationId,
	type OwnerOperation,
	type OwnerRequest,
	ownerOperation,
	type PurchaseOperation,
	type PurchaseReply,
	purchaseOperation,
	type RawRequest,
	type ServedDocument,
} from "../contract/contract.js";
import type { PurchaseCall, Purchases } from "../sales/sales.js";
import type { FreeOperations, OwnerOperations } from "../service/service.js";

/** Routes that stand in this room still, as operations. */

type Fields = z.ZodObject;
interface Example {
	readonly path?: Readonly<Record<string, string>>;
	readonly query?: Readonly<Record<string, string>>;
	readonly body?: Readonly<Record<string, unknown>>;
}
type Route<O, P extends Fields, Q extends Fields, B extends Fields, Answer> = Omit<
	O,
	| "id"
	| "kind"
	| "method"
	| "path"
	| "params"
	| "query"
	| "body"
	| "create"
	| "example"
	| "showsOnce"
> & {
	readonly operationId: OperationId;
	readonly path: P;
	readonly query: Q;
	readonly body?: B;
	readonly tellsOnce?: true;
	readonly example: Example & { readonly data?: unknown; readonly document?: unknown };
	readonly answer: Answer;
};
interface Parsed<P extends Fields, Q extends Fields, B extends Fields> {
	readonly path: z.output<P>;
	readonly query: z.output<Q>;
	readonly body: z.output<B>;
	readonly header: RawRequest["header"];
}
type Data = object | Promise<object>;

function toOperation(route: {
	readonly operationId: OperationId;
	readonly path?: Fields;
	readonly tellsOnce?: true | undefined;
	readonly example: Example;
}) {
	const { operationId: id, path: params, tellsOnce, example, ...rest } = route;
	const { path: exampleParams, ...others } = example;
	return {
		...rest,
		id,
		...OPERATION_ADDRESSES[id],
		...(params && { params }),
		...(tellsOnce && { showsOnce: true }),
		example: { ...others, ...(exampleParams && { params: exampleParams }) },
	};
}

export function dataRoute<P extends Fields, Q extends Fields, B extends Fields>(
	route: Route<
		DataOperation,
		P,
		Q,
		B,
		(
			free: FreeOperations,
			request: Parsed<P, Q, B> & Pick<RawRequest, "signal" | "address">,
		) => Data
	>,
): DataOperation {
	const { answer } = route;
	return dataOperation({
		...toOperation(route),
		create:
			({ free }: { free: FreeOperations }) =>
			(request: { readonly params: unknown }) =>
				answer(free, { ...request, path: request.params } as never),
	} as never);
}

export function ownerRoute<P extends Fields, Q extends Fields, B extends Fields>(
	route: Route<
		OwnerOperation,
		P,
		Q,
		B,
		(
			owner: OwnerOperations,
			request: Parsed<P, Q, B> & Pick<OwnerRequest, "signal" | "caller" | "credential">,
		) => Data
	>,
): OwnerOperation {
	const { answer } = route;
	return ownerOperation({
		...toOperation(route),
		create:
			({ owner }: { owner: OwnerOperations }) =>
			(request: { readonly params: unknown }) =>
				answer(owner, { ...request, path: request.params } as never),
	} as never);
}

export function purchaseRoute<B extends Fields>(
	route: Omit<
		Route<PurchaseOperation, Fields, Fields, B, never>,
		"path" | "query" | "isList" | "answer"
	> & {
		readonly body: B;
		readonly answer: (
			purchases: Purchases,
			call: PurchaseCall,
			order: z.output<B>,
		) => Promise<PurchaseReply>;
	},
): PurchaseOperation {
	const { answer } = route;
	return purchaseOperation({
		...toOperation(route as never),
		create:
			({ purchases }: { purchases: Purchases }) =>
			({ body, ...call }: PurchaseCall & { readonly body: z.output<B> }) =>
				answer(purchases, call, body),
	} as never);
}

export function documentRoute<P extends Fields, Q extends Fields>(
	route: Omit<Route<DocumentOperation, P, Q, Fields, never>, "answer"> & {
		readonly answer: (
			free: FreeOperations,
			request: Omit<Parsed<P, Q, Fields>, "body">,
		) => ServedDocument;
	},
): DocumentOperation {
	const { answer } = route;
	return documentOperation({
		...toOperation(route),
		create:
			({ free }: { free: FreeOperations }) =>
			(request: { readonly params: unknown }) =>
				answer(free, { ...request, path: request.params } as never),
	} as never);
}
