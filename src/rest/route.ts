import type { z } from "zod";
import type {
	DataOperation,
	DocumentOperation,
	Operation,
	OwnerOperation,
	PaidOperation,
	PaidOperationId,
	PricedBy,
	PurchaseOperation,
} from "../contract/contract.js";

/** What of a paid operation is said in this room still: its skill lies elsewhere. */
export interface PaidRoute
	extends Pick<
		PaidOperation,
		"kind" | "summary" | "description" | "accepted" | "streams" | "reply"
	> {
	readonly operationId: PaidOperationId;
	readonly pricePer?: string;
	readonly priceBy?: PricedBy;
	readonly path: z.ZodObject;
	readonly query: z.ZodObject;
	readonly body?: z.ZodObject;
	readonly example: {
		readonly path?: Readonly<Record<string, string>>;
		readonly query?: Readonly<Record<string, string>>;
		readonly body?: Readonly<Record<string, unknown>>;
		readonly reply: unknown;
	};
}

export type DataRoute = DataOperation;
export type OwnerRoute = OwnerOperation;
export type PurchaseRoute = PurchaseOperation;
export type DocumentRoute = DocumentOperation;
export type Route = Operation;
