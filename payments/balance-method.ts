import {
	type AccessScope,
	type Caller,
	namesOperation,
	type ReleaseReason,
} from "../src/contract/contract.js";
import { type Clock, ServiceError, siblingId } from "../src/kernel/kernel.js";
import type { HoldRow, ReceiptRow, Store, StoreTransaction } from "../store/store.js";
import { beginAttempt, idempotencyIdOf, judgeAttempt } from "./idempotency.js";
import { finishAttempt, toReceipt } from "./ledger.js";
import type {
	AdmissionRequest,
	Balance,
	Charged,
	HeldAdmission,
	JobHold,
	JobOpening,
	PaymentMethod,
	Purchase,
	Released,
} from "./payment-method.js";
import { noteRepeated } from "./undelivered.js";

interface BalanceDeps {
	readonly store: Store;
	readonly clock: Clock;
	readonly balance: Balance;
	/** Refunds the price of an answer that certainly reached no one. */
	readonly refundLost: (receiptId: string) => Promise<unknown>;
	/** Called with the receipt of a capture that could not be written when its caller was refused, and that may be written yet. */
	readonly noteUnwritten: (receiptId: string) => void;
}

/** Pays calls from a balance that we keep: held in the same transaction that judges the retry key. */
export function createBalanceMethod(deps: BalanceDeps): PaymentMethod {
	const { store, balance } = deps;
	return {
		rails: [balance.rail],
		balance,
		schemes: balance.schemes,
		offers: (quote) => [balance.offer(quote)],

		async identify(proof, options) {
			if ("payload" in proof) throw new Error(`The rail "${balance.rail}" takes no payments.`);
			return balance.identify(store, proof, options);
		},

		async admit(request) {
			const { payer, quote } = request;
			const admitted = await hold(deps, request);
			if ("jobId" in admitted) return { kind: "launched", payer, quote, ...admitted };
			if ("receiptId" in admitted) {
				// That it was asked for again is durable before it leaves again.
				await store.transaction(async () => undefined);
				return { kind: "replayed", payer, receipt: await getReceipt(store, admitted.receiptId) };
			}
			return toHeld(deps, request, admitted.hold);
		},
	};
}

type Held = { readonly hold: HoldRow };
type PaidBefore = { readonly receiptId: string };
type Launched = {
	readonly jobId: string;
	readonly isNew: boolean;
	readonly balanceMicros: bigint;
};

/** One transaction judges the retry key and holds the price: neither is seen without the other. */
function hold(
	{ store, clock, balance }: BalanceDeps,
	request: AdmissionRequest,
): Promise<Held | PaidBefore | Launched> {
	const { payer, quote, fingerprint, graphIds, capture, idempotencyKey: key, job } = request;
	const id = key === undefined ? undefined : idempotencyIdOf(payer.owner, quote.operationId, key);
	const { access } = payer;
	const purchase = { quote, graphIds, idempotencyId: id };
	const work = async (tx: StoreTransaction): Promise<Held | PaidBefore | Launched> => {
		const now = clock.now();
		const earlier = id && (await judgeAttempt(tx, { id, fingerprint, access, now }));
		if (earlier && earlier.kind !== "first") {
			// What was paid for once is still only for who may buy it.
			await balance.assertMayBuy?.(tx, payer, purchase);
			if (earlier.kind === "replay") {
				await noteRepeated(tx, { receiptId: earlier.receiptId, owner: payer.owner, now });
				return { receiptId: earlier.receiptId };
			}
			const balanceMicros = await balance.balance(tx, payer);
			return { jobId: earlier.jobId, isNew: false, balanceMicros };
		}
		job?.reserve();
		const held = await balance.authorize(tx, payer, purchase);
		const attempt = { fingerprint, holdId: held.id, jobId: job?.id, access, now };
		if (id !== undefined) await beginAttempt(tx, { id, ...attempt });
		if (!job) return { hold: held };
		await handToJob(tx, job, { hold: held, quote, fingerprint, graphIds, isProven: true });
		return { jobId: job.id, isNew: true, balanceMicros: await balance.balance(tx, payer) };
	};
	// A hold that a crash forgets is a hold released; only what outlives the call must be durable first.
	return store.transaction(work, {
		durability: capture === "onResult" ? "deferred" : "durable",
	});
}

/** From here on the job owns the hold. */
async function handToJob(tx: StoreTransaction, job: JobOpening, held: JobHold): Promise<void> {
	const hold = { ...held.hold, jobId: job.id };
	await tx.put("holds", hold);
	await job.open(tx, { ...held, hold });
}

function toHeld(
	{ store, clock, balance, refundLost, noteUnwritten }: BalanceDeps,
	{ payer, quote, fingerprint, graphIds, capture }: AdmissionRequest,
	row: HoldRow,
): HeldAdmission {
	const receiptId = siblingId(row.id, "rcpt");
	return {
		kind: "held",
		id: row.id,
		payer,
		quote,
		async capture(part): Promise<Charged> {
			/** Whether it only remained to be written: a refusal before that changes nothing. */
			let isTaken = false;
			const take = async (tx: StoreTransaction) => {
				isTaken = false;
				const captured = await balance.capture(tx, row, part?.amountMicros);
				const facts = { fingerprint, at: clock.now(), graphIds, paidUnits: part?.units };
				const receipt = toReceipt(row, captured, facts);
				await tx.put("receipts", receipt);
				await finishAttempt(tx, row.idempotencyId, receipt.id);
				isTaken = true;
				return { receipt };
			};
			try {
				return await store.transaction(take);
			} catch (error) {
				// Sent again with its retry key it is answered, at no further price.
				if (isTaken && row.idempotencyId === undefined) noteUnwritten(receiptId);
				throw error;
			}
		},
		async release(reason: ReleaseReason): Promise<Released> {
			const released = store.transaction((tx) => balance.release(tx, row, reason), {
				durability: "deferred",
			});
			// A stopped store answers every later call itself; the hold is released at the next start.
			await released.catch(() => undefined);
			const left = store.read((reader) => balance.balance(reader, payer));
			return { balanceMicros: await left.catch(() => undefined) };
		},
		// Of a stream the caller has had what came before it left.
		...(capture === "onResult" && {
			abandoned: ({ isLost }) => {
				// What cannot be written now is refunded when its payer asks, by the operator's decision.
				if (isLost) void refundLost(receiptId).catch(() => undefined);
			},
		}),
	};
}

async function getReceipt(store: Store, id: string): Promise<ReceiptRow> {
	const receipt = await store.read((reader) => reader.get("receipts", id));
	if (receipt) return receipt;
	throw new ServiceError("INTERNAL", `The receipt ${id} of an earlier call could not be read.`);
}

/** The balance that a hold is on, or a renewal is paid from. Throws INTERNAL for a rail without one. */
export function balanceOf(
	methods: readonly Pick<PaymentMethod, "balance">[],
	{ rail }: Pick<Caller, "rail">,
): Balance {
	const balance = methods.map((method) => method.balance).find((found) => found?.rail === rail);
	if (balance) return balance;
	throw new ServiceError("INTERNAL", `The payment rail "${rail}" is not configured.`);
}

/** Throws SCOPE_FORBIDDEN for a purchase outside the scope; `subject` is what has it: "token", "key". */
export function assertInScope(
	{ skills, graphs }: AccessScope,
	{ quote: { operationId }, graphIds }: Pick<Purchase, "quote" | "graphIds">,
	subject: string,
): void {
	const refuse = (what: string) =>
		new ServiceError("SCOPE_FORBIDDEN", `This ${subject} may not pay for "${what}".`);
	if (skills.length > 0 && !namesOperation(skills, operationId)) throw refuse(operationId);
	if (graphs.length === 0) return;
	// A skill that chooses its graphs itself cannot promise to stay within them.
	const foreign =
		graphIds.length === 0 ? "all graphs" : graphIds.find((id) => !graphs.includes(id));
	if (foreign) throw refuse(foreign);
}
