import type { PendingSettlementStore } from "@x402/core/facilitator";
import type { SettleResponse } from "@x402/core/types";
import type { FacilitatorEvmSigner } from "@x402/evm";
import { LIMITS } from "../../src/contract/contract.js";
import { ServiceError } from "../../src/kernel/kernel.js";
import type {
	Facilitator,
	Hex,
	SettlementTerms,
	SettleOptions,
	SettleOutcome,
	TransferAuthorization,
} from "../onchain/onchain.js";
import { type GetEvmClient, isRevert } from "./evm-client.js";
import type { EvmWallet } from "./evm-wallet.js";
import { findRefusal, toExactPayload, toRefusal } from "./exact-payload.js";

/** Verifies and settles in this process, by @x402/evm's exact scheme; one signer per call, so that no two are mixed up. */
export function createLocalFacilitator(deps: {
	readonly getClient: GetEvmClient;
	/** Pays the gas. */
	readonly wallet: EvmWallet;
	/** What it settles; payments for any other network are refused. */
	readonly network: string;
}): Facilitator {
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
			return toOutcome(answer, signer, terms, authorization);
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

function toOutcome(
	{ success, transaction, errorReason }: SettleResponse,
	signer: SettlementSigner,
	terms: SettlementTerms,
	authorization: TransferAuthorization,
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

type SettlementSigner = Awaited<ReturnType<typeof createSettlementSigner>>;

/** The signer @x402/evm uses for one payment, which also records unanswered reads and the signed transaction. */
async function createSettlementSigner(
	deps: { getClient: GetEvmClient; wallet: EvmWallet } & Partial<SettleOptions>,
) {
	const { wallet, onBroadcast } = deps;
	const [client, address, { encodeFunctionData, concatHex }] = await Promise.all([
		deps.getClient(),
		wallet.address(),
		import("viem"),
	]);
	let unread: unknown;
	let signedHash: Hex | undefined;
	const note = (error: unknown): never => {
		if (!isRevert(error)) unread ??= error;
		throw error;
	};
	const noteCode = (error: unknown): undefined => {
		unread ??= error;
	};
	/** Asked for several times in one verification. */
	const codes = new Map<Hex, Promise<Hex | undefined>>();
	const signer: FacilitatorEvmSigner = {
		getAddresses: () => [address],
		// A payer's contract is asked about its signature: no more of the node's time than we would pay for.
		readContract: (args) =>
			client.readContract({ ...args, gas: LIMITS.settleGasMax } as typeof args).catch(note),
		verifyTypedData: (args) => client.verifyTypedData(args as never).catch(note),
		// It must not reject: @x402/evm asks for the asset's code in the background and may never look at the answer.
		getCode({ address: asked }) {
			const code = codes.get(asked) ?? client.getCode({ address: asked }).catch(noteCode);
			codes.set(asked, code);
			return code;
		},

		async writeContract({ address: to, abi, functionName, args, dataSuffix }) {
			const call = encodeFunctionData({ abi, functionName, args: [...args] });
			const data = dataSuffix ? concatHex([call, dataSuffix]) : call;
			const onSigned = async (hash: Hex) => {
				await onBroadcast?.(hash);
				signedHash = hash;
			};
			return wallet.send({ to, data, onSigned }).catch(note);
		},

		sendTransaction() {
			// Wallets that do not exist yet are not deployed at our expense.
			throw new ServiceError("PAYMENT_REJECTED", "The wallet's contract is not deployed yet.");
		},

		waitForTransactionReceipt: ({ hash }) => wallet.receiptOf(hash),
	};
	return {
		...signer,
		/** Throws UPSTREAM when any of its questions went unanswered. */
		throwIfUnread(): void {
			if (unread === undefined) return;
			throw new ServiceError("UPSTREAM", "The chain cannot be read just now; pay again shortly.", {
				cause: unread,
			});
		},
		isUnread: () => unread !== undefined,
		/** Hash of the transaction that was signed, and perhaps sent. */
		signedHash: () => signedHash,
	};
}
