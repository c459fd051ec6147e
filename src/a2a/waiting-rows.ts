import type { Store, StoreReader, StoreTransaction, WaitingTaskRow } from "../../store/store.js";
import { LIMITS } from "../contract/contract.js";
import { type Ids, ServiceError } from "../kernel/kernel.js";
import {
	createTaskMemory,
	type FoundText,
	type KeptText,
	type TaskMemoryDeps,
	type WaitingTexts,
} from "./task-memory.js";

/** Callers who pay nothing must not make the disk wait: after a power cut their tasks may be gone, as after a restart. */
const DEFERRED = { durability: "deferred" } as const;
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

	const find = async (taskId: string): Promise<FoundText | undefined> => {
		for (let left = LOOKS; left > 0; left--) {
			const found = await rows.find(taskId);
			if (!found) return undefined;
			const kept = await rows.textOf(found);
			if (kept) return { text: kept.text, version: found.version, isBusy: found.isBusy };
		}
		return undefined;
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
			const row = await rows.claim(taskId, payment);
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
			const version = claims.get(taskId);
			claims.delete(taskId);
			memory.forget(taskId);
			if (version !== undefined) await rows.end(taskId, version, "paid").catch(() => undefined);
		},
		async release(taskId) {
			const version = claims.get(taskId);
			claims.delete(taskId);
			if (version !== undefined) await rows.end(taskId, version, "unpaid").catch(() => undefined);
		},
	};
	return {
		...texts,
		/** Counts from now on what processes left that have ended, and frees what they were paying. */
		async takeUp(): Promise<void> {
			const alive = new Set(await store.processes.alive());
			const left = await store.read((reader) => reader.list("waiting_tasks"));
			for (const row of left) {
				if (alive.has(row.processId) || row.expiresAt <= clock.now()) continue;
				const taken = await rows.take(row.id);
				const kept = taken && (await rows.textOf(taken));
				if (kept) await count(row.id, kept);
			}
		},
	};
}

function createRows({ store, clock, ids }: WaitingRowsDeps, claims: ReadonlyMap<string, number>) {
	const { documents } = store;
	const change = <T>(work: (tx: StoreTransaction) => Promise<T>) =>
		store.transaction(work, DEFERRED);
	const drop = (documentId: string) => documents.delete(documentId, DEFERRED);

	const waiting = async (reader: StoreReader, taskId: string) => {
		const row = await reader.get("waiting_tasks", taskId);
		if (!row || row.expiresAt <= clock.now()) return undefined;
		// Paid and kept: its process has not forgotten yet that it had waited, or ended before.
		return (await reader.get("tasks", taskId)) ? undefined : row;
	};
	const isPaying = async (reader: StoreReader, { id, paying, processId }: WaitingTaskRow) => {
		if (paying === undefined) return false;
		if (processId === store.processes.ownId()) return claims.has(id);
		return reader.isAlive(processId);
	};
	const claimOnce = (taskId: string, payment: string) =>
		change(async (tx) => {
			const row = await waiting(tx, taskId);
			if (!row) return undefined;
			if (await isPaying(tx, row)) {
				if (row.paying === payment) return "busy";
				throw paidElsewhere();
			}
			const { processId } = tx;
			const claimed = { ...row, processId, paying: payment, version: row.version + 1 };
			await tx.put("waiting_tasks", claimed);
			return claimed;
		});

	return {
		find: (taskId: string) =>
			store.read(async (reader) => {
				const row = await waiting(reader, taskId);
				return row && { ...row, isBusy: await isPaying(reader, row) };
			}),
		async textOf({ documentId }: WaitingTaskRow): Promise<KeptText | undefined> {
			const document = await documents.get(documentId);
			return document === undefined ? undefined : fromDocument(document);
		},
		async claim(taskId: string, payment: string): Promise<WaitingTaskRow | undefined> {
			const untilMs = clock.monotonicMs() + LIMITS.requestTimeoutMs;
			for (;;) {
				const claimed = await claimOnce(taskId, payment);
				if (claimed !== "busy") return claimed;
				if (clock.monotonicMs() >= untilMs) throw paidElsewhere();
				await new Promise((resolve) => clock.after(LOOK_MS, () => resolve(undefined), "awaited"));
			}
		},
		/** Text first, under a name of its own: a row never points to a text that is missing, or to another state's. */
		async put(taskId: string, kept: KeptText, version: number | undefined): Promise<boolean> {
			const documentId = `waiting-${ids.next("txt")}`;
			const expiresAt = clock.now() + LIMITS.waitingTaskTtlMs;
			await documents.put(documentId, toDocument(kept), expiresAt, DEFERRED);
			const isClaimed = version !== undefined && claims.get(taskId) === version;
			const outcome = await change(async (tx) => {
				const row = await tx.get("waiting_tasks", taskId);
				// One whose time was over while it was being paid for is its payer's all the same.
				if (row?.version !== version && (row || !isClaimed)) return "changed";
				const next = { id: taskId, documentId, version: (version ?? 0) + 1, expiresAt };
				await tx.put("waiting_tasks", { ...next, processId: tx.processId });
				return row;
			});
			const old = outcome === "changed" ? documentId : outcome?.documentId;
			if (old !== undefined) await drop(old).catch(() => undefined);
			return outcome !== "changed";
		},
		/** Ends a claim: what was paid for waits no more. */
		async end(taskId: string, version: number, how: "paid" | "unpaid"): Promise<void> {
			const ended = await change(async (tx) => {
				const row = await tx.get("waiting_tasks", taskId);
				if (row?.version !== version) return undefined;
				if (how === "paid") await tx.delete("waiting_tasks", taskId);
				else await tx.put("waiting_tasks", { ...row, paying: undefined });
				return row;
			});
			if (ended && how === "paid") await drop(ended.documentId);
		},
		/** Deletes one that no other process has changed since. */
		async evict(taskId: string): Promise<void> {
			const evicted = await change(async (tx) => {
				const row = await tx.get("waiting_tasks", taskId);
				if (row?.processId !== tx.processId || (await isPaying(tx, row))) return undefined;
				await tx.delete("waiting_tasks", taskId);
				return row;
			});
			if (evicted) await drop(evicted.documentId);
		},
		/** Makes one this process's whose own has ended. */
		take: (taskId: string) =>
			change(async (tx) => {
				const row = await tx.get("waiting_tasks", taskId);
				if (!row || (await tx.isAlive(row.processId))) return undefined;
				const { paying: _, ...free } = row;
				const taken = { ...free, version: row.version + 1, processId: tx.processId };
				await tx.put("waiting_tasks", taken);
				return taken;
			}),
	};
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
