import { z } from "zod";
import type { ServedDocument } from "./artifacts.js";
import {
	type DataOperation,
	type DocumentOperation,
	type Fields,
	type Operation,
	type OperationText,
	type OwnerOperation,
	type OwnerRequest,
	type PaidOperation,
	type ParsedFields,
	PER_CALL,
	type PurchaseOperation,
	type PurchaseReply,
	type PurchaseRequest,
	type RawRequest,
	type RequestExample,
	type RequestSchemas,
	type SkillWork,
} from "./operation.js";
import type { OperationAddress } from "./operations.js";
import { parseInput } from "./parse-input.js";
import type { Services, SkillServices } from "./services.js";
import { graphNamed, type PaidOutput, queryNamed } from "./skill.js";

const NO_FIELDS = z.strictObject({});
type NoFields = typeof NO_FIELDS;

/** An operation as it is written: what is `Usual` may be left out. */
type Written<
	O extends OperationText & { readonly example: RequestExample },
	Usual extends keyof O,
	P extends Fields,
	Q extends Fields,
	B extends Fields,
> = Omit<
	O,
	"kind" | "method" | keyof RequestSchemas | "path" | "example" | "create" | "createPage" | Usual
> &
	Partial<Pick<O, Usual>> & {
		/** Method and path, e.g. "GET /v1/graphs/{graph_id}"; `{name}` is a parameter. */
		readonly at: `${OperationAddress["method"]} ${string}`;
		readonly params?: P;
		readonly query?: Q;
		readonly body?: B;
		readonly example?: O["example"];
	};

/** An operation that answers by itself: with the services it needs and the request parsed. */
type WrittenAnswer<Needed, Request, Answer> = {
	readonly answer: (services: Needed, request: Request) => Answer;
};

/**
 * Defines an operation that is sold. Types of input and output are forgotten: the pipeline passes what `input` has parsed.
 * Left out, `title` is the summary, `input` the parameters and the body together, `queryOf` the field named query, question
 * or topic, `graphsOf` the field graph_id, and the price is `PER_CALL`, captured once there is a result.
 */
export function paidOperation<
	P extends Fields = NoFields,
	B extends Fields = NoFields,
	Input = z.output<z.ZodObject<P["shape"] & B["shape"]>>,
	Output extends PaidOutput = PaidOutput,
	Needed extends Partial<SkillServices> = SkillServices,
>(
	operation: Written<
		PaidOperation<Input, Output>,
		"title" | "price" | "input" | "capture" | "queryOf" | "graphsOf",
		P,
		Fields,
		B
	> & { readonly create: (services: Needed) => SkillWork<NoInfer<Input>, Output> },
): PaidOperation {
	const { params = NO_FIELDS, body, summary } = operation;
	return {
		title: summary,
		price: PER_CALL,
		input:
			params === NO_FIELDS && body ? body : z.strictObject({ ...params.shape, ...body?.shape }),
		capture: "onResult",
		queryOf: queryNamed,
		graphsOf: graphNamed,
		...withDefaults(operation, "paid"),
	} as unknown as PaidOperation;
}

/** Defines a free operation in the envelope; its handler sees the request parsed, and none that does not fit. */
export function dataOperation<
	Needed extends Partial<Services>,
	P extends Fields = NoFields,
	Q extends Fields = NoFields,
	B extends Fields = NoFields,
>(
	operation: Written<DataOperation, "isList" | "freshness", P, Q, B> &
		WrittenAnswer<
			Needed,
			ParsedFields<P, Q, B> & Pick<RawRequest, "headers" | "address" | "signal">,
			object | Promise<object>
		> & {
			readonly page?: (services: Needed, request: ParsedFields<P, Q, B>) => Promise<ServedDocument>;
		},
): DataOperation {
	return withParsing(
		{ isList: false, freshness: "live", ...operation },
		"data",
	) as unknown as DataOperation;
}

/** Defines an operation for its owner; its handler sees the request parsed, and knows who asks. */
export function ownerOperation<
	Needed extends Partial<Services>,
	P extends Fields = NoFields,
	Q extends Fields = NoFields,
	B extends Fields = NoFields,
>(
	operation: Written<OwnerOperation, "isList", P, Q, B> &
		WrittenAnswer<
			Needed,
			ParsedFields<P, Q, B> & Omit<OwnerRequest, "params" | "query" | "body">,
			object | Promise<object>
		>,
): OwnerOperation {
	return withParsing({ isList: false, ...operation }, "owner") as unknown as OwnerOperation;
}

/** Defines a purchase of balance; its order is parsed before anybody looks at the payment. */
export function purchaseOperation<Needed extends Partial<Services>, B extends Fields>(
	operation: Written<PurchaseOperation, "isList", NoFields, NoFields, B> &
		WrittenAnswer<
			Needed,
			{ readonly body: z.output<B> } & Omit<PurchaseRequest, "params" | "query" | "body">,
			Promise<PurchaseReply>
		>,
): PurchaseOperation {
	return withParsing({ isList: false, ...operation }, "purchase") as unknown as PurchaseOperation;
}

/** Defines a free operation that serves a document. */
export function documentOperation<
	Needed extends Partial<Services>,
	P extends Fields = NoFields,
	Q extends Fields = NoFields,
>(
	operation: Omit<Written<DocumentOperation, never, P, Q, NoFields>, "body"> &
		WrittenAnswer<
			Needed,
			Omit<ParsedFields<P, Q, NoFields>, "body">,
			ServedDocument | Promise<ServedDocument>
		>,
): DocumentOperation {
	return withParsing(operation, "document") as unknown as DocumentOperation;
}

function withDefaults<O extends { readonly at: string }>(
	{ at, ...operation }: O,
	kind: Operation["kind"],
) {
	const [method, path] = at.split(" ");
	return { params: NO_FIELDS, query: NO_FIELDS, example: {}, ...operation, kind, method, path };
}

/** The operation whose handler is given what its schemas make of a request. Throws INVALID_ARGUMENT when called with another. */
function withParsing<
	O extends { readonly at: string; readonly page?: unknown } & WrittenAnswer<never, never, unknown>,
>({ answer, page, ...written }: O, kind: Operation["kind"]) {
	const operation = withDefaults(written, kind);
	const { params, query, body } = operation as RequestSchemas;
	const parsed = (handler: unknown) => (services: unknown) => (raw: RawRequest) =>
		(handler as (services: unknown, request: unknown) => unknown)(services, {
			...raw,
			params: parseInput(params, raw.params),
			query: parseInput(query, raw.query),
			body: body ? parseInput(body, raw.body) : {},
		});
	return { ...operation, create: parsed(answer), createPage: page && parsed(page) };
}
