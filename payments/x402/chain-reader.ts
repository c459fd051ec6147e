import type { PublicClient } from "viem";
import { ServiceError } from "../../src/core/errors.js";
import { LIMITS } from "../../src/core/limits.js";
import { CANCELED_EVENT, EIP3009_VIEWS, TRANSFER_EVENT, USED_EVENT } from "./evm-abi.js";
import type { GetEvmClient } from "./evm-client.js";
import type { AuthorizationState, ChainReader, SettlementTerms } from "./facilitator.js";
import { listTransfers } from "./transfer-history.js";

type Asked = Parameters<ChainReader["stateOf"]>[1];

/** Reads what happened from the chain itself; nobody's word is taken for it. */
export function createChainReader({ getClient }: { getClient: GetEvmClient }): ChainReader {
	return {
		async stateOf(terms, authorization) {
			const client = await getClient();
			const isUsed = await client.readContract({
				address: terms.asset,
				abi: EIP3009_VIEWS,
				functionName: "authorizationState",
				args: [authorization.from, authorization.nonce],
			});
			return isUsed ? stateOfUsed(client, terms, authorization) : { kind: "unused" };
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
			yield* listTransfers(await getClient(), terms, options);
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
	const { transactionHash, logIndex } = event;
	if (await isMoveTo(client, terms, { ...authorization, transactionHash, logIndex })) {
		return { kind: "settled", transactionHash };
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
async function isMoveTo(
	client: PublicClient,
	{ asset }: SettlementTerms,
	use: Asked & { readonly transactionHash: string; readonly logIndex: number },
): Promise<boolean> {
	const { parseEventLogs } = await import("viem");
	const hash = use.transactionHash as `0x${string}`;
	const { logs, status } = await client.getTransactionReceipt({ hash });
	const next = logs
		.filter((log) => log.address.toLowerCase() === asset.toLowerCase())
		.filter((log) => log.logIndex > use.logIndex)
		.sort((a, b) => a.logIndex - b.logIndex)
		.slice(0, 1);
	const [transfer] = parseEventLogs({ abi: [TRANSFER_EVENT], logs: next });
	if (status !== "success" || !transfer) return false;
	const { from, to, value } = transfer.args;
	return isSame(from, use.from) && isSame(to, use.to) && value === use.value;
}

function isSame(one: string, other: string): boolean {
	return one.toLowerCase() === other.toLowerCase();
}
