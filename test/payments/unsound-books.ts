import { posting, receiptRow } from "../store/open-test-store.js";
import type { Books } from "./open-books.js";

export const HASH = `0x${"a".repeat(64)}`;

type Spoilt = readonly [spoil: (books: Books) => Promise<unknown>, found: RegExp];

/** Books with one call that "key of a" paid for are spoilt; what is found, at once and in full. */
export const UNSOUND: Readonly<Record<string, Spoilt>> = {
	"a capture without a receipt": [
		({ store }) =>
			store.transaction((tx) =>
				tx.post(posting("c", { "cust:tok_a": -1n, "rev:per_call": 1n }, { kind: "capture" })),
			),
		/I6: the capture txn_c/,
	],
	"a receipt without a capture": [
		({ store }) => store.transaction((tx) => tx.put("receipts", receiptRow("rcpt_stray"))),
		/I6: the receipt rcpt_stray/,
	],
	"a receipt in another transaction than its capture": [
		async ({ store }) => {
			const capture = posting("c", { "cust:tok_a": -1n, "rev:per_call": 1n }, { kind: "capture" });
			await store.transaction((tx) => tx.post(capture));
			const late = receiptRow("rcpt_late", { transactionId: capture.id, amountMicros: 1n });
			await store.transaction((tx) => tx.put("receipts", late));
		},
		/I6: the receipt rcpt_late/,
	],
	"a payment that is settled twice": [
		async ({ settle }) => {
			await settle("pay_1", 1n, HASH);
			await settle("pay_1", 1n, HASH.replaceAll("a", "b"));
		},
		/I7: the payment pay_1 is settled twice/,
	],
	"two receipts of one payment": [
		async ({ store }) => {
			const settlement = { network: "n", transactionHash: HASH, payer: "p", paymentId: "pay_1" };
			for (const key of ["c1", "c2"]) {
				const transactionId = `txn_${key}`;
				await store.transaction(async (tx) => {
					const entries = { "cust:tok_a": -1n, "rev:per_call": 1n };
					await tx.post(posting(key, entries, { kind: "capture" }));
					const own = { transactionId, amountMicros: 1n, settlement };
					await tx.put("receipts", receiptRow(`rcpt_${key}`, own));
				});
			}
		},
		/I7: rcpt_c2 is a second receipt/,
	],
	"more refunded than charged": [
		async ({ store, sell, ids }) => {
			const { id } = await sell({ owner: "tok_a", amountMicros: 500_000n });
			const row = { ref: id, owner: "tok_a", amountMicros: 500_001n, reason: "r" };
			const refundId = ids.next("rfd");
			await store.transaction(async (tx) => {
				const entries = { "rev:per_call": -500_001n, "cust:tok_a": 500_001n };
				await tx.post(posting(`refund:${refundId}`, entries, { kind: "refund", ref: id }));
				await tx.put("refunds", { ...row, id: refundId, state: "paid", createdAt: 0 });
			});
		},
		/I9: rcpt_.* charged 0.50 USD and was refunded 0.500001 USD/,
	],
	"a refund of a receipt nobody wrote": [
		({ store }) =>
			store.transaction((tx) =>
				tx.post(
					posting(
						"r",
						{ "rev:per_call": -1n, "cust:tok_a": 1n },
						{
							kind: "refund",
							ref: "rcpt_nobody",
						},
					),
				),
			),
		/I9: the receipt rcpt_nobody is refunded but unknown/,
	],
	"money in refunds that no refund explains": [
		({ store }) =>
			store.transaction((tx) => tx.post(posting("r", { "cash:manual": -1n, refunds: 1n }))),
		/I9: refunds holds 0.000001 USD/,
	],
	"a hold whose retry key is free": [
		({ store, ledger }) =>
			store.transaction((tx) =>
				ledger.authorize(tx, {
					from: "cust:tok_a",
					owner: "tok_a",
					rail: "spt",
					amountMicros: 1n,
					operationId: "graphs.search",
					billingType: "per_call",
					idempotencyId: "nobody's",
				}),
			),
		/I10: hold_.* is open/,
	],
};

/** Found only when all is read. */
export const UNSOUND_IN_FULL: typeof UNSOUND = {
	"a purchase without a settlement": [
		({ store }) =>
			store.transaction((tx) =>
				tx.put("receipts", receiptRow("rcpt_b", { billingType: "prepaid" })),
			),
		/I6: the receipt rcpt_b stands for no settlement/,
	],
	"a refund row that was never posted": [
		({ store }) =>
			store.transaction((tx) =>
				tx.put("refunds", {
					id: "rfd_stray",
					ref: "tok_a",
					owner: "tok_a",
					amountMicros: 1n,
					reason: "r",
					state: "paid",
					createdAt: 0,
				}),
			),
		/I9: the refund rfd_stray was never posted/,
	],
	"a retry key that names a receipt nobody wrote": [
		({ store }) =>
			store.transaction(async (tx) => {
				const row = await tx.get("idempotency", "key of a");
				if (row) await tx.put("idempotency", { ...row, receiptId: "rcpt_nobody" });
			}),
		/I10: an idempotency key names rcpt_nobody/,
	],
	"a retry key that names the receipt of another request": [
		({ store }) =>
			store.transaction(async (tx) => {
				const row = await tx.get("idempotency", "key of a");
				if (row) await tx.put("idempotency", { ...row, fingerprint: "another" });
			}),
		/I10: an idempotency key names rcpt_.* another request/,
	],
	"a retry key in flight under a closed hold": [
		({ store }) =>
			store.transaction(async (tx) => {
				const row = await tx.get("idempotency", "key of a");
				if (row) await tx.put("idempotency", { ...row, state: "in_flight" });
			}),
		/I10: an idempotency key is in flight/,
	],
};
