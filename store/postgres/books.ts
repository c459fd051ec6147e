import { createHash } from "node:crypto";
import { invalidArgument, type Micros, unavailable } from "../../src/kernel/kernel.js";
import {
	type AccountName,
	addEntries,
	type CommittedTransaction,
	type LedgerTransaction,
	type ReceiptRow,
	reviveMoney,
	type StatementRequest,
	type Store,
	type VerifyOptions,
} from "../store.js";
import type { ConnectionPool, Rows } from "./connection.js";
import { fromKey, toKey } from "./text-keys.js";

/** Bytes of JSON that are read at a time, about; a single larger transaction is read alone. */
const PART_CHARS = 1024 * 1024;
const MOST_ROWS = 1_000;

interface Deps {
	readonly pool: ConnectionPool;
	/** The quoted name of the schema. */
	readonly schema: string;
}

interface LedgerRow {
	readonly seq: number;
	/** When it committed: milliseconds since the epoch. */
	readonly at: number;
	readonly body: string;
}

/** What transactions left: their history, the pages of one owner, and whether it all adds up. */
export function createBooks(
	deps: Deps,
): Pick<Store, "history" | "statement" | "receipts" | "verify" | "digest"> {
	const verify = createVerification(deps);
	return {
		async *history() {
			for await (const { body } of readLedger(deps, 0, await readEnd(deps)))
				yield toCommitted(body);
		},
		async statement(owner, page) {
			const { found, next } = await readPage(deps, { owner, ...page, column: "has_posting" });
			const accounts = new Set([`cust:${owner}`, `held:${owner}`]);
			const isOwn = ({ entries }: LedgerTransaction) =>
				entries.some(({ account }) => accounts.has(account));
			return {
				postings: found.flatMap(({ postings }) => postings.filter(isOwn).reverse()),
				next,
			};
		},
		async receipts(owner, { since, ...page }) {
			const wanted = { owner, ...page, column: "receipt_at_ms", since } as const;
			const { found, next } = await readPage(deps, wanted);
			const isOwn = (receipt: ReceiptRow) => receipt.owner === owner;
			return { receipts: found.flatMap(({ receipts }) => receipts.filter(isOwn).reverse()), next };
		},
		verify,
		async digest(at) {
			const end = await readEnd(deps);
			const place = at ?? end;
			if (place > end) return undefined;
			const hash = createHash("sha256");
			for await (const { seq, body } of readLedger(deps, 0, place)) hash.update(`${seq} ${body}\n`);
			return { sequence: place, sha256: hash.digest("hex") };
		},
	};
}

export function toCommitted(body: string): CommittedTransaction {
	return reviveMoney(JSON.parse(body));
}

/** The last place of the ledger before which nothing is missing: those who write wait until it is known. */
export async function readEnd({ pool, schema }: Deps): Promise<number> {
	return pool.write(async (session) => {
		await session.query(`SELECT pg_advisory_xact_lock(${schema}.lock_of('history'))`);
		return endOf(
			await session.query(`SELECT coalesce(max(seq), 0)::text AS seq FROM ${schema}.ledger`),
		);
	});
}

function endOf([row]: Rows): number {
	return Number(row?.["seq"] ?? 0);
}

const IS_WHOLE = "sha256 = sha256(convert_to(body, 'UTF8')) AS is_whole";

/**
 * Rows after one place up to another, in order and in small parts; they never change. Throws UNAVAILABLE, where they are checked, at
 * one that is not what was written.
 */
export async function* readLedger(
	{ pool, schema }: Deps,
	after: number,
	end: number,
	{ isChecked = false } = {},
): AsyncGenerator<LedgerRow> {
	let [seq, limit] = [after, 4];
	while (seq < end) {
		const rows = await pool.query(
			`SELECT seq::text AS place, at_ms::text AS at, body${isChecked ? `, ${IS_WHOLE}` : ""} FROM ${schema}.ledger WHERE seq > $1 AND seq <= $2 ORDER BY seq LIMIT $3`,
			[seq, end, limit],
		);
		let chars = 0;
		for (const row of rows) {
			const body = String(row["body"]);
			seq = Number(row["place"]);
			if (row["is_whole"] === false) throw altered(seq);
			chars += body.length;
			yield { seq, at: Number(row["at"]), body };
		}
		if (rows.length < limit) return;
		limit = Math.min(
			MOST_ROWS,
			Math.max(1, Math.floor((PART_CHARS * rows.length) / chars)),
			4 * limit,
		);
	}
}

interface OwnersPage extends StatementRequest {
	readonly owner: string;
	readonly column: "has_posting" | "receipt_at_ms";
	/** Epoch milliseconds; for receipts. */
	readonly since?: number;
}

/** What the transactions of one page left, newest first. A transaction is never cut in two, so that a page may be longer than its limit. */
async function readPage(
	{ pool, schema }: Deps,
	{ owner, column, since, limit, cursor }: OwnersPage,
) {
	const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : parseCursor(cursor);
	const condition =
		column === "has_posting" ? "m.has_posting AND $4::bigint IS NULL" : "m.receipt_at_ms >= $4";
	const rows = await pool.query(
		`SELECT l.seq::text AS seq, l.body FROM ${schema}.mentions AS m JOIN ${schema}.ledger AS l USING (seq)
			WHERE m.owner = $1 AND m.seq < $2 AND ${condition} ORDER BY m.seq DESC LIMIT $3`,
		[toKey(owner), before, limit, since ?? null],
	);
	const last = rows.at(-1);
	return {
		found: rows.map(({ body }) => toCommitted(String(body))),
		next: rows.length === limit && last ? toCursor(String(last["seq"])) : undefined,
	};
}

function toCursor(seq: string): string {
	return Buffer.from(`pg.${seq}`).toString("base64url");
}

function parseCursor(text: string): number {
	const [, seq] = /^pg\.(\d{1,15})$/.exec(Buffer.from(text, "base64url").toString("latin1")) ?? [];
	if (seq !== undefined) return Number(seq);
	throw invalidArgument(
		'The cursor is not one of ours; send "next_cursor" of the page before as it was.',
	);
}

interface Tally {
	readonly seq: number;
	readonly balances: ReadonlyMap<AccountName, Micros>;
	readonly transactions: number;
	readonly frames: number;
}

const NOTHING: Tally = { seq: 0, balances: new Map(), transactions: 0, frames: 0 };

/** Adds up the ledger from its rows and compares it with the balances of the same moment. */
function createVerification(deps: Deps): Store["verify"] {
	let last = NOTHING;
	return async ({ sinceLast = false, onTransaction }: VerifyOptions = {}) => {
		const from = sinceLast ? last : NOTHING;
		const moment = await readMoment(deps);
		const balances = new Map(from.balances);
		let { transactions, frames } = from;
		for await (const { body } of readLedger(deps, from.seq, moment.end, { isChecked: true })) {
			const committed = toCommitted(body);
			for (const { entries } of committed.postings) addEntries(balances, entries);
			transactions += committed.postings.length;
			frames += 1;
			onTransaction?.(committed);
		}
		assertSame(balances, moment.balances);
		last = { seq: moment.end, balances, transactions, frames };
		return { transactions, frames };
	};
}

/** The balances at a place of the ledger: those who write wait until both are read. */
async function readMoment({ pool, schema }: Deps) {
	return pool.write(async (still) => {
		await still.query(`SELECT pg_advisory_xact_lock(${schema}.lock_of('history'))`);
		const end = endOf(
			await still.query(`SELECT coalesce(max(seq), 0)::text AS seq FROM ${schema}.ledger`),
		);
		const rows = await still.query(
			`SELECT account, sum(amount)::text AS amount FROM ${schema}.balances GROUP BY account`,
		);
		const balances = new Map(
			rows.map(({ account, amount }) => [fromKey(String(account)), BigInt(String(amount))]),
		);
		return { end, balances };
	});
}

function altered(place: number) {
	return unavailable(
		`Row ${place} of the ledger in the database is not what was written there. Restore the database from a backup.`,
		{ retryable: false },
	);
}

function assertSame(
	summed: ReadonlyMap<AccountName, Micros>,
	kept: ReadonlyMap<AccountName, Micros>,
): void {
	const different = [...new Set([...summed.keys(), ...kept.keys()])].filter(
		(account) => (summed.get(account) ?? 0n) !== (kept.get(account) ?? 0n),
	);
	const [first] = different;
	if (first === undefined) return;
	throw unavailable(
		`The ledger in the database adds up to ${summed.get(first) ?? 0n} micro-USD for ${first}, and its balance is ${kept.get(first) ?? 0n}. Restore the database from a backup.`,
		{ retryable: false },
	);
}
