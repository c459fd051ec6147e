import type { PendingSettlementStore } from "@x402/core/facilitator";
import type { SettleResponse } from "@x402/core/types";
import { ServiceError } from "../../src/kernel/kernel.js";
import type {
	Facilitator,
	SettlementTerms,
	SettleOptions,
	SettleOutcome,
	TransferAuthorization,
} from "../onchain/onchain.js";
import type { GetEvmClient } from "./evm-client.js";
import { findRefusal, toRefusal } from "./evm-refusals.js";
import type { EvmWallet } from "./evm-wallet.js";
import { toExactPayload } from "./exact-payload.js";
import { createSettlementSigner, type SettlementSigner } from "./settlement-signer.js";

export interface LocalFacilitatorDeps {
	readonly getClient: GetEvmClient;
	/** Pays the gas. */
	readonly wallet: EvmWallet;
	/** What it settles; payments for any other network are refused. */
	readonly network: string;
}

/** Verifies and settles in this process, by @x402/evm's exact scheme; one signer per call, so that no two are mixed up. */
export function createLocalFacilitator(deps: LocalFacilitatorDeps): Facilitator {
	const openScheme = createSchemeOpener();
	const run = async (terms: SettlementTerms, options: Partial<SettleOptions>) => {
		if (terms.network !== deps.network) {
			throw new ServiceError("UPSTREAM", `Nobody here settles on ${terms.network}.`);
		}
		const signer = await createSettlementSigner({ ...deps, ...options });
		return { signer, facilitator: await openScheme(signer, terms.network) };
	};
	return {
		kind: "local",

		async verify(terms, authorization) {
			const { signer, facilitator } = await run(terms, {});
			const { payload, requirements } = toExactPayload(terms, authorization);
			const verdict = await facilitator.verify(payload, requirements);
			// A chain that could not be read looks like a payment that is no good.
			signer.throwIfUnread();
			if (verdict.isValid) return { kind: "valid" };
			return toRefusal(findRefusal(verdict.invalidReason) ?? "invalid_payload");
		},

		async settle(terms, authorization, options) {
			const opened = await run(terms, options).catch(() => undefined);
			if (!opened) return NOT_SENT;
			const { signer, facilitator } = opened;
			const { payload, requirements } = toExactPayload(terms, authorization);
			const answer = await facilitator.settle(payload, requirements);
			return toOutcome(answer, { signer, terms, authorization });
		},
	};
}

function createSchemeOpener() {
	let pending: PendingSettlementStore | undefined;
	return async (signer: SettlementSigner, network: string) => {
		const [{ x402Facilitator, InMemoryPendingSettlementStore }, { ExactEvmScheme }] =
			await Promise.all([import("@x402/core/facilitator"), import("@x402/evm/exact/facilitator")]);
		// A payment settled again while its transaction is under way waits for that one instead of sending a second.
		pending ??= new InMemoryPendingSettlementStore();
		const scheme = new ExactEvmScheme(signer, { pendingSettlementStore: pending });
		return new x402Facilitator().register(network as `eip155:${string}`, scheme);
	};
}

const NOT_SENT = { kind: "not_sent", message: "The chain cannot be read just now." } as const;

interface Settlement {
	readonly signer: SettlementSigner;
	readonly terms: SettlementTerms;
	readonly authorization: TransferAuthorization;
}

function toOutcome(
	{ success, transaction, errorReason }: SettleResponse,
	{ signer, terms, authorization }: Settlement,
): SettleOutcome {
	const transactionHash = transaction || signer.signedHash();
	if (success) {
		return {
			kind: "settled",
			transactionHash: transaction,
			network: terms.network,
			payer: authorization.from,
			amount: String(authorization.value),
		};
	}
	const isMined = transaction !== "" && errorReason !== "settlement_pending";
	if (transactionHash && !isMined) {
		return {
			kind: "unknown",
			message: "The transaction was sent, and whether it was carried out is not known yet.",
			transactionHash,
		};
	}
	// Nothing was signed: a chain that could not be read must not pass for a payment that is no good.
	if (!isMined && signer.isUnread()) return NOT_SENT;
	return toRefusal(findRefusal(errorReason) ?? "settlement_failed");
}
