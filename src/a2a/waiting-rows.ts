import type { Store, StoreReader, StoreTransaction, WaitingTaskRow } from "../../store/store.js";
import { LIMITS } from "../contract/contract.js";
import { type Ids, ServiceError, wait } from "../kernel/kernel.js";
import {
	createTaskMemory,
	type FoundText,
	type KeptText,
	type TaskMemoryDeps,
	type WaitingTexts,
} from "./task-memory.js";

/** Callers who pay nothing must not make the disk wait: after a power cut their tasks may be gone, as after a restart. */
const DEFERRED = { durability: "deferred" } as const;
/** Longer than a payment and its work may take. */
const CLAIM_MS = 3 * 60_000;
/** How often a copy of a payment looks whether another process is done with it. */
const LOOK_MS = 200;
/** A text that goes while it is looked for makes place for a newer one. */
const LOOKS = 3;

type WaitingRowsDeps = TaskMemoryDeps & {
	readonly store: Store;
	readonly ids: Ids;
};

/**
 * Tasks that wait where several processes share the books: a row says where each stands, its text is a document. Each process
 * bounds those it changed last by its share of the room, and takes over what one leaves that has ended.
 */
export function createWaitingRows(deps: WaitingRowsDeps) {
	const { store, clock } = deps;
	/** Those that this process counts. */
	const memory = createTaskMemory(deps);
	/** Versions of those whose payment this process works on. */
	const claims = new Map<string, number>();
	const rows = createRows(deps, claims);
	const endClaim = async (taskId: string, how: "paid" | "unpaid") => {
		const version = claims.get(taskId);
		claims.delete(taskId);
		if (version !== undefined) await rows.end(taskId, version, how).catch(() => undefined);
	};

	const find = async (taskId: string): Promise<FoundText | undefined> => {
		for (let left = LOOKS; left > 0; left--) {
			const found = await rows.find(taskId);
			if (!found) return undefined;
			const kept = await rows.textOf(found);
			if (kept) return { text: kept.text, version: found.version, isBusy: found.isBusy };
		}
		return undefined;
	};
	const claim = async (taskId: string, payment: string) => {
		const untilMs = clock.monotonicMs() + LIMITS.requestTimeoutMs;
		for (;;) {
			const claimed = await rows.claim(taskId, payment);
			if (claimed !== "busy") return claimed;
			if (clock.monotonicMs() >= untilMs) throw paidElsewhere();
			await wait(LOOK_MS, clock);
		}
	};
	const count = async (taskId: string, kept: KeptText) => {
		const evicted = memory.keep(taskId, kept);
		// What cannot be deleted now goes when its time is over.
		await Promise.all(evicted.map((id) => rows.evict(id).catch(() => undefined)));
	};
	const texts: WaitingTexts = {
		has: async (taskId) => (await rows.find(taskId)) !== undefined,
		find,
		async claim(taskId, payment) {
			const row = await claim(taskId, payment);
			if (!row) return undefined;
			claims.set(taskId, row.version);
			const kept = await rows.textOf(row);
			if (!kept) return undefined;
			await count(taskId, kept);
			return { text: kept.text, version: row.version, isBusy: false };
		},
		async keep(taskId, kept, version) {
			if (!(await rows.put(taskId, kept, version))) return false;
			if (claims.get(taskId) === version) claims.delete(taskId);
			await count(taskId, kept);
			return true;
		},
		async forget(taskId) {
			memory.forget(taskId);
			await endClaim(taskId, "paid");
		},
		release: (taskId) => endClaim(taskId, "unpaid"),
	};
	return {
		...texts,
		/** Counts from now on what processes left that have ended, and frees what they were paying. */
		async takeUp(): Promise<void> {
			const alive = new Set(await store.processes.alive());
			const left = await store.read((reader) => reader.list("waiting_tasks"));
			for (const row of left) {
				if (alive.has(row.processId) || row.expiresAt <= clock.now()) continue;
				const kept = (await rows.take(row.id)) ? await rows.textOf(row) : undefined;
				if (kept) await count(row.id, kept);
			}
		},
	};
}

type Claims = ReadonlyMap<string, number>;

function createReads({ store, clock }: WaitingRowsDeps, claims: Claims) {
	const { documents, processes } = store;
	const waiting = async (reader: StoreReader, taskId: string) => {
		const row = await reader.get("waiting_tasks", taskId);
		if (!row || row.expiresAt <= clock.now()) return undefined;
		// Paid and kept: its process has not forgotten yet that it had waited, or ended before.
		return (await reader.get("tasks", taskId)) ? undefined : row;
	};
	const isPaying = async (
		reader: StoreReader,
		{ id, paying, payingSince = 0, processId }: WaitingTaskRow,
	) => {
		if (paying === undefined) return false;
		if (processId === processes.ownId()) return claims.has(id);
		return payingSince + CLAIM_MS > clock.now() && (await reader.isAlive(processId));
	};
	return {
		waiting,
		isPaying,
		find: (taskId: string) =>
			store.read(async (reader) => {
				const row = await waiting(reader, taskId);
				return row && { ...row, isBusy: await isPaying(reader, row) };
			}),
		async textOf({ documentId }: WaitingTaskRow): Promise<KeptText | undefined> {
			const document = await documents.get(documentId);
			return document === undefined ? undefined : fromDocument(document);
		},
	};
}

function createRows(deps: WaitingRowsDeps, claims: Claims) {
	const { store, clock, ids } = deps;
	const { waiting, isPaying, ...reads } = createReads(deps, claims);
	/** Puts what `judge` makes of a row, or deletes it; undefined where it leaves it alone. */
	const change = (taskId: string, judge: Judge) =>
		store.transaction(async (tx) => {
			const before = await tx.get("waiting_tasks", taskId);
			const after = await judge(before, tx);
			if (after === "deleted") await tx.delete("waiting_tasks", taskId);
			else if (after) await tx.put("waiting_tasks", after);
			return after && { before, after };
		}, DEFERRED);
	const drop = async (row: Pick<WaitingTaskRow, "documentId"> | undefined) => {
		if (row) await store.documents.delete(row.documentId, DEFERRED);
	};

	return {
		...reads,
		/** Undefined where none waits; "busy" while another process works on the same payment. */
		claim: (taskId: string, payment: string) =>
			store.transaction(async (tx) => {
				const row = await waiting(tx, taskId);
				if (!row) return undefined;
				if (await isPaying(tx, row)) {
					if (row.paying === payment) return "busy";
					throw paidElsewhere();
				}
				const claimed = { ...changed(row, tx), paying: payment, payingSince: clock.now() };
				await tx.put("waiting_tasks", claimed);
				return claimed;
			}, DEFERRED),
		/** Text first, under a name of its own: a row never points to a text that is missing, or to another state's. */
		async put(taskId: string, kept: KeptText, version: number | undefined): Promise<boolean> {
			const documentId = `waiting-${ids.next("txt")}`;
			const expiresAt = clock.now() + LIMITS.waitingTaskTtlMs;
			await store.documents.put(documentId, toDocument(kept), expiresAt, DEFERRED);
			const isClaimed = version !== undefined && claims.get(taskId) === version;
			const put = await change(taskId, async (row, { processId }) => {
				// One whose time was over while it was being paid for is its payer's all the same.
				if (row?.version !== version && (row || !isClaimed)) return undefined;
				return { id: taskId, documentId, version: (version ?? 0) + 1, processId, expiresAt };
			});
			await drop(put ? put.before : { documentId }).catch(() => undefined);
			return put !== undefined;
		},
		/** Ends a claim: what was paid for waits no more. */
		async end(taskId: string, version: number, how: "paid" | "unpaid"): Promise<void> {
			const ended = await change(taskId, async (row) => {
				if (row?.version !== version) return undefined;
				return how === "paid" ? "deleted" : unclaimed(row);
			});
			if (how === "paid") await drop(ended?.before);
		},
		/** Deletes one that no other process has changed since. */
		async evict(taskId: string): Promise<void> {
			const evicted = await change(taskId, async (row, tx) =>
				row?.processId === tx.processId && !(await isPaying(tx, row)) ? "deleted" : undefined,
			);
			await drop(evicted?.before);
		},
		/** Makes one this process's whose own has ended; true where it is now. */
		async take(taskId: string): Promise<boolean> {
			const taken = await change(taskId, async (row, tx) =>
				row && !(await tx.isAlive(row.processId)) ? unclaimed(changed(row, tx)) : undefined,
			);
			return taken !== undefined;
		},
	};
}

type Judge = (
	row: WaitingTaskRow | undefined,
	tx: StoreTransaction,
) => Promise<WaitingTaskRow | "deleted" | undefined>;

function changed(row: WaitingTaskRow, { processId }: StoreTransaction): WaitingTaskRow {
	return { ...row, processId, version: row.version + 1 };
}

function unclaimed({ paying: _, payingSince: __, ...row }: WaitingTaskRow): WaitingTaskRow {
	return row;
}

/** Forgets those whose time is over; their texts go with the sweep of documents. */
export async function sweepWaiting(store: Store, now: number): Promise<void> {
	const rows = await store.read((reader) => reader.list("waiting_tasks"));
	const past = rows.filter(({ expiresAt }) => expiresAt <= now);
	if (past.length === 0) return;
	await store.transaction(async (tx) => {
		for (const { id } of past) {
			const row = await tx.get("waiting_tasks", id);
			if (row && row.expiresAt <= now) await tx.delete("waiting_tasks", id);
		}
	}, DEFERRED);
}

function paidElsewhere(): ServiceError {
	return new ServiceError(
		"IDEMPOTENCY_IN_FLIGHT",
		"This task is being paid for; wait for its answer, or send that payment again.",
	);
}

/** Whose it is goes before the text, so that it is counted without being read. */
function toDocument({ text, ...facts }: KeptText): string {
	return `${JSON.stringify(facts)}\n${text}`;
}

function fromDocument(document: string): KeptText {
	const end = document.indexOf("\n");
	return { ...JSON.parse(document.slice(0, end)), text: document.slice(end + 1) };
}
