import fc from "fast-check";
import t from "tap";
import { countUsage, foldUsage } from "../../../payments/plan/plan-limits.js";
import { LIMITS } from "../../../src/contract/limits.js";
import type { HoldRow, UsageRow } from "../../../store/rows/call-rows.js";
import type { Store } from "../../../store/store-port.js";
import { openOn } from "../../store/open-test-store.js";

const DAY_MS = 86_400_000;
const FIRST_MS = Date.parse("2026-01-20T12:00:00Z");

interface Call {
	readonly account: "acc_a" | "acc_b";
	readonly day: number;
	readonly operation: string;
	readonly graphIds: readonly string[];
	readonly keyId: string | undefined;
	readonly micros: bigint;
}

const call: fc.Arbitrary<Call> = fc.record({
	account: fc.constantFrom("acc_a" as const, "acc_b" as const),
	day: fc.nat(60),
	operation: fc.constantFrom("search", "verify"),
	graphIds: fc.subarray(["g1", "g2"]),
	keyId: fc.constantFrom(undefined, "key_1"),
	micros: fc.bigInt(0n, 900_000n),
});

const count = (store: Store, { account, day, operation, graphIds, keyId, micros }: Call) => {
	const hold = { owner: account, operationId: operation, graphIds, keyId } as unknown as HoldRow;
	const facts = { paidMicros: micros, now: FIRST_MS + day * DAY_MS };
	return store.transaction((tx) => countUsage(tx, hold, facts));
};

const rowsOf = (store: Store) => store.read((reader) => reader.list("usage"));

/** Calls and money of an account by name, over rows of days and months alike. */
function totalsOf(
	rows: readonly UsageRow[],
	account: string,
	kind: "operations" | "graphs" | "keys",
) {
	const totals: Record<string, { calls: number; spentMicros: bigint }> = {};
	for (const row of rows.filter(({ accountId }) => accountId === account)) {
		for (const [name, { calls, spentMicros }] of Object.entries(row[kind])) {
			totals[name] ??= { calls: 0, spentMicros: 0n };
			totals[name].calls += calls;
			totals[name].spentMicros += spentMicros;
		}
	}
	return totals;
}

function expectedOf(
	calls: readonly Call[],
	account: string,
	kind: "operations" | "graphs" | "keys",
) {
	const totals: Record<string, { calls: number; spentMicros: bigint }> = {};
	for (const { operation, graphIds, keyId, micros } of calls.filter(
		(one) => one.account === account,
	)) {
		const graph = graphIds.length === 1 ? (graphIds[0] ?? "") : "*";
		const name = { operations: operation, graphs: graph, keys: keyId }[kind];
		if (name === undefined) continue;
		totals[name] ??= { calls: 0, spentMicros: 0n };
		totals[name].calls += 1;
		totals[name].spentMicros += micros;
	}
	return totals;
}

t.test("usage adds up the same by days and, once they are long over, by months", async (t) => {
	const property = fc.asyncProperty(
		fc.array(call, { maxLength: 12 }),
		fc.nat(60),
		async (calls, foldedDay) => {
			const store = await openOn();
			for (const one of calls) await count(store, one);
			const now = FIRST_MS + (foldedDay + LIMITS.usageDays) * DAY_MS;
			for (let round = 0; round < 2; round++) await foldUsage(store, now);
			const rows = await rowsOf(store);
			for (const account of ["acc_a", "acc_b"]) {
				for (const kind of ["operations", "graphs", "keys"] as const)
					t.same(totalsOf(rows, account, kind), expectedOf(calls, account, kind));
			}
			const dayOf = ({ id }: UsageRow) => /\|(\d{4}-\d{2}-\d{2})$/.exec(id)?.[1];
			const days = rows.flatMap((row) => dayOf(row) ?? []);
			const firstKept = new Date(FIRST_MS + (foldedDay + 1) * DAY_MS).toISOString().slice(0, 10);
			t.ok(
				days.every((day) => day >= firstKept),
				`${days} from ${firstKept}`,
			);
		},
	);
	await fc.assert(property, { numRuns: 30 });
});

t.test("a month is kept for so long after its days, and then forgotten", async (t) => {
	const store = await openOn();
	await count(store, {
		...{
			account: "acc_a",
			day: 0,
			operation: "search",
			graphIds: [],
			keyId: undefined,
			micros: 5n,
		},
	});
	const midnight = Date.parse("2026-01-20");
	await foldUsage(store, FIRST_MS + LIMITS.usageDays * DAY_MS - 1);
	t.match(await rowsOf(store), [{ id: "acc_a|2026-01-20" }], "a day too early it is a day");
	await foldUsage(store, FIRST_MS + LIMITS.usageDays * DAY_MS);
	const expiresAt = midnight + LIMITS.usageMonthDays * DAY_MS;
	t.match(await rowsOf(store), [{ id: "acc_a|2026-01", accountId: "acc_a", expiresAt }]);
	await foldUsage(store, expiresAt - 1);
	t.equal((await rowsOf(store)).length, 1);
	await foldUsage(store, expiresAt);
	t.same(await rowsOf(store), []);
});

t.test("a row has room for so many names; the rest are counted together", async (t) => {
	const store = await openOn();
	const names = Array.from(
		{ length: LIMITS.usageNamesMax + 3 },
		(_, index) => `operation ${index}`,
	);
	for (const operation of [...names, "operation 0"]) {
		await count(store, {
			...{ account: "acc_a", day: 0, operation, graphIds: [], keyId: undefined, micros: 2n },
		});
	}
	const [row] = await rowsOf(store);
	t.equal(Object.keys(row?.operations ?? {}).length, LIMITS.usageNamesMax + 1);
	t.same(row?.operations["other"], { calls: 3, spentMicros: 6n });
	t.same(row?.operations["operation 0"], { calls: 2, spentMicros: 4n });
});
