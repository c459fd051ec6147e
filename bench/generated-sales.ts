/** Books with sales in them for tests and benchmarks: holds, captures with receipts, releases, retry keys, texts, the query log. */
import { beginAttempt, fingerprintOf, idempotencyIdOf } from "../payments/idempotency.js";
import { createLedger, finishAttempt, type Ledger, toReceipt } from "../payments/ledger.js";
import type { Clock } from "../src/kernel/clock.js";
import { createIds, systemRandom } from "../src/kernel/ids.js";
import type { Store } from "../store/store.js";

const PRICE_MICROS = 500_000n;
const OPERATION = "graphs.search";
const CALLERS = 64;
const DAY_MS = 86_400_000;

const SHARED = [
	{ owner: "operator", basisPoints: 7_500 },
	{ owner: "ann", basisPoints: 2_500 },
];

export interface SaleOptions {
	readonly clock: Clock;
	/** Two ledger transactions each. */
	readonly sales: number;
	/** How many tokens pay for them. */
	readonly owners: number;
	/** Tells their names and keys from those of another run on the same books. */
	readonly name?: string;
}

/** The owner of one sale. */
const ownerOf = (index: number, { owners, name = "s" }: Omit<SaleOptions, "clock">) =>
	`tok_${name}${index % owners}`;

/** Fills the books of a store, 64 calls at a time. */
export async function generateSales(store: Store, options: SaleOptions): Promise<void> {
	const { clock, sales, owners, name = "s" } = options;
	const ids = createIds({ clock, random: systemRandom });
	const ledger = createLedger({
		...{ clock, ids },
		ownersOf: ([graph]) => (graph === "shared" ? SHARED : undefined),
	});
	for (let index = 0; index < owners; index++) {
		const owner = ownerOf(index, options);
		const terms = { owner, source: "cash:manual", amountMicros: 10n ** 12n };
		await store.transaction((tx) => ledger.credit(tx, { ...terms, key: `issue:${owner}` }));
	}
	let next = 0;
	const sell = async () => {
		while (next < sales) {
			const index = next++;
			await sellOne({ store, ledger, clock }, { index, owner: ownerOf(index, options), name });
			await note(store, { clock, index, owner: ownerOf(index, options), name });
		}
	};
	await Promise.all(Array.from({ length: CALLERS }, sell));
}

interface Sale {
	readonly index: number;
	readonly owner: string;
	readonly name: string;
}

/** Every third with a retry key, every seventh of a graph that is shared, every eleventh without an answer. */
async function sellOne(
	{ store, ledger, clock }: { store: Store; ledger: Ledger; clock: Clock },
	{ index, owner, name }: Sale,
): Promise<void> {
	const fingerprint = fingerprintOf(OPERATION, { query: `${name} ${index}` });
	const idempotencyId =
		index % 3 === 0 ? idempotencyIdOf(owner, OPERATION, `${name} ${index}`) : undefined;
	const graphIds = [index % 7 === 0 ? "shared" : "energy"];
	const hold = await store.transaction(
		async (tx) => {
			const opened = await ledger.authorize(tx, {
				...{ from: `cust:${owner}`, owner, rail: "spt", amountMicros: PRICE_MICROS },
				...{ operationId: OPERATION, billingType: "per_call" as const, idempotencyId, graphIds },
			});
			if (idempotencyId !== undefined) {
				const use = { id: idempotencyId, fingerprint, now: clock.now(), holdId: opened.id };
				await beginAttempt(tx, use);
			}
			return opened;
		},
		{ durability: "deferred" },
	);
	if (index % 11 === 10) {
		await store.transaction((tx) => ledger.release(tx, hold, "no_answer"));
		return;
	}
	await store.transaction(async (tx) => {
		const transactionId = await ledger.capture(tx, hold, PRICE_MICROS);
		const balanceAfterMicros = await tx.balance(`cust:${owner}`);
		const captured = { transactionId, paidMicros: PRICE_MICROS, balanceAfterMicros };
		const receipt = toReceipt(hold, captured, { fingerprint, at: clock.now(), graphIds });
		await tx.put("receipts", receipt);
		await finishAttempt(tx, idempotencyId, receipt.id);
	});
}

/** A row of the query log of one of forty days, and now and then a text that expires. */
async function note(
	store: Store,
	{ clock, index, owner, name }: Sale & { readonly clock: Clock },
): Promise<void> {
	store.queryLog.append({
		at: clock.now() - (index % 40) * DAY_MS,
		...{ requestId: `req_${name}${index}`, owner, operationId: OPERATION, transport: "rest" },
		...{ query: `where does the river “Aa” begin, ${index}?`, decision: "answered" },
		receiptId: undefined,
	});
	if (index % 50 !== 0) return;
	const text = JSON.stringify({ task: index, text: "an answer\nof two lines, \u0000 and ünïcode" });
	await store.documents.put(`task-${name}-${index}`, text, clock.now() + DAY_MS);
}
