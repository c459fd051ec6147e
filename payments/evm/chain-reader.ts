import type { PublicClient } from "viem";
import { LIMITS } from "../../src/contract/contract.js";
import { type Clock, ServiceError, unavailable } from "../../src/kernel/kernel.js";
import {
	type AuthorizationState,
	type ChainReader,
	type ChainTransfer,
	type Facilitator,
	type Hex,
	isSameAddress,
	type SettlementTerms,
	type TransferSpan,
} from "../onchain/onchain.js";
import { type GetEvmClient, loadTokenAbi } from "./evm-client.js";

type Asked = Parameters<ChainReader["stateOf"]>[1];

/** Reads what happened from the chain itself. */
export function createChainReader({
	getClient,
	clock,
}: {
	readonly getClient: GetEvmClient;
	readonly clock: Pick<Clock, "after">;
}): ChainReader {
	return {
		async stateOf(terms, authorization) {
			const client = await getClient();
			// Read first: what is unused later was unused then.
			const { timestamp } = await client.getBlock();
			const isUsed = await client.readContract({
				address: terms.asset,
				abi: await loadTokenAbi(),
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
				abi: await loadTokenAbi(),
				functionName: "balanceOf",
				args: [address],
			});
		},

		async *transfers(terms, options) {
			yield* listTransfers(await getClient(), clock, terms, options);
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
	const abi = await loadTokenAbi();
	const newest = await client.getBlockNumber({ cacheTime: 0 });
	const oldest = newest - BigInt(LIMITS.chainBlocksBack);
	const step = BigInt(LIMITS.chainBlocksPerQuery);
	for (let toBlock = newest; toBlock >= 0n && toBlock > oldest; toBlock -= step) {
		const fromBlock = toBlock >= step ? toBlock - step + 1n : 0n;
		const args = { authorizer: from, nonce };
		const span = { abi, address: asset, args, fromBlock, toBlock, strict: true } as const;
		const [[used], [canceled]] = await Promise.all([
			client.getContractEvents({ ...span, eventName: "AuthorizationUsed" }),
			client.getContractEvents({ ...span, eventName: "AuthorizationCanceled" }),
		]);
		const event = used ?? canceled;
		if (event) return event;
	}
	throw new ServiceError(
		"UPSTREAM",
		`The authorization was used, and not within the last ${LIMITS.chainBlocksBack} blocks.`,
	);
}

/** The transfer of an authorization is the asset's next event after its use; any other in the transaction may belong to another one. */
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
	const [transfer] = parseEventLogs({
		abi: await loadTokenAbi(),
		eventName: "Transfer",
		logs: next,
	});
	if (transfer) return transfer;
	throw new ServiceError(
		"UPSTREAM",
		`The transaction ${use.transactionHash} used the authorization, and its transfer cannot be found.`,
	);
}

/** Pauses before a question is asked again; a year of a public chain takes thousands, and its nodes refuse some. */
const RETRY_PAUSES_MS = [250, 1_000, 4_000];

/** Every transfer of the asset to `payTo` and from it, oldest first; a window of blocks at a time. */
async function* listTransfers(
	client: PublicClient,
	clock: Pick<Clock, "after">,
	terms: SettlementTerms,
	{ sinceMs, onProgress }: TransferSpan = {},
): AsyncIterable<ChainTransfer> {
	const withRetries = createRetries(clock);
	const newest = await withRetries(() => client.getBlockNumber({ cacheTime: 0 }));
	const step = BigInt(LIMITS.chainBlocksPerQuery);
	const timeOf = createBlockTimes((blockNumber) =>
		withRetries(() => client.getBlock({ blockNumber })),
	);
	const oldest = sinceMs === undefined ? 0n : await findBlockAt(timeOf, { newest, sinceMs });
	for (let fromBlock = oldest; fromBlock <= newest; fromBlock += step) {
		const last = fromBlock + step - 1n;
		const span = { fromBlock, toBlock: last < newest ? last : newest };
		for (const log of await withRetries(() => readWindow(client, terms, span))) {
			const { transactionHash, logIndex, blockNumber, args } = log;
			const at = await timeOf(blockNumber);
			yield { ...args, transactionHash, logIndex, blockNumber, at };
		}
		onProgress?.({
			done: Number(span.toBlock - oldest) + 1,
			total: Number(newest - oldest) + 1,
		});
	}
}

type WithRetries = <T>(ask: () => Promise<T>) => Promise<T>;

/** Asks again after a while, a few times; rejects as the last try did. */
function createRetries(clock: Pick<Clock, "after">): WithRetries {
	return async (ask) => {
		for (const pauseMs of RETRY_PAUSES_MS) {
			try {
				return await ask();
			} catch {
				await new Promise<void>((resolve) => clock.after(pauseMs, resolve));
			}
		}
		return ask();
	};
}

async function readWindow(
	client: PublicClient,
	{ asset, payTo }: SettlementTerms,
	span: { readonly fromBlock: bigint; readonly toBlock: bigint },
) {
	const events = { abi: await loadTokenAbi(), eventName: "Transfer", address: asset } as const;
	const ask = (args: { from: Hex } | { to: Hex }) =>
		client.getContractEvents({ ...events, args, strict: true, ...span });
	const [received, sent] = await Promise.all([ask({ to: payTo }), ask({ from: payTo })]);
	const both = [...received, ...sent];
	// What we send to ourselves is found twice.
	const byPlace = new Map(both.map((log) => [`${log.blockNumber}|${log.logIndex}`, log]));
	return [...byPlace.values()].sort(
		(a, b) => Number(a.blockNumber - b.blockNumber) || a.logIndex - b.logIndex,
	);
}

type TimeOfBlock = (blockNumber: bigint) => Promise<number>;

function createBlockTimes(
	getBlock: (blockNumber: bigint) => Promise<{ readonly timestamp: bigint }>,
): TimeOfBlock {
	let latest: { readonly blockNumber: bigint; readonly at: number } | undefined;
	return async (blockNumber) => {
		if (latest?.blockNumber !== blockNumber) {
			const { timestamp } = await getBlock(blockNumber);
			latest = { blockNumber, at: Number(timestamp) * 1_000 };
		}
		return latest.at;
	};
}

/** First block that is not older than `sinceMs`, by halving. */
async function findBlockAt(
	timeOf: TimeOfBlock,
	{ newest, sinceMs }: { readonly newest: bigint; readonly sinceMs: number },
): Promise<bigint> {
	let [low, high] = [0n, newest];
	while (low < high) {
		const middle = (low + high) / 2n;
		if ((await timeOf(middle)) < sinceMs) low = middle + 1n;
		else high = middle;
	}
	return low;
}

/** Refuses payments with UNAVAILABLE unless the asset has six decimals, which is read once, before the first payment is verified. */
export function requireSixDecimals(facilitator: Facilitator, getClient: GetEvmClient): Facilitator {
	let read: Promise<number> | undefined;
	const readDecimals = async (address: Hex) => {
		const client = await getClient();
		return client.readContract({ address, abi: await loadTokenAbi(), functionName: "decimals" });
	};
	const assertSix = async (asset: Hex) => {
		read ??= readDecimals(asset).catch((error: unknown) => {
			read = undefined;
			throw error;
		});
		const decimals = await read;
		if (decimals === 6) return;
		throw unavailable(
			`The asset ${asset} has ${decimals} decimals, and payments are counted with 6: configure another one.`,
			{ retryable: false },
		);
	};
	return {
		...facilitator,
		async verify(terms, authorization) {
			await assertSix(terms.asset);
			return facilitator.verify(terms, authorization);
		},
	};
}
