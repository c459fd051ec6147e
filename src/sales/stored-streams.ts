import { hash } from "node:crypto";

import type { Store } from "../../store/store.js";
import {
	type ArtifactRepository,
	type Caller,
	grantIdOf,
	type KeptStream,
	keepsText,
	mayRead,
	type PlainEvent,
	STREAM_LIMITS,
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
	const elsewhere = createStreamsElsewhere({ store, clock });

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
			elsewhere.announce(running);
			return () => {
				byId.delete(record.id);
				elsewhere.forget(record.id);
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
				await elsewhere.announced(id);
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
			const findKept = async () => {
				const kept = (await artifacts.find(caller, "stream", id))?.data as KeptStream | undefined;
				return kept?.operation_id === operationId ? kept.events : undefined;
			};
			const events = await findKept();
			if (!events) return elsewhere.find(caller, id, findKept);
			const record = createStreamRecord(id, events);
			record.end();
			return record;
		},
	};
}

/** How often it is looked for what another process writes. */
const LOOK_MS = 300;

/** Streams that other processes write: known by their rows, and read once they have ended. */
function createStreamsElsewhere({
	store,
	clock,
}: {
	readonly store: Pick<Store, "read" | "transaction">;
	readonly clock: Clock;
}) {
	const isWritten = (id: string, owner: string): Promise<boolean> =>
		store.read(async (reader) => {
			const rows = await reader.findBy("streams", "streamId", id);
			const processId = rows.find((row) => row.owner === owner)?.processId;
			return processId !== undefined && reader.isAlive(processId);
		});
	const announcements = new Map<string, Promise<unknown>>();
	return {
		/** Tells other processes who writes it, and that it can be read later on. */
		announce({ record, payer, name }: RunningStream): void {
			if (!payer || !keepsText(payer)) return;
			const expiresAt = clock.now() + STREAM_LIMITS.workMs;
			const row = { id: name, owner: payer.owner, streamId: record.id, expiresAt };
			const put = store.transaction(
				(tx) => tx.put("streams", { ...row, processId: tx.processId }),
				{ durability: "deferred" },
			);
			announcements.set(
				record.id,
				put.catch(() => undefined),
			);
		},
		/** Resolves once what is written of it is no older than that. */
		announced: (id: string) => announcements.get(id),
		forget: (id: string) => void announcements.delete(id),
		/** Gives all of its events once it has ended; ends without one where its process has ended before. */
		async find(
			{ owner }: Owner,
			id: string,
			findKept: () => Promise<readonly PlainEvent[] | undefined>,
		): Promise<FollowedStream | undefined> {
			if (!(await isWritten(id, owner))) return undefined;
			const record = createStreamRecord(id);
			const untilMs = clock.monotonicMs() + STREAM_LIMITS.workMs;
			const look = async (): Promise<void> => {
				const isOver = clock.monotonicMs() >= untilMs || !(await isWritten(id, owner));
				const events = await findKept();
				for (const event of events ?? []) record.add(event);
				if (events || isOver) record.end();
				else lookLater();
			};
			const lookLater = () => {
				clock.after(LOOK_MS, () => void look().catch(() => record.end()));
			};
			lookLater();
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
