import type {
	Facilitator,
	RefusalReason,
	SettleOptions,
	SettleOutcome,
	TransferAuthorization,
	Verification,
} from "../../payments/onchain/facilitator.js";
import type { Clock } from "../../src/kernel/clock.js";
import { digest, type SimChain, type SimTransaction } from "./sim-chain.js";

/** How a facilitator behaves; the honest ones first. */
export const FACILITATOR_KINDS = [
	/** A second settle of a nonce is refused. */
	"strict",
	/** A second settle of a nonce is answered with the first one's hash. */
	"idempotent",
	/** Sends at once and answers after `delayMs`. */
	"slow",
	/** Accepts, settles, and never answers. */
	"silent",
	/** Says that it settled, and did not. */
	"claims_settled",
	/** Settles, and names another amount. */
	"wrong_amount",
	/** Says that it settled, with the hash of an earlier transaction. */
	"old_hash",
	/** Settles, and says that it refused. */
	"claims_refused",
	/** Turns the request away with a status of its own, and sends the payment after `delayMs` all the same. */
	"turns_away",
	/** Cannot be reached. */
	"unreachable",
] as const;
export type FacilitatorKind = (typeof FACILITATOR_KINDS)[number];

export interface SimFacilitator extends Facilitator {
	/** May be changed while it runs. */
	behavior: FacilitatorKind;
	delayMs: number;
	/** Calls so far. */
	readonly verified: () => number;
	readonly settled: () => number;
}

/** A facilitator over the simulated chain; nothing in it waits but `slow` and `turns_away`, on the clock it is given. */
export function createSimFacilitator({
	chain,
	clock,
	kind: behavior = "strict",
	delayMs = 50,
}: {
	chain: SimChain;
	clock: Pick<Clock, "after">;
	kind?: FacilitatorKind;
	delayMs?: number;
}): SimFacilitator {
	let [verifyCalls, settleCalls] = [0, 0];
	const facilitator: SimFacilitator = {
		kind: "local",
		behavior,
		delayMs,
		verified: () => verifyCalls,
		settled: () => settleCalls,
		async verify(_terms, authorization) {
			verifyCalls += 1;
			if (facilitator.behavior === "unreachable") throw new Error("connect ECONNREFUSED");
			const reason = chain.judge(authorization);
			const isKnown = reason === "nonce_used" && facilitator.behavior === "idempotent";
			return reason && !isKnown ? refused(reason) : ({ kind: "valid" } satisfies Verification);
		},
		settle(_terms, authorization, options) {
			settleCalls += 1;
			return BEHAVIORS[facilitator.behavior]({
				chain,
				authorization,
				options,
				wait: () =>
					new Promise((resolve) => {
						clock.after(facilitator.delayMs, () => resolve(undefined));
					}),
			});
		},
	};
	return facilitator;
}

interface Settling {
	readonly chain: SimChain;
	readonly authorization: TransferAuthorization;
	readonly options: SettleOptions;
	readonly wait: () => Promise<void>;
}

async function strict({ chain, authorization, options }: Settling): Promise<SettleOutcome> {
	const reason = chain.judge(authorization);
	if (reason) return refused(reason);
	const made = chain.execute(authorization);
	await options.onBroadcast(made.hash);
	return settledBy(chain, made);
}

const BEHAVIORS: Readonly<Record<FacilitatorKind, (settling: Settling) => Promise<SettleOutcome>>> =
	{
		strict,

		async idempotent(settling) {
			const { from, nonce } = settling.authorization;
			const earlier = settling.chain.transactions.find(
				(made) => made.nonce === nonce && made.from === from,
			);
			return earlier ? settledBy(settling.chain, earlier) : strict(settling);
		},

		async slow(settling) {
			const outcome = await strict(settling);
			await settling.wait();
			return outcome;
		},

		async silent(settling) {
			const { chain, authorization } = settling;
			if (!chain.judge(authorization)) chain.execute(authorization);
			return new Promise(() => undefined);
		},

		async claims_settled({ chain, authorization }) {
			const hash = digest(`never sent ${authorization.nonce}`);
			return settledBy(chain, { ...authorization, hash });
		},

		async wrong_amount(settling) {
			const outcome = await strict(settling);
			return outcome.kind === "settled" ? { ...outcome, amount: "1" } : outcome;
		},

		async old_hash({ chain, authorization }) {
			const hash = chain.transactions[0]?.hash ?? digest("the first transaction");
			return settledBy(chain, { ...authorization, hash });
		},

		async claims_refused(settling) {
			await strict(settling);
			return refused("settlement_failed");
		},

		async turns_away({ chain, authorization, wait }) {
			const sendLate = () => {
				if (!chain.judge(authorization)) chain.execute(authorization);
			};
			void wait().then(sendLate);
			return { kind: "not_taken", message: "The simulated facilitator answers 400." };
		},

		async unreachable() {
			return { kind: "not_sent", message: "connect ECONNREFUSED" };
		},
	};

function settledBy(
	{ terms }: SimChain,
	made: Pick<SimTransaction, "hash" | "from" | "value">,
): SettleOutcome {
	return {
		kind: "settled",
		transactionHash: made.hash,
		network: terms.network,
		payer: made.from,
		amount: String(made.value),
	};
}

function refused(reason: RefusalReason) {
	return { kind: "refused", reason, message: `The simulated chain says ${reason}.` } as const;
}
