import type { PublicClient } from "viem";
import { LIMITS } from "../../src/contract/contract.js";
import { type Clock, ServiceError } from "../../src/kernel/kernel.js";
import {
	type AuthorizationState,
	type ChainReader,
	type Hex,
	isSameAddress,
	type SettlementTerms,
} from "../onchain/onchain.js";
import { CANCELED_EVENT, EIP3009_VIEWS, TRANSFER_EVENT, USED_EVENT } from "./evm-abi.js";
import type { GetEvmClient } from "./evm-client.js";
import { listTransfers } from "./transfer-history.js";

type Asked = Parameters<ChainReader["stateOf"]>[1];

export interface ChainReaderDeps {
	readonly getClient: GetEvmClient;
	readonly clock: Pick<Clock, "after">;
}

/** Reads what happened from the chain itself; nobody's word is taken for it. */
export function createChainReader({ getClient, clock }: ChainReaderDeps): ChainReader {
	return {
		async stateOf(terms, authorization) {
			const client = await getClient();
			// Read first: what is unused later was unused then.
			const { timestamp } = await client.getBlock();
			const isUsed = await client.readContract({
				address: terms.asset,
				abi: EIP3009_VIEWS,
				functionName: "authorizationState",
				args: [authorization.from, authorization.nonce],
			});
			if (isUsed) return stateOfUsed(client, terms, authorization);
			return { kind: "unused", headMs: Number(timestamp) * 1_000 };
		},

		async balanceOf(terms, address) {
			const client = await getClient();
			return client.readContract({
				address: terms.asset,
				abi: EIP3009_VIEWS,
				functionName: "balanceOf",
				args: [address],
			});
		},

		async *transfers(terms, options) {
			yield* listTransfers({ client: await getClient(), clock }, terms, options);
		},
	};
}

async function stateOfUsed(
	client: PublicClient,
	terms: SettlementTerms,
	authorization: Asked,
): Promise<AuthorizationState> {
	const event = await findUse(client, terms, authorization);
	if (event.eventName === "AuthorizationCanceled") return { kind: "canceled" };
	const { transactionHash } = event;
	const { args: moved, logIndex } = await findMove(client, terms, event);
	const { from, to, value } = authorization;
	if (isSameAddress(moved.from, from) && isSameAddress(moved.to, to) && moved.value === value) {
		return { kind: "settled", transactionHash, logIndex };
	}
	throw new ServiceError(
		"UPSTREAM",
		`The authorization was used by ${transactionHash}, which moved something else than was asked for.`,
		{ retryable: false },
	);
}

/** The event that used the nonce up, looked for from the newest block backwards. */
async function findUse(client: PublicClient, { asset }: SettlementTerms, { from, nonce }: Asked) {
	const newest = await client.getBlockNumber({ cacheTime: 0 });
	const oldest = newest - BigInt(LIMITS.chainBlocksBack);
	const step = BigInt(LIMITS.chainBlocksPerQuery);
	for (let toBlock = newest; toBlock >= 0n && toBlock > oldest; toBlock -= step) {
		const fromBlock = toBlock >= step ? toBlock - step + 1n : 0n;
		const span = { address: asset, args: { authorizer: from, nonce }, fromBlock, toBlock } as const;
		const [[used], [canceled]] = await Promise.all([
			client.getLogs({ ...span, event: USED_EVENT, strict: true }),
			client.getLogs({ ...span, event: CANCELED_EVENT, strict: true }),
		]);
		const event = used ?? canceled;
		if (event) return event;
	}
	throw new ServiceError(
		"UPSTREAM",
		`The authorization was used, and not within the last ${LIMITS.chainBlocksBack} blocks.`,
	);
}

/**
 * The transfer that belongs to an authorization is the asset's next event after its use. Any other transfer of the same
 * transaction may belong to another authorization.
 */
async function findMove(
	client: PublicClient,
	{ asset }: SettlementTerms,
	use: { readonly transactionHash: Hex; readonly logIndex: number },
) {
	const { parseEventLogs } = await import("viem");
	const { logs } = await client.getTransactionReceipt({ hash: use.transactionHash });
	const next = logs
		.filter((log) => isSameAddress(log.address, asset) && log.logIndex > use.logIndex)
		.sort((a, b) => a.logIndex - b.logIndex)
		.slice(0, 1);
	const [transfer] = parseEventLogs({ abi: [TRANSFER_EVENT], logs: next });
	if (transfer) return transfer;
	throw new ServiceError(
		"UPSTREAM",
		`The transaction ${use.transactionHash} used the authorization, and its transfer cannot be found.`,
	);
}
