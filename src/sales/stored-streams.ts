import type { Store, StoreTransaction, StreamRow } from "../../store/store.js";
import {
	type ArtifactRepository,
	grantIdOf,
	type KeptStream,
	keepsText,
	mayRead,
	type PlainEvent,
} from "../contract/contract.js";
import { type Clock, tryAgain } from "../kernel/kernel.js";
import { createStreamRecord, type FollowedStream } from "./stream-record.js";
import {
	isStreamWritten,
	latestStreamRow,
	ownRowOf,
	type RunningStream,
	type StreamOwner,
	toKeptFor,
	toStreamRows,
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
		if ("id" in wanted) {
			if (byId.has(wanted.id)) return wanted.id;
			const latest = await store.read((reader) => latestStreamRow(reader, wanted.id));
			return latest?.streamId ?? wanted.id;
		}
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
			const { id, generation } = record;
			const data: KeptStream = { operation_id: operationId, events, generation };
			try {
				const expiresAt = await artifacts.keep(payer, { kind: "stream", id, data });
				await elsewhere.announced(id);
				const rows = toStreamRows({ record, payer, name }, clock);
				await store.transaction((tx) => settleRows(tx, rows, { isKept: expiresAt !== undefined }));
			} catch {
				// Anyone who listens has the whole stream all the same; anyone else begins it anew.
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
				return kept?.operation_id === operationId ? kept : undefined;
			};
			const kept = await findKept();
			if (!kept) return elsewhere.find(caller, id, findKept);
			const record = createStreamRecord(id, kept.events, kept.generation);
			record.end();
			return record;
		},
	};
}

/** Once nothing is written any more. What was begun anew in its place meanwhile stays, and so does a later one of its name. */
async function settleRows(
	tx: StoreTransaction,
	rows: ReturnType<typeof toStreamRows>,
	{ isKept }: { readonly isKept: boolean },
): Promise<void> {
	for (const row of rows) {
		const before = await tx.get("streams", row.id);
		if (before?.replacedBy !== undefined || (before && before.streamId !== row.streamId)) continue;
		if (isKept) await tx.put("streams", row);
		else if (before) await tx.delete("streams", row.id);
	}
}

/** A database that crashed is back within seconds. */
const TRIES = { tries: 6, everyMs: 1_000 };

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
	/** Its row, if the caller may see it and it is being written. */
	const findWritten = (caller: StreamOwner, id: string): Promise<StreamRow | undefined> =>
		store.read(async (reader) => {
			const own = await reader.get("streams", ownRowOf(id));
			// The build before had no row for each stream.
			const rows = own ? [own] : await reader.findBy("streams", "streamId", id);
			const row = rows.find((one) =>
				mayRead(caller, own ? one : { owner: one.owner, grantId: grantIdOf(caller.access) }),
			);
			return row && (await isStreamWritten(reader, row, clock.now())) ? row : undefined;
		});
	const announcements = new Map<string, Promise<unknown>>();
	return {
		/** Tells other processes who writes it, and that it can be read later on. */
		announce({ payer, receiptId, ...running }: RunningStream): Promise<unknown> {
			if (!payer || receiptId === null || !keepsText(payer)) return Promise.resolve();
			const put = () =>
				store.transaction(async (tx) => {
					const writtenBy = { processId: tx.processId, receiptId };
					for (const row of toStreamRows({ ...running, payer }, clock, writtenBy))
						await tx.put("streams", row);
				});
			// Without it the stream ends with its process, and is whole for anyone who listens.
			const announcement = tryAgain(put, { clock, ...TRIES }).catch(() => undefined);
			announcements.set(running.record.id, announcement);
			return announcement;
		},
		/** Resolves once what is written of it is no older than that. */
		announced: (id: string) => announcements.get(id),
		forget: (id: string) => void announcements.delete(id),
		/** Gives all of its events once it has ended; ends without one where its process has ended before. */
		async find(
			caller: StreamOwner,
			id: string,
			findKept: () => Promise<KeptStream | undefined>,
		): Promise<FollowedStream | undefined> {
			const row = await findWritten(caller, id);
			if (!row) return undefined;
			const record = createStreamRecord(id, [], row.generation);
			const look = async (): Promise<void> => {
				const isOver = !(await findWritten(caller, id));
				const kept = await findKept();
				for (const event of kept?.events ?? []) record.add(event);
				if (kept || isOver) record.end();
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
