import type { Clock } from "../../src/kernel/kernel.js";
import {
	COLD_TABLES,
	LEDGER_KEY_WINDOW_MS,
	type Operation,
	type Row,
	TABLE_INDEXES,
	type TableName,
} from "../store.js";
import { type ConnectionPool, isRefusal, type Session } from "./connection.js";
import { type KnownRows, versionOf } from "./known-rows.js";
import { afterGathering, createQueueDeadline, type Queued } from "./queues.js";
import { balanceLock } from "./reads.js";
import { lockNameOf, recalledNames, type Seen } from "./seen-state.js";
import { toKey } from "./text-keys.js";
import { type Books, booksOf, indexValue, lastWrites, rowLock, type Write } from "./writes.js";

/** What one transaction saw and does. */
export interface Proposal {
	readonly seen: readonly Seen[];
	readonly operations: readonly Operation[];
	readonly isDeferred: boolean;
	/** As which it saw it. */
	readonly processId: string;
}

/** "outdated": nothing was written, for what it saw is no more, or others are at it; with locks it learns what holds. */
export type Outcome = "committed" | "outdated";
export type Submit = (proposal: Proposal) => Promise<Outcome>;

/** Transactions of one batch: each holds some ten locks, of which a server has some thousands. */
const BATCH_AT_MOST = 32;

/** At the same time, of each kind. */
const LANES = 4;
/** What takes longer holds up what came after it no more. */
const SLOW_MS = 250;

interface Waiting extends Queued {
	readonly proposal: Proposal;
	readonly writes: readonly Write[];
	readonly books: Books;
	/** What it touches, and whether others may look at the same. */
	readonly touched: Touches;
	/** Rows it writes without having seen them: what they were, only the database knows. */
	readonly blind: readonly Write[];
	readonly end: (outcome: Outcome) => void;
}

type Mode = "shared" | "alone";

export interface BatchDeps {
	readonly known: KnownRows;
	readonly pool: Pick<ConnectionPool, "commit">;
	/** The quoted name of the schema. */
	readonly schema: string;
	readonly clock: Clock;
}

/**
 * Commits transactions together that touch different things: what becomes ready while others are on their way waits for the
 * next batch. The database compares what each saw under the same locks that other transactions take.
 */
export function createBatchCommits(deps: BatchDeps): Submit {
	const { clock } = deps;
	const queue: Waiting[] = [];
	/** Of all that is not at its end, and of what is on its way. */
	const [pending, running] = [createTouched(), createTouched()];
	const watch = createQueueDeadline(clock, queue, ({ touched }) => pending.remove(touched));
	const lanes = createLanes(clock);
	let [batches, isPlanned] = [0, false];

	const commit = async (lane: Lane, batch: readonly Waiting[]) => {
		lane.startedMs = clock.monotonicMs();
		batches += 1;
		let conclude: (one: Waiting, index: number) => void;
		try {
			const outdated = await commitBatch(deps, batch, {
				lane: lane.number,
				number: batches,
			});
			conclude = (one, index) => {
				if (outdated.has(index)) deps.known.shun(recalledNames(one.proposal.seen));
				else noteCommitted(deps.known, one);
				one.end(outdated.has(index) ? "outdated" : "committed");
			};
		} catch (error) {
			// What the server refused one of them for it refuses in each: alone, each learns what holds for it.
			conclude = ({ end, fail }) => (isRefusal(error) ? end("outdated") : fail(error));
		}
		lane.startedMs = undefined;
		for (const [index, one] of batch.entries()) {
			running.remove(one.touched);
			pending.remove(one.touched);
			conclude(one, index);
		}
		plan();
	};
	const plan = () => {
		if (isPlanned || queue.length === 0) return;
		isPlanned = true;
		afterGathering(queue, BATCH_AT_MOST, () => {
			isPlanned = false;
			for (const isDeferred of [true, false]) {
				const lane = lanes.take(isDeferred);
				if (!lane) continue;
				const batch = takeBatch(queue, running, isDeferred);
				if (batch.length > 0) void commit(lane, batch);
			}
		});
	};

	return async (proposal) => {
		// What it saw is being changed.
		if (pending.meets(readsOf(proposal))) return "outdated";
		return new Promise((end, fail) => {
			const writes = [...lastWrites(proposal.operations).values()];
			const books = booksOf(proposal.operations);
			const before = rowsSeen(proposal);
			const touched = touchedBy(proposal, { writes, books, before });
			pending.add(touched);
			const blind = writes.filter(
				({ table, id }) => TABLE_INDEXES[table].length > 0 && !before.has(rowLock(table, id)),
			);
			const queuedMs = clock.monotonicMs();
			queue.push({ proposal, writes, books, touched, blind, queuedMs, end, fail });
			plan();
			watch();
		});
	};
}

interface Lane {
	readonly number: number;
	readonly isDeferred: boolean;
	/** Of the batch that is on its way. */
	startedMs: number | undefined;
}

/** Those that wait for the disk and those that do not: one batch of each at a time, and others while that one takes long. */
function createLanes(clock: Clock) {
	const all = Array.from({ length: 2 * LANES }, (_, number): Lane => {
		return { number, isDeferred: number < LANES, startedMs: undefined };
	});
	return {
		/** A free one, if another batch may go now. */
		take(isDeferred: boolean): Lane | undefined {
			const own = all.filter((lane) => lane.isDeferred === isDeferred);
			const isHeldUp = own.some(
				({ startedMs = Number.NEGATIVE_INFINITY }) => clock.monotonicMs() - startedMs <= SLOW_MS,
			);
			return isHeldUp ? undefined : own.find(({ startedMs }) => startedMs === undefined);
		},
	};
}

/** Takes out of the queue what can go together now, and notes what it touches. */
function takeBatch(queue: Waiting[], running: Touched, isDeferred: boolean): readonly Waiting[] {
	const batch: Waiting[] = [];
	// Who waits for its turn is not overtaken by what touches the same.
	const passedOver = createTouched();
	for (const one of queue) {
		if (batch.length === BATCH_AT_MOST) break;
		const isOfLane = one.proposal.isDeferred === isDeferred;
		const isFree = !running.meets(one.touched) && !passedOver.meets(one.touched);
		if (isOfLane && isFree && fits(one, batch)) {
			batch.push(one);
			running.add(one.touched);
		} else passedOver.add(one.touched);
	}
	for (const one of batch) queue.splice(queue.indexOf(one), 1);
	return batch;
}

/** Rows that others search by are locked by the values they had, which only the database knows: who searched is alone. */
function fits({ proposal }: Waiting, batch: readonly Waiting[]): boolean {
	const [first] = batch;
	if (!first) return true;
	const isSearching = [proposal, first.proposal].some(({ seen }) =>
		seen.some(({ question }) => question.kind === "rows"),
	);
	return !isSearching && proposal.processId === first.proposal.processId;
}

type Touches = ReadonlyMap<string, Mode>;

/** Named as the locks that the database takes for it. */
function readsOf({ seen }: Proposal): Map<string, Mode> {
	return new Map(
		seen.map((one) => [lockNameOf(one), one.question.kind === "rows" ? "alone" : "shared"]),
	);
}

function touchedBy(
	proposal: Proposal,
	{ writes, books, before }: Pick<Waiting, "writes" | "books"> & { readonly before: RowsSeen },
): Touches {
	const touched = readsOf(proposal);
	for (const { table, id, row } of writes) {
		touched.set(`t|${table}`, "shared");
		touched.set(rowLock(table, id), "alone");
		for (const one of [row, before.get(rowLock(table, id)) ?? null])
			for (const value of valueLocks(table, one)) share(touched, value);
	}
	for (const account of books.sums.keys())
		if (/^(cust|held):/.test(account)) touched.set(balanceLock(toKey(account)), "alone");
	for (const key of books.keys) touched.set(`k|${toKey(key)}`, "alone");
	return touched;
}

/** Who writes a value that rows are searched by keeps those away who search for it, not others who write it. */
function valueLocks(table: TableName, row: Row | null): readonly string[] {
	return TABLE_INDEXES[table].flatMap((_, place) => {
		const value = indexValue(row, table, place);
		return value === null ? [] : [`i|${table}|${place + 1}|${value}`];
	});
}

/** By the names of their locks; undefined for those that are not there. */
type RowsSeen = ReadonlyMap<string, Row | undefined>;

function rowsSeen({ seen }: Proposal): RowsSeen {
	const rows = new Map<string, Row | undefined>();
	for (const { question, rows: found } of seen) {
		if (question.kind === "balance") continue;
		if (question.kind === "row") rows.set(lockNameOf({ question }), found[0]);
		else for (const row of found) rows.set(rowLock(question.table, row.id), row);
	}
	return rows;
}

function share(touched: Map<string, Mode>, name: string): void {
	if (!touched.has(name)) touched.set(name, "shared");
}

type Touched = ReturnType<typeof createTouched>;

function createTouched() {
	const held = new Map<string, { alone: number; shared: number }>();
	const change = (touches: Touches, by: number) => {
		for (const [name, mode] of touches) {
			const count = held.get(name) ?? { alone: 0, shared: 0 };
			count[mode] += by;
			if (count.alone + count.shared > 0) held.set(name, count);
			else held.delete(name);
		}
	};
	return {
		add: (touches: Touches) => change(touches, 1),
		remove: (touches: Touches) => change(touches, -1),
		meets: (touches: Touches) =>
			[...touches].some(([name, mode]) => {
				const { alone, shared } = held.get(name) ?? { alone: 0, shared: 0 };
				return alone > 0 || (mode === "alone" && shared > 0);
			}),
	};
}

function noteCommitted(
	known: KnownRows,
	{ proposal: { seen, isDeferred }, writes, books }: Waiting,
): void {
	for (const write of writes) noteWritten(known, write);
	const sums = new Map([...books.sums].map(([account, sum]) => [toKey(account), sum]));
	for (const account of sums.keys()) known.takeBalance(account);
	if (!isDeferred) return;
	for (const { question, version: amount } of seen)
		if (question.kind === "balance")
			known.noteBalance(question.key, BigInt(amount ?? 0) + (sums.get(question.key) ?? 0n));
}

function noteWritten(known: KnownRows, { table, id, row, body }: Write): void {
	const name = rowLock(table, id);
	if (row && body && !COLD_TABLES.has(table))
		known.note(name, { row, version: versionOf(body), size: body.length });
	else known.forget(name);
}

/**
 * One statement, which is a transaction of its own. Throws what the database says, and then it holds of all of them. The end of one
 * whose connection was lost is asked for by its number: the answer makes sure that it does not commit afterwards. Returns the places of
 * those of which nothing was written.
 */
async function commitBatch(
	{ pool, schema, clock }: BatchDeps,
	batch: readonly Waiting[],
	{ lane, number }: { readonly lane: number; readonly number: number },
): Promise<ReadonlySet<number>> {
	const isDeferred = batch.every(({ proposal }) => proposal.isDeferred);
	const processId = batch[0]?.proposal.processId;
	const values = [
		...[processId, lane, number, clock.now(), LEDGER_KEY_WINDOW_MS, isDeferred, batch.length],
		...toParameters(batch),
	];
	const places = values.map((_, index) => `$${index + 1}`).join(", ");
	const askEnd = async (session: Session) => {
		const text = `SELECT failed FROM ${schema}.end_of_batch($1, $2, $3)`;
		return (await session.query(text, [processId, lane, number]))[0];
	};
	const text = `SELECT failed FROM ${schema}.apply_batch(${places})`;
	const row = await pool.commit({ text, values, askEnd });
	return new Set(row?.["failed"] as readonly number[]);
}

/** In the order of `apply_batch`, from the locks on: each list with the places of the transactions that its entries are of. */
function toParameters(batch: readonly Waiting[]): readonly unknown[] {
	const all = <T>(listOf: (one: Waiting) => Iterable<T>) =>
		batch.flatMap((one, tx) => Array.from(listOf(one), (item) => ({ tx, item })));
	const seen = all(({ proposal }) => proposal.seen);
	const gets = columnsOf(seen, ({ question, version }) =>
		question.kind === "row" ? [question.table, question.key, version] : undefined,
	);
	const finds = columnsOf(seen, ({ question, version }) =>
		question.kind === "rows" ? [question.table, question.place, question.key, version] : undefined,
	);
	const sums = columnsOf(seen, ({ question, version }) =>
		question.kind === "balance" ? [question.key, version ?? "0"] : undefined,
	);
	const locks = columnsOf(
		all(({ touched }) => touched),
		([name, mode]) => (name.startsWith("k|") ? undefined : [name, mode === "shared"]),
	);
	const blind = columnsOf(
		all(({ blind }) => blind),
		({ table, id }) => [table, toKey(id)],
	);
	const deletes = columnsOf(
		all(({ writes }) => writes),
		({ table, id, row }) => (row ? undefined : [table, toKey(id)]),
	);
	const writes = columnsOf(
		all(({ writes }) => writes),
		({ table, id, row, body }) =>
			row
				? [table, toKey(id), body, ...[0, 1, 2].map((at) => indexValue(row, table, at))]
				: undefined,
	);
	const moves = columnsOf(
		all(({ books }) => books.moves),
		([account, { amount, lowest }]) => [toKey(account), String(amount), String(lowest)],
	);
	const keys = columnsOf(
		all(({ books }) => books.keys),
		(key) => [toKey(key)],
	);
	const ledger = columnsOf(
		all(({ books }) => [books]),
		({ text, postings }) => (text === undefined ? undefined : [text, postings]),
	);
	const owners = columnsOf(
		all(({ books }) => books.owners),
		([owner, { hasPosting, receiptAt }]) => [toKey(owner), hasPosting, receiptAt ?? null],
	);
	return [
		...[locks(2), blind(2), gets(3), finds(4), sums(2), deletes(2), writes(6)].flat(),
		...[moves(3), keys(1), ledger(2), owners(3)].flat(),
	];
}

interface OfTransaction<T> {
	/** Its place in the batch. */
	readonly tx: number;
	readonly item: T;
}

/** The places of the transactions, then as many columns as a row has; items without a row are left out. */
function columnsOf<T>(
	list: readonly OfTransaction<T>[],
	toRow: (item: T) => readonly unknown[] | undefined,
) {
	const rows = list.flatMap(({ tx, item }) => {
		const row = toRow(item);
		return row ? [[tx, ...row]] : [];
	});
	return (width: number): readonly (readonly unknown[])[] =>
		Array.from({ length: width + 1 }, (_, place) => rows.map((row) => row[place]));
}
