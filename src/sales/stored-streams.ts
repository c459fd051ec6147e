import { hash } from "node:crypto";

import type { Store } from "../../store/store.js";
import {
	type ArtifactRepository,
	type Caller,
	grantIdOf,
	type KeptStream,
	mayRead,
	type PlainEvent,
} from "../contract/contract.js";
import type { Clock } from "../kernel/kernel.js";
import { createStreamRecord, type FollowedStream, type StreamRecord } from "./stream-record.js";

/** A stream whose work goes on. */
export interface RunningStream {
	readonly record: StreamRecord;
	readonly operationId: string;
	readonly payer: Caller | undefined;
	/** See `toStreamName`. */
	readonly name: string;
}

type Owner = Pick<Caller, "owner" | "access">;

export type KeptStreams = ReturnType<typeof createKeptStreams>;

/** Where streams are found again: in memory while their work goes on, then among the artifacts for as long as these are kept. */
export function createKeptStreams({
	artifacts,
	store,
	clock,
}: {
	readonly artifacts: Pick<ArtifactRepository, "keep" | "find">;
	readonly store: Pick<Store, "read" | "transaction">;
	readonly clock: Clock;
}) {
	const byId = new Map<string, RunningStream>();
	const idByName = new Map<string, string>();

	const idOf = async (name: string): Promise<string | undefined> => {
		const running = idByName.get(name);
		if (running !== undefined) return running;
		const row = await store.read((reader) => reader.get("streams", name));
		return row && row.expiresAt > clock.now() ? row.streamId : undefined;
	};

	return {
		/** From now on it can be followed; the returned function forgets it. */
		begin(running: RunningStream): () => void {
			const { record, name } = running;
			byId.set(record.id, running);
			idByName.set(name, record.id);
			return () => {
				byId.delete(record.id);
				if (idByName.get(name) === record.id) idByName.delete(name);
			};
		},

		/** Keeps all events of a stream that was paid for; a store that has stopped keeps nothing. */
		async keep(
			{ record, operationId, payer, name }: RunningStream,
			events: readonly PlainEvent[],
		): Promise<void> {
			if (!payer) return;
			const { id } = record;
			const data: KeptStream = { operation_id: operationId, events };
			try {
				const expiresAt = await artifacts.keep(payer, { kind: "stream", id, data });
				if (expiresAt === undefined) return;
				const row = { id: name, owner: payer.owner, streamId: id, expiresAt };
				await store.transaction((tx) => tx.put("streams", row));
			} catch {
				// Anyone who listens has the whole stream all the same.
			}
		},

		/** Undefined alike for what is not there, is another operation's or somebody else's. */
		async find(
			caller: Owner,
			{
				operationId,
				...wanted
			}: { readonly operationId: string } & ({ readonly id: string } | { readonly name: string }),
		): Promise<FollowedStream | undefined> {
			const id = "id" in wanted ? wanted.id : await idOf(wanted.name);
			if (id === undefined) return undefined;
			const running = byId.get(id);
			if (running) {
				const isTheirs = running.operationId === operationId && mayFollow(caller, running);
				return isTheirs ? running.record : undefined;
			}
			const kept = (await artifacts.find(caller, "stream", id))?.data as KeptStream | undefined;
			if (kept?.operation_id !== operationId) return undefined;
			const record = createStreamRecord(id, kept.events);
			record.end();
			return record;
		},
	};
}

/** Streams of different callers, inputs or retry keys never meet. */
export function toStreamName(
	{ owner, access }: Owner,
	{
		fingerprint,
		idempotencyKey = "",
	}: { readonly fingerprint: string; readonly idempotencyKey?: string | undefined },
): string {
	const parts = [owner, grantIdOf(access) ?? "", fingerprint, idempotencyKey];
	return hash("sha256", JSON.stringify(parts), "base64url");
}

/** As for what is kept. */
function mayFollow(caller: Owner, { payer }: RunningStream): boolean {
	if (!payer) return false;
	return mayRead(caller, { owner: payer.owner, grantId: grantIdOf(payer.access) });
}
