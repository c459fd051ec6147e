import type { LedgerTransaction, TableName, Tables } from "../store.js";

export type Row = Tables[TableName];

/** One change of one transaction; a transaction is a list of them. */
export type Operation =
	| { readonly kind: "put"; readonly table: TableName; readonly row: Row }
	| { readonly kind: "delete"; readonly table: TableName; readonly id: string }
	| { readonly kind: "post"; readonly transaction: LedgerTransaction };

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

const MONEY = "Micros";

/** As JSON.stringify, and bigint members as decimal strings; a replacer would cost three times as much. */
export function encodeObject(value: object): string {
	return JSON.stringify(withoutBigints(value));
}

function withoutBigints(value: object): object {
	if (Array.isArray(value)) {
		return value.map((item) => (isObject(item) ? withoutBigints(item) : item));
	}
	const members = value as Readonly<Record<string, unknown>>;
	const copy: Record<string, unknown> = {};
	for (const name in members) {
		const member = members[name];
		if (typeof member === "bigint") copy[name] = encodeMoney(name, member);
		else copy[name] = isObject(member) ? withoutBigints(member) : member;
	}
	return copy;
}

function encodeMoney(name: string, amount: bigint): string {
	if (name.endsWith(MONEY)) return amount.toString();
	throw new TypeError(`The field "${name}" holds a bigint, so its name must end in "${MONEY}".`);
}

function isObject(value: unknown): value is object {
	return typeof value === "object" && value !== null;
}

/** Turns decimal strings under names ending in `Micros` into bigint again, in place. */
export function reviveMoney<T>(value: T): T {
	if (typeof value !== "object" || value === null) return value;
	const members = value as Record<string, unknown>;
	for (const name in members) {
		const member = members[name];
		if (typeof member === "string") {
			if (name.endsWith(MONEY)) members[name] = BigInt(member);
		} else reviveMoney(member);
	}
	return value;
}
