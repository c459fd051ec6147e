import fc from "fast-check";
import type { Test } from "tap";
import { exportLedger, type Store } from "../../store/store-port.js";
import { times } from "../support/times.js";
import { hashOfExport, importLedger } from "./import-ledger.js";
import { posting, receiptRow } from "./open-test-store.js";
import { type OpenStore, refused } from "./store-under-test.js";

interface Sale {
	readonly payer: number;
	readonly amountMicros: bigint;
	readonly receipts: number;
	readonly hasKey: boolean;
	readonly memo: string | undefined;
}

const sale: fc.Arbitrary<Sale> = fc.record({
	payer: fc.nat({ max: 3 }),
	amountMicros: fc.bigInt({ min: 0n, max: 10n ** 20n }),
	receipts: fc.nat({ max: 2 }),
	hasKey: fc.boolean(),
	memo: fc.option(fc.string({ unit: "binary", maxLength: 20 }), { nil: undefined }),
});

export function exportContract(t: Test, open: OpenStore, share = 1): void {
	t.test(
		"conformance 11: an export makes the same books in another store, to the last byte",
		async () => {
			const property = fc.asyncProperty(fc.array(sale, { maxLength: 12 }), async (sales) => {
				const { store } = await open();
				for (const [index, one] of sales.entries()) await sell(store, one, index);
				const other = await open();
				await importLedger(other.store, exportLedger(store));
				const again = await other.reopen();
				const found = [await balancesOf(again), await hashOfExport(again)];
				const expected = [await balancesOf(store), await hashOfExport(store)];
				if (`${found}` !== `${expected}`) throw new Error(`${found} instead of ${expected}`);
				await assertKeysUsed(again, sales);
			});
			await fc.assert(property, { numRuns: Math.ceil(40 * share) });
		},
	);

	t.test("an export is made as it is read", async (t) => {
		const { store, cost } = await open();
		await Promise.all(times(SALES, (index) => sell(store, SALE, index)));
		const before = cost();
		let lines = 0;
		for await (const line of exportLedger(store)) {
			t.match(JSON.parse(line), { postings: [{ entries: [{ amountMicros: "-7" }, {}] }] });
			lines += 1;
			if (lines === 3) break;
		}
		const read = cost().bytesRead - before.bytesRead;
		t.ok(read < 0.4 * before.bytesWritten, `${read} of ${before.bytesWritten} bytes were read`);
		await sell(store, SALE, SALES);
		t.equal(lines, 3, "whoever has read enough leaves, and the store goes on");
	});
}

/** So large that a journal of them has several segments. */
const SALE: Sale = {
	payer: 1,
	amountMicros: 7n,
	receipts: 1,
	hasKey: true,
	memo: "m".repeat(400_000),
};
const SALES = 50;

function sell(store: Store, one: Sale, index: number): Promise<void> {
	const { payer, amountMicros, receipts, hasKey, memo } = one;
	return store.transaction(async (tx) => {
		const entries = { "cash:manual": -amountMicros, [`cust:${payer}`]: amountMicros };
		const changes = { ...(!hasKey && { key: undefined }), ...(memo !== undefined && { memo }) };
		await tx.post(posting(`sale ${index}`, entries, changes));
		await tx.post(posting(`nothing ${index}`, { "cust:x": 0n, "rev:per_call": 0n }));
		for (const part of times(receipts, (i) => i)) {
			await tx.put("receipts", receiptRow(`rcpt_${index}_${part}`, { amountMicros }));
		}
	});
}

async function balancesOf(store: Store): Promise<string> {
	const balances = await store.read((reader) => reader.balances());
	return [...balances].sort().join(" ");
}

async function assertKeysUsed(store: Store, sales: readonly Sale[]): Promise<void> {
	for (const [index, { hasKey }] of sales.entries()) {
		if (!hasKey) continue;
		const again = store.transaction((tx) => tx.post(posting(`sale ${index}`, { a: 1n, b: -1n })));
		const error: unknown = await again.catch((thrown: unknown) => thrown);
		if ((error as { reason?: string }).reason === refused("duplicate_key").reason) continue;
		throw new Error(`the key of sale ${index} is free again`);
	}
}
