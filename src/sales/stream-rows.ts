import { hash } from "node:crypto";
import type { Store, StreamRow } from "../../store/store.js";
import { type Caller, grantIdOf, LIMITS, mayRead } from "../contract/contract.js";
import type { Clock } from "../kernel/kernel.js";
import type { StreamRecord } from "./stream-record.js";

/** A stream whose work goes on. */
export interface RunningStream {
	readonly record: StreamRecord;
	readonly operationId: string;
	readonly payer: Caller | undefined;
	/** See `toStreamName`. */
	readonly name: string;
	readonly receiptId: string | null;
}

export type StreamOwner = Pick<Caller, "owner" | "access">;
/** One stream: by its own id, or the latest of a name. */
export type WantedStream = { readonly id: string } | { readonly name: string };

/** What a row says of it; `writtenBy` while it is being written. */
export function toStreamRow(
	{ record, payer, name }: Pick<RunningStream, "record" | "name"> & { readonly payer: StreamOwner },
	writtenBy: Pick<StreamRow, "processId" | "receiptId">,
	clock: Pick<Clock, "now">,
): StreamRow {
	const expiresAt = clock.now() + LIMITS.artifactTtlMs;
	return { id: name, ...toKeptFor(payer), streamId: record.id, ...writtenBy, expiresAt };
}

/** Rows of it that the caller may see. */
export async function streamRowsOf(
	{ store, clock }: { readonly store: Pick<Store, "read">; readonly clock: Pick<Clock, "now"> },
	caller: StreamOwner,
	id: string,
): Promise<readonly StreamRow[]> {
	const rows = await store.read((reader) => reader.findBy("streams", "streamId", id));
	return rows.filter((row) => row.expiresAt > clock.now() && mayRead(caller, row));
}

/** Whose it is where it is kept. */
export type KeptFor = Pick<StreamRow, "owner" | "grantId">;

export function toKeptFor({ owner, access }: StreamOwner): KeptFor {
	const grantId = grantIdOf(access);
	return { owner, ...(grantId !== undefined && { grantId }) };
}

/** The row that names the stream which was written in the place of another. */
export const replacedNameOf = (streamId: string) =>
	hash("sha256", `replaced ${streamId}`, "base64url");

/** Streams of different callers, inputs or retry keys never meet. */
export function toStreamName(
	{ owner, grantId = "" }: KeptFor,
	{
		fingerprint,
		idempotencyKey = "",
	}: { readonly fingerprint: string; readonly idempotencyKey?: string | undefined },
): string {
	const parts = [owner, grantId, fingerprint, idempotencyKey];
	return hash("sha256", JSON.stringify(parts), "base64url");
}
