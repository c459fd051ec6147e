import type { Store } from "../../store/store.js";
import {
	type ArtifactRepository,
	type KeptStream,
	keepsText,
	mayRead,
	type PlainEvent,
	STREAM_LIMITS,
} from "../contract/contract.js";
import type { Clock } from "../kernel/kernel.js";
import { createStreamRecord, type FollowedStream } from "./stream-record.js";
import {
	type RunningStream,
	replacedNameOf,
	type StreamOwner,
	streamRowsOf,
	toKeptFor,
	toStreamRow,
	type WantedStream,
} from "./stream-rows.js";

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

	const idOf = async (wanted: WantedStream): Promise<string | undefined> => {
		if ("id" in wanted) return byId.has(wanted.id) ? wanted.id : elsewhere.latestOf(wanted.id);
		const running = idByName.get(wanted.name);
		if (running !== undefined) return running;
		const row = await store.read((reader) => reader.get("streams", wanted.name));
		return row && row.expiresAt > clock.now() ? row.streamId : undefined;
	};

	return {
		/** From now on it can be followed; `forget` ends that. */
		begin(running: RunningStream, announcement = elsewhere.announce(running)) {
			const { record, name } = running;
			byId.set(record.id, running);
			idByName.set(name, record.id);
			return {
				/** Resolves once other processes, and this one after a crash, know of it; or once it is certain that they never will. */
				announcement,
				forget() {
					byId.delete(record.id);
					elsewhere.forget(record.id);
					if (idByName.get(name) === record.id) idByName.delete(name);
				},
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
				const row = { id: name, ...toKeptFor(payer), streamId: id, expiresAt };
				await store.transaction((tx) => tx.put("streams", row));
			} catch {
				// Anyone who listens has the whole stream all the same.
			}
		},

		/** Undefined alike for what is not there, is another operation's or somebody else's. */
		async find(
			caller: StreamOwner,
			{ operationId, ...wanted }: { readonly operationId: string } & WantedStream,
		): Promise<FollowedStream | undefined> {
			const id = await idOf(wanted);
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
	const isWritten = async (caller: StreamOwner, id: string): Promise<boolean> => {
		const [row] = (await streamRowsOf({ store, clock }, caller, id)).filter(
			({ processId }) => processId !== undefined,
		);
		return row !== undefined && store.read((reader) => reader.isAlive(row.processId as string));
	};
	const announcements = new Map<string, Promise<unknown>>();
	return {
		/** Tells other processes who writes it, and that it can be read later on. */
		announce({ payer, receiptId, ...running }: RunningStream): Promise<unknown> {
			if (!payer || receiptId === null || !keepsText(payer)) return Promise.resolve();
			const put = store.transaction((tx) => {
				const writtenBy = { processId: tx.processId, receiptId };
				return tx.put("streams", toStreamRow({ ...running, payer }, writtenBy, clock));
			});
			// Without it the stream ends with its process, and is whole for anyone who listens.
			const announcement = put.catch(() => undefined);
			announcements.set(running.record.id, announcement);
			return announcement;
		},
		/** The id of the stream that was written in its place, else its own. */
		async latestOf(id: string): Promise<string> {
			const row = await store.read((reader) => reader.get("streams", replacedNameOf(id)));
			return row?.replacedBy ?? id;
		},
		/** Resolves once what is written of it is no older than that. */
		announced: (id: string) => announcements.get(id),
		forget: (id: string) => void announcements.delete(id),
		/** Gives all of its events once it has ended; ends without one where its process has ended before. */
		async find(
			caller: StreamOwner,
			id: string,
			findKept: () => Promise<readonly PlainEvent[] | undefined>,
		): Promise<FollowedStream | undefined> {
			if (!(await isWritten(caller, id))) return undefined;
			const record = createStreamRecord(id);
			const untilMs = clock.monotonicMs() + STREAM_LIMITS.workMs;
			const look = async (): Promise<void> => {
				const isOver = clock.monotonicMs() >= untilMs || !(await isWritten(caller, id));
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

/** As for what is kept. */
function mayFollow(caller: StreamOwner, { payer }: RunningStream): boolean {
	if (!payer) return false;
	return mayRead(caller, toKeptFor(payer));
}
