import {
	type LedgerTransaction,
	type Operation,
	type Row,
	reviveMoney,
	type TableName,
	withoutBigints,
} from "../store.js";

/** What one frame holds: transactions that reached the disk together, oldest first. */
export interface FrameBody {
	/** Milliseconds since the epoch at which the first of them committed. */
	readonly at: number;
	readonly transactions: readonly (readonly Operation[])[];
}

/** JSON of one transaction's operations; money (`…Micros`) becomes a decimal string. */
export function encodeOperations(operations: readonly Operation[]): string {
	return JSON.stringify(operations.map(toEncoded));
}

/** JSON of a frame's body, from transactions encoded before. */
export function encodeBody(at: number, transactions: readonly string[]): string {
	return `{"at":${at},"tx":[${transactions.join(",")}]}`;
}

/** Throws when the text is no frame body of ours. */
export function decodeBody(json: string): FrameBody {
	const { at, tx } = JSON.parse(json) as { at: number; tx: readonly (readonly Encoded[])[] };
	return { at, transactions: tx.map((operations) => operations.map(decodeOperation)) };
}

/** The text a put of this row begins with, for finding it in a segment without decoding everything. */
export function putMark(table: TableName, id: string): string {
	return `["p","${table}",${JSON.stringify(id)},`;
}

type Encoded =
	| readonly ["p", TableName, string, Row]
	| readonly ["d", TableName, string]
	| readonly ["l", LedgerTransaction];

function toEncoded(operation: Operation): readonly unknown[] {
	if (operation.kind === "post") return ["l", withoutBigints(operation.transaction)];
	const { kind, table } = operation;
	if (kind === "delete") return ["d", table, operation.id];
	return ["p", table, operation.row.id, withoutBigints(operation.row)];
}

function decodeOperation(encoded: Encoded): Operation {
	if (encoded[0] === "l") return { kind: "post", transaction: reviveMoney(encoded[1]) };
	const [kind, table, id] = encoded;
	if (kind === "d") return { kind: "delete", table, id };
	return { kind: "put", table, row: reviveMoney(encoded[3]) };
}
