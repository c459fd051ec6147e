import type { Clock } from "../../src/kernel/kernel.js";
import { encodeObject, LEDGER_KEY_WINDOW_MS, type Operation } from "../store.js";
import { type ConnectionPool, mayRunAgain, type Session } from "./connection.js";
import { balanceLock } from "./reads.js";
import { lockNameOf, type Seen } from "./seen-state.js";
import { toKey } from "./text-keys.js";
import { type Books, booksOf, indexValue, lastWrites, type Write } from "./writes.js";

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

/** Batches at the same time, of those that wait for the disk and of the others each. */
const LANES = 2;
/** Transactions of one batch: each holds some ten locks, of which a server has some thousands. */
const BATCH_AT_MOST = 32;

interface Waiting {
	readonly proposal: Proposal;
	readonly writes: readonly Write[];
	readonly books: Books;
	/** What it touches, and whether others may look at the same. */
	readonly touched: Touches;
	readonly end: (outcome: Outcome) => void;
	readonly fail: (error: unknown) => void;
}

type Mode = "shared" | "alone";

export interface BatchDeps {
	readonly pool: Pick<ConnectionPool, "write" | "hasCommitted">;
	/** The quoted name of the schema. */
	readonly schema: string;
	readonly clock: Clock;
}

/**
 * Commits transactions together that touch different things: what becomes ready while others are on their way waits for the
 * next batch. The database compares what each saw under the same locks that other transactions take.
 */
export function createBatchCommits(deps: BatchDeps): Submit {
	const queue: Waiting[] = [];
	/** Of all that is not at its end, and of what is on its way. */
	const [pending, running] = [createTouched(), createTouched()];
	const lanes = new Map([true, false].map((isDeferred) => [isDeferred, 0]));
	const laneOf = (isDeferred: boolean) => lanes.get(isDeferred) ?? 0;
	let isPlanned = false;

	const commit = async (isDeferred: boolean, batch: readonly Waiting[]) => {
		lanes.set(isDeferred, laneOf(isDeferred) + 1);
		let conclude: (one: Waiting, index: number) => void;
		try {
			const outdated = await commitBatch(deps, batch);
			conclude = ({ end }, index) => end(outdated.has(index) ? "outdated" : "committed");
		} catch (error) {
			conclude = ({ end, fail }) => (mayRunAgain(error) ? end("outdated") : fail(error));
		}
		lanes.set(isDeferred, laneOf(isDeferred) - 1);
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
		// After all that became ready in this turn of the loop has come.
		setImmediate(() => {
			isPlanned = false;
			for (const isDeferred of lanes.keys()) {
				if (laneOf(isDeferred) >= LANES) continue;
				const batch = takeBatch(queue, running, isDeferred);
				if (batch.length > 0) void commit(isDeferred, batch);
			}
		});
	};

	return async (proposal) => {
		// What it saw is being changed.
		if (pending.meets(readsOf(proposal))) return "outdated";
		return new Promise((end, fail) => {
			const writes = [...lastWrites(proposal.operations).values()];
			const books = booksOf(proposal.operations);
			const touched = touchedBy(proposal, writes, books);
			pending.add(touched);
			queue.push({ proposal, writes, books, touched, end, fail });
			plan();
		});
	};
}

/** Takes out of the queue what can go together now, and notes what it touches. */
function takeBatch(queue: Waiting[], running: Touched, isDeferred: boolean): readonly Waiting[] {
	const batch: Waiting[] = [];
	// Who waits for its turn is not overtaken by what touches the same.
	const passedOver = createTouched();
	for (const one of queue) {
		if (batch.length === BATCH_AT_MOST) break;
		if (one.proposal.isDeferred !== isDeferred) continue;
		const isFree = !running.meets(one.touched) && !passedOver.meets(one.touched);
		if (isFree && fits(one, batch)) {
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

function touchedBy(proposal: Proposal, writes: readonly Write[], books: Books): Touches {
	const touched = readsOf(proposal);
	for (const { table, id } of writes) touched.set(`r|${table}|${toKey(id)}`, "alone");
	for (const account of books.sums.keys())
		if (/^(cust|held):/.test(account)) touched.set(balanceLock(toKey(account)), "alone");
	for (const key of books.keys) touched.set(`k|${toKey(key)}`, "alone");
	return touched;
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

/** Returns the places of those of which nothing was written. Throws what the database says, and then it holds of all of them. */
async function commitBatch(
	{ pool, schema, clock }: BatchDeps,
	batch: readonly Waiting[],
): Promise<ReadonlySet<number>> {
	const isDeferred = batch.every(({ proposal }) => proposal.isDeferred);
	const values = toParameters(batch, { at: clock.now(), isDeferred });
	const places = values.map((_, index) => `$${index + 1}`).join(", ");
	let written: { readonly xid: string; readonly outdated: ReadonlySet<number> } | undefined;
	const run = async (session: Session) => {
		const [row] = await session.query(
			`SELECT xid, failed FROM ${schema}.apply_batch(${places})`,
			values,
		);
		const outdated = new Set((row?.["failed"] as readonly number[] | undefined) ?? []);
		if (row?.["xid"]) written = { xid: String(row["xid"]), outdated };
		return outdated;
	};
	try {
		return await pool.write(run, { isDeferred });
	} catch (error) {
		if (written && (await pool.hasCommitted(error, written.xid))) return written.outdated;
		throw error;
	}
}

/** In the order of `apply_batch`: each list with the places of the transactions that its entries are of. */
function toParameters(
	batch: readonly Waiting[],
	{ at, isDeferred }: { readonly at: number; readonly isDeferred: boolean },
): readonly unknown[] {
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
	const writes = columnsOf(
		all(({ writes }) => writes),
		({ table, id, row }) => [
			...[table, toKey(id), row && encodeObject(row)],
			...[0, 1, 2].map((place) => indexValue(row, table, place)),
		],
	);
	const moves = columnsOf(
		all(({ books }) => books.sums),
		([account, amount]) => [toKey(account), String(amount)],
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
	const [first] = batch;
	return [
		...[first?.proposal.processId, at, LEDGER_KEY_WINDOW_MS, !isDeferred, batch.length],
		...[gets(3), finds(4), sums(2), writes(6), moves(2), keys(1), ledger(2), owners(3)].flat(),
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
