import { hash } from "node:crypto";
import type { StoreReader, StreamRow } from "../../store/store.js";
import { type Caller, grantIdOf, LIMITS, STREAM_LIMITS } from "../contract/contract.js";
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

/** Longer than its work may take. */
const WRITTEN_MS = STREAM_LIMITS.workMs + 30_000;
/** More often than a stream may be begun anew. */
const HOPS = 100;

/** Its own row, and that of its name, which leads to the latest; with `writtenBy` while it is being written. */
export function toStreamRows(
	{ record, payer, name }: Pick<RunningStream, "record" | "name"> & { readonly payer: StreamOwner },
	clock: Pick<Clock, "now">,
	writtenBy?: Pick<StreamRow, "processId" | "receiptId">,
): readonly [own: StreamRow, named: StreamRow] {
	const { id: streamId, generation } = record;
	const now = clock.now();
	const about = {
		...{ ...toKeptFor(payer), streamId, generation, expiresAt: now + LIMITS.artifactTtlMs },
		...(writtenBy && { ...writtenBy, writtenUntil: now + WRITTEN_MS }),
	};
	return [
		{ ...about, id: ownRowOf(streamId), name },
		{ ...about, id: name },
	];
}

/** The own row of the stream that is read in its place: itself, or the last of those that were begun anew. */
export async function latestStreamRow(
	reader: StoreReader,
	streamId: string,
): Promise<StreamRow | undefined> {
	let row = await reader.get("streams", ownRowOf(streamId));
	for (let hops = 0; row?.replacedBy !== undefined && hops < HOPS; hops++)
		row = await reader.get("streams", ownRowOf(row.replacedBy));
	return row;
}

/** Whether it is being written, by the latest news of its process. */
export async function isStreamWritten(
	reader: StoreReader,
	{ processId, writtenUntil = Number.POSITIVE_INFINITY }: StreamRow,
	now: number,
): Promise<boolean> {
	return processId !== undefined && now < writtenUntil && (await reader.isAlive(processId));
}

/** Whose it is where it is kept. */
export type KeptFor = Pick<StreamRow, "owner" | "grantId">;

export function toKeptFor({ owner, access }: StreamOwner): KeptFor {
	const grantId = grantIdOf(access);
	return { owner, ...(grantId !== undefined && { grantId }) };
}

export const ownRowOf = (streamId: string) => hash("sha256", `stream ${streamId}`, "base64url");

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
