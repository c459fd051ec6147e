import {
	beginAttempt,
	type Charged,
	finishAttempt,
	type HeldAdmission,
	idempotencyIdOf,
	type JobHold,
	type JobOpening,
	judgeAttempt,
	type LaunchedAdmission,
	type PaymentMethod,
	type PricedAdmission,
	type Quote,
	type Released,
	toReceipt,
} from "../../payments/payments.js";
import type { HoldRow, ReceiptRow, Store, StoreTransaction } from "../../store/store.js";
import type { Call, Caller, ReleaseReason, Skill } from "../contract/contract.js";
import { type Clock, ServiceError } from "../kernel/kernel.js";

export interface BalanceDeps {
	readonly store: Store;
	readonly clock: Clock;
	readonly method: PaymentMethod;
}

export interface BalanceRequest {
	readonly skill: Skill;
	readonly input: unknown;
	readonly call: Pick<Call, "idempotencyKey">;
	readonly payer: Caller;
	readonly quote: Quote;
	readonly fingerprint: string;
	readonly job?: JobOpening | undefined;
}

/** Holds the price on a balance we keep, in the same transaction that judges the retry key. Throws PaymentRequired. */
export async function admitFromBalance(
	deps: BalanceDeps,
	request: BalanceRequest,
): Promise<PricedAdmission> {
	const { payer, quote, fingerprint, skill, input } = request;
	const admitted = await hold(deps, request);
	if ("jobId" in admitted) return { kind: "launched", payer, quote, ...admitted };
	if ("receiptId" in admitted) {
		const receipt = await getReceipt(deps.store, admitted.receiptId);
		return { kind: "replayed", payer, receipt };
	}
	const graphIds = skill.graphsOf(input);
	return toHeld(deps, { payer, quote, fingerprint, graphIds, hold: admitted.hold });
}

interface HeldBy {
	readonly payer: Caller;
	readonly quote: Quote;
	readonly fingerprint: string;
	readonly graphIds: readonly string[];
	readonly hold: HoldRow;
}

function toHeld({ store, clock, method }: BalanceDeps, held: HeldBy): HeldAdmission {
	const { payer, quote, fingerprint, graphIds, hold: row } = held;
	return {
		kind: "held",
		id: row.id,
		payer,
		quote,
		capture: (part): Promise<Charged> =>
			store.transaction(async (tx) => {
				const captured = await method.capture(tx, row, part?.amountMicros);
				const at = clock.now();
				const facts = { fingerprint, at, graphIds, paidUnits: part?.units };
				const receipt = toReceipt(row, captured, facts);
				await tx.put("receipts", receipt);
				await finishAttempt(tx, row.idempotencyId, receipt.id);
				return { receipt };
			}),
		async release(reason: ReleaseReason): Promise<Released> {
			const released = store.transaction((tx) => method.release(tx, row, reason), {
				durability: "deferred",
			});
			// A stopped store answers every later call itself; the hold is released at the next start.
			await released.catch(() => undefined);
			const balance = store.read((reader) => method.balance(reader, payer));
			return { balanceMicros: await balance.catch(() => undefined) };
		},
	};
}

type Held = { readonly hold: HoldRow };
type Launched = Pick<LaunchedAdmission, "jobId" | "isNew" | "balanceMicros">;
type PaidBefore = { readonly receiptId: string };

/** One transaction judges the idempotency key and holds the price: neither is seen without the other. */
function hold(
	{ store, clock, method }: BalanceDeps,
	request: BalanceRequest,
): Promise<Held | PaidBefore | Launched> {
	const { payer, quote, fingerprint, skill, input, call, job } = request;
	const key = call.idempotencyKey;
	const id = key === undefined ? undefined : idempotencyIdOf(payer.owner, quote.operationId, key);
	const { access } = payer;
	const graphIds = skill.graphsOf(input);
	const purchase = { quote, graphIds, idempotencyId: id };
	const work = async (tx: StoreTransaction): Promise<Held | PaidBefore | Launched> => {
		const now = clock.now();
		const earlier = id && (await judgeAttempt(tx, { id, fingerprint, access, now }));
		if (earlier && earlier.kind !== "first") {
			// What was paid for once is still only for who may buy it.
			await method.assertMayBuy?.(tx, payer, purchase);
			if (earlier.kind === "replay") return { receiptId: earlier.receiptId };
			const balanceMicros = await method.balance(tx, payer);
			return { jobId: earlier.jobId, isNew: false, balanceMicros };
		}
		job?.reserve();
		const held = await method.authorize(tx, payer, purchase);
		const jobId = job?.id;
		const attempt = { fingerprint, holdId: held.id, jobId, access, now };
		if (id !== undefined) await beginAttempt(tx, { id, ...attempt });
		if (!job) return { hold: held };
		await give(tx, job, { hold: held, quote, fingerprint, graphIds, isProven: true });
		return { jobId: job.id, isNew: true, balanceMicros: await method.balance(tx, payer) };
	};
	// A hold that a crash forgets is a hold released; only what outlives the call must be durable first.
	return store.transaction(work, {
		durability: skill.capture === "onResult" ? "deferred" : "durable",
	});
}

/** From here on the job owns the hold. */
async function give(tx: StoreTransaction, job: JobOpening, held: JobHold): Promise<void> {
	const hold = { ...held.hold, jobId: job.id };
	await tx.put("holds", hold);
	await job.open(tx, { ...held, hold });
}

async function getReceipt(store: Store, id: string): Promise<ReceiptRow> {
	const receipt = await store.read((reader) => reader.get("receipts", id));
	if (receipt) return receipt;
	throw new ServiceError("INTERNAL", `The receipt ${id} of an earlier call could not be read.`);
}
