import { LIMITS } from "../../src/contract/contract.js";
import { type Micros, toIsoDay } from "../../src/kernel/kernel.js";
import type { HoldRow, Store, StoreTransaction, UsageCount, UsageRow } from "../../store/store.js";

const DAY_MS = 24 * 3_600_000;
/** Where calls are counted that name no graph or several, and those past the graphs that a row has room for. */
const ALL_GRAPHS = "*";
const OTHER_GRAPHS = "other";

type Counts = Readonly<Record<string, UsageCount>>;

/** Counts an answered call of an account in its row of the day, in the transaction that captures its price. */
export async function countUsage(
	tx: StoreTransaction,
	{ owner, operationId, graphIds = [], keyId }: HoldRow,
	{ paidMicros, now }: { readonly paidMicros: Micros; readonly now: number },
): Promise<void> {
	const id = `${owner}|${toIsoDay(now)}`;
	const row = (await tx.get("usage", id)) ?? emptyRow(id, owner, now + LIMITS.usageDays * DAY_MS);
	const one: UsageCount = { calls: 1, spentMicros: paidMicros };
	const [graphId = ALL_GRAPHS, ...others] = graphIds;
	await tx.put("usage", {
		...row,
		operations: added(row.operations, operationId, one),
		graphs: added(row.graphs, others.length > 0 ? ALL_GRAPHS : graphId, one),
		...(keyId !== undefined && { keys: added(row.keys, keyId, one) }),
	});
}

/** Adds days that are long over up to months, and forgets months long over, a few at a time. */
export async function foldUsage(store: Store, now: number): Promise<void> {
	const rows = await store.read((reader) => reader.list("usage"));
	for (const { id } of rows.filter(({ expiresAt }) => expiresAt <= now)) {
		await store.transaction((tx) => foldRow(tx, id), { durability: "deferred" });
	}
}

async function foldRow(tx: StoreTransaction, id: string): Promise<void> {
	const row = await tx.get("usage", id);
	if (!row) return;
	await tx.delete("usage", id);
	const [, day] = /^.*\|(\d{4}-\d{2}-\d{2})$/.exec(id) ?? [];
	if (day === undefined) return;
	const monthId = id.slice(0, -3);
	const expiresAt = Date.parse(day) + LIMITS.usageMonthDays * DAY_MS;
	const month = (await tx.get("usage", monthId)) ?? emptyRow(monthId, row.accountId, expiresAt);
	await tx.put("usage", {
		...month,
		operations: addedAll(month.operations, row.operations),
		graphs: addedAll(month.graphs, row.graphs),
		keys: addedAll(month.keys, row.keys),
	});
}

function emptyRow(id: string, accountId: string, expiresAt: number): UsageRow {
	return { id, accountId, operations: {}, graphs: {}, keys: {}, expiresAt };
}

function addedAll(counts: Counts, others: Counts): Counts {
	return Object.entries(others).reduce((sum, [name, count]) => added(sum, name, count), counts);
}

function added(counts: Counts, name: string, { calls, spentMicros }: UsageCount): Counts {
	const isRoom = Object.hasOwn(counts, name) || Object.keys(counts).length < LIMITS.usageNamesMax;
	const place = isRoom ? name : OTHER_GRAPHS;
	const before = Object.hasOwn(counts, place) ? counts[place] : undefined;
	return {
		...counts,
		[place]: {
			calls: (before?.calls ?? 0) + calls,
			spentMicros: (before?.spentMicros ?? 0n) + spentMicros,
		},
	};
}
