import type { Test } from "tap";
import { createIds, systemRandom } from "../../src/kernel/ids.js";
import { times } from "../support/times.js";
import { credit, posting, receiptRow, START_MS } from "./open-test-store.js";
import type { Cost, OpenStore, StoreUnderTest } from "./store-under-test.js";

const SHORT = 1_000;
const LONG = 101_000;
/** Payments that are counted at either length, at most. */
const COUNTED = 3_000;
/** So many in a day: what is kept for a time is kept at either length. */
const PAYMENTS_PER_HOUR = 10;

export function costContract(t: Test, open: OpenStore, share = 1): void {
	t.test(
		"conformance 8: a payment costs the same after a long history as after a short",
		async (t) => {
			const shop = await openShop(await open());
			await shop.fill(SHORT);
			const counted = Math.ceil(COUNTED * share);
			const short = await shop.costOfEach(counted);
			await shop.fill(LONG - SHORT - counted);
			const long = await shop.costOfEach(counted);
			t.ok(long.entries <= 1.2 * short.entries, `${short.entries} entries, then ${long.entries}`);
			for (const name of ["calls", "bytesRead", "bytesWritten"] as const) {
				const [before, after] = [short[name] / counted, long[name] / counted];
				t.ok(after <= 1.2 * before, `${name}: ${before.toFixed(2)} each, then ${after.toFixed(2)}`);
			}
			const found = await shop.costOfOldReceipt();
			t.ok(found.bytesRead < 16 * 1024 * 1024, `${found.bytesRead} bytes for the oldest receipt`);
		},
	);
}

const keyOfDayBefore = (index: number) => `key ${index - 24 * PAYMENTS_PER_HOUR}`;

async function openShop({ store, clock, cost }: StoreUnderTest) {
	const ids = createIds({ clock, random: systemRandom });
	await credit(store, "cust:a", 10n ** 12n);
	let [sold, oldest] = [0, ""];

	const nextSale = () => {
		sold += 1;
		const nowMs = START_MS + Math.floor((sold / PAYMENTS_PER_HOUR) * 3_600_000);
		clock.set(nowMs);
		const id = ids.next("rcpt");
		oldest ||= id;
		return { index: sold, id, nowMs };
	};
	/** A call: what it may cost is held, then captured with its receipt; its retry key lasts a day. */
	const sellOne = async () => {
		const { index, id, nowMs } = nextSale();
		await store.transaction(
			async (tx) => {
				const entries = { "cust:a": -2n, "held:a": 2n };
				await tx.post(posting(`hold ${index}`, entries, { key: undefined, at: nowMs }));
				await tx.put("idempotency", {
					...{ id: `key ${index}`, fingerprint: "f", state: "in_flight" as const, holdId: id },
					...{ receiptId: undefined, createdAt: nowMs, expiresAt: nowMs + 86_400_000 },
				});
			},
			{ durability: "deferred" },
		);
		await store.transaction(async (tx) => {
			const entries = { "held:a": -2n, "rev:per_call": 2n };
			await tx.post(posting(`capture ${index}`, entries, { at: nowMs }));
			await tx.put("receipts", receiptRow(id, { at: nowMs }));
			await tx.delete("idempotency", keyOfDayBefore(index));
		});
	};
	const since = (before: Cost): Cost => {
		const now = cost();
		return {
			entries: now.entries,
			calls: now.calls - before.calls,
			bytesRead: now.bytesRead - before.bytesRead,
			bytesWritten: now.bytesWritten - before.bytesWritten,
		};
	};
	return {
		/** Sells so many in a hurry: fifty in one transaction. */
		async fill(count: number) {
			for (let left = count; left > 0; left -= 50) {
				await store.transaction(async (tx) => {
					for (const _ of times(50, () => undefined)) {
						const { index, id, nowMs } = nextSale();
						const entries = { "cust:a": -2n, "rev:per_call": 2n };
						await tx.post(posting(`capture ${index}`, entries, { at: nowMs }));
						await tx.put("receipts", receiptRow(id, { at: nowMs }));
						await tx.delete("idempotency", keyOfDayBefore(index));
					}
				});
			}
		},
		async costOfEach(count: number): Promise<Cost> {
			const before = cost();
			for (const _ of times(count, () => undefined)) await sellOne();
			return since(before);
		},
		async costOfOldReceipt(): Promise<Cost> {
			const before = cost();
			await store.read((reader) => reader.get("receipts", oldest));
			return since(before);
		},
	};
}
