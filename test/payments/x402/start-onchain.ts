import { createLedger } from "../../../payments/ledger.js";
import type { TransferAuthorization } from "../../../payments/onchain/facilitator.js";
import {
	createOnchainMethod,
	type OnchainPayments,
} from "../../../payments/onchain/onchain-method.js";
import type { PaymentEnvelope } from "../../../payments/onchain/payment-claim.js";
import type { OwnersOf } from "../../../payments/owner-shares.js";
import type { AdmissionRequest } from "../../../payments/payment-method.js";
import { createSweeper } from "../../../payments/refunds/sweep.js";
import { createSptIssuer } from "../../../payments/spt/spt-issuer.js";
import { createX402Envelope } from "../../../payments/x402/x402.js";
import { type Clock, systemClock } from "../../../src/kernel/clock.js";
import { ServiceError } from "../../../src/kernel/errors.js";
import { nextTurn } from "../../../src/kernel/event-loop.js";
import { createIds, systemRandom } from "../../../src/kernel/ids.js";
import type { PaymentRow } from "../../../store/rows/payment-rows.js";
import type { Store } from "../../../store/store-port.js";
import { createFakeDisk, type FakeDisk } from "../../store/fake-disk.js";
import { openOn, START_MS } from "../../store/open-test-store.js";
import { withRepeatedWork } from "../../support/repeated-work.js";
import { createSimChain, type SimChain } from "../../support/sim-chain.js";
import {
	createSimFacilitator,
	type FacilitatorKind,
	type SimFacilitator,
} from "../../support/sim-facilitator.js";
import { createSimWallet, type SimWallet, toV2Payload } from "../../support/sim-wallet.js";

export const PRICE = 500_000n;

/** Time that a test moves; deadlines pass after so many turns of the event loop as they have milliseconds, up to a few. */
interface ProcessClock extends Clock {
	advance(ms: number): void;
}

function processClock(deadlineMs = 40): ProcessClock {
	let offsetMs = 0;
	return {
		now: () => START_MS + offsetMs,
		monotonicMs: () => offsetMs,
		every: () => () => undefined,
		after(delayMs, task) {
			return afterTurns(Math.min(delayMs, deadlineMs), task);
		},
		advance(ms) {
			offsetMs += ms;
		},
	};
}

/** A turn takes a millisecond, or as long as a slow machine needs: what else is under way has its turns meanwhile. */
function afterTurns(turns: number, task: () => void): () => void {
	let timer: NodeJS.Timeout | undefined;
	const wait = (left: number): void => {
		timer = setTimeout(() => (left > 1 ? wait(left - 1) : task()), 1);
	};
	wait(turns);
	return () => clearTimeout(timer);
}

/** What the world outside keeps when our process dies. */
export interface World {
	readonly clock: ProcessClock;
	readonly chain: SimChain;
	readonly facilitator: SimFacilitator;
	readonly wallet: SimWallet;
	readonly hasChainReader: boolean;
	/** Whether the work of each transaction is done twice; true unless a test counts what it does. */
	readonly repeatsWork?: boolean;
	/** What the processes logged as errors. */
	readonly log?: unknown[] | undefined;
	/** Who shares in what is sold; no one unless named. */
	readonly ownersOf?: OwnersOf | undefined;
	/** Books that other processes may share; a journal on the disk unless named. */
	readonly openStore?: (() => Promise<Store>) | undefined;
	/** How payments come; x402 unless named. */
	readonly envelopes?: readonly PaymentEnvelope[] | undefined;
}

export interface Order {
	readonly fingerprint?: string;
	readonly key?: string;
	readonly settlesFirst?: boolean;
	readonly price?: bigint;
	/** What the work does; an answer by default. */
	readonly work?: () => Promise<"answer" | "no-answer">;
	/** The answer never reaches its caller. */
	readonly isLost?: boolean;
}

export type Result =
	| { readonly kind: "delivered"; readonly receiptId: string; readonly isReplay: boolean }
	| { readonly kind: "released"; readonly creditId: string | undefined }
	| { readonly kind: "refused"; readonly code: string; readonly error: ServiceError };

/** One process: a store on a disk and the method over it. */
export interface OnchainProcess extends World {
	readonly disk: FakeDisk;
	readonly store: Store;
	readonly onchain: OnchainPayments;
	/** How often the work ran. */
	readonly runs: () => number;
	/** One call as the pipeline makes it. */
	buy(authorization: TransferAuthorization, order?: Order): Promise<Result>;
	row(authorization: TransferAuthorization): Promise<PaymentRow | undefined>;
	balances(): Promise<Readonly<Record<string, bigint>>>;
	/** The process dies as it stands; the next one finds the same disk, or what a power cut left of it. */
	restart(disk?: FakeDisk): Promise<OnchainProcess>;
	/** Housekeeping, `ms` later. */
	later(ms: number): Promise<void>;
	/** What another process left that has ended. */
	takeUp(): Promise<void>;
}

export function createWorld({
	kind = "strict",
	hasChainReader = true,
	deadlineMs,
}: {
	kind?: FacilitatorKind;
	hasChainReader?: boolean;
	deadlineMs?: number;
} = {}): World {
	const clock = processClock(deadlineMs);
	const chain = createSimChain({ now: clock.now });
	const facilitator = createSimFacilitator({ chain, clock, kind, delayMs: 5 });
	const wallet = createSimWallet(chain, { name: "a", now: clock.now, balance: 100_000_000n });
	return { clock, chain, facilitator, wallet, hasChainReader };
}

export async function startOnchain(
	world: World = createWorld(),
	disk: FakeDisk = createFakeDisk(),
): Promise<OnchainProcess> {
	const { clock, chain, facilitator, hasChainReader, log = [], ownersOf } = world;
	const { repeatsWork = true } = world;
	const openJournal = () => openOn(disk, { clock: { ...clock, after: systemClock.after } });
	const opened = await (world.openStore ?? openJournal)();
	const store = repeatsWork ? withRepeatedWork(opened) : opened;
	const ids = createIds({ clock, random: systemRandom });
	const ledger = createLedger({ clock, ids, ...(ownersOf && { ownersOf }) });
	const spts = createSptIssuer({
		store,
		ledger,
		clock,
		ids,
		random: systemRandom,
		pepper: new Uint8Array(32),
		environment: "test",
	});
	const onchain = createOnchainMethod({
		store,
		ledger,
		clock,
		ids,
		logger: { info: () => undefined, error: (message, fields) => log.push({ message, ...fields }) },
		terms: chain.terms,
		facilitator,
		...(hasChainReader && { chain }),
		envelopes: world.envelopes ?? [createX402Envelope(chain.terms)],
		issueCredit: spts.issueFrom,
	});
	const sweeper = createSweeper({ store, ledger, clock });
	await sweeper.releaseEnded();
	await onchain.resume();
	let runs = 0;

	const buy: OnchainProcess["buy"] = async (authorization, order = {}) => {
		try {
			return await answer(authorization, order);
		} catch (error) {
			if (!(error instanceof ServiceError)) throw error;
			return { kind: "refused", code: error.code, error };
		}
	};
	const answer = async (authorization: TransferAuthorization, order: Order): Promise<Result> => {
		const admission = await onchain.admit(toAdmission(world, authorization, order));
		if (admission.kind === "launched") throw new Error("Nothing here outlives its call.");
		const isReplay = admission.kind === "replayed";
		runs += 1;
		const outcome = await (order.work?.() ?? "answer");
		if (isReplay) {
			if (!order.isLost) admission.delivered?.();
			return { kind: "delivered", receiptId: admission.receipt.id, isReplay };
		}
		if (outcome === "no-answer") {
			const { credit } = await admission.release("no_answer");
			return { kind: "released", creditId: credit?.id };
		}
		const { receipt } = await admission.capture();
		if (!order.isLost) admission.delivered?.();
		return { kind: "delivered", receiptId: receipt.id, isReplay };
	};

	return {
		...world,
		disk,
		store,
		onchain,
		runs: () => runs,
		buy,
		row: ({ nonce }) =>
			store.read(async (reader) =>
				(await reader.list("payments")).find((row) => row.nonce === nonce.toLowerCase()),
			),
		balances: () =>
			store.read(async (reader) =>
				Object.fromEntries([...(await reader.balances())].filter(([, amount]) => amount !== 0n)),
			),
		restart: (found = disk.copy()) => startOnchain(world, found),
		async takeUp() {
			await sweeper.releaseEnded();
			await onchain.takeUp();
		},
		async later(ms) {
			clock.advance(ms);
			// Where nothing is due nothing waits for the disk, and calls under way get no turn.
			await nextTurn();
			await sweeper.sweep();
			await onchain.reconcile();
		},
	};
}

/** One call as the cashier asks for it. */
export function toAdmission(...asked: Parameters<typeof toRequest>): AdmissionRequest {
	const { payment, settlesFirst, ...request } = toRequest(...asked);
	const capture = settlesFirst ? "beforeFirstEvent" : "onResult";
	return { ...request, proof: payment, payer: { owner: "", rail: "x402" }, capture };
}

export function toRequest(
	{ chain }: Pick<World, "chain">,
	authorization: TransferAuthorization,
	{ fingerprint = "search one", key, settlesFirst = false, price = PRICE }: Order = {},
) {
	return {
		payment: { scheme: "x402", version: 2, payload: toV2Payload(chain, authorization) },
		quote: {
			operationId: "graphs.search",
			amountMicros: price,
			billingType: "per_call",
			resourceUrl: "http://localhost/v1/graphs/a/search",
			description: "Search one graph",
			fingerprint,
		},
		fingerprint,
		graphIds: ["a"],
		idempotencyKey: key,
		settlesFirst,
	} as const;
}
