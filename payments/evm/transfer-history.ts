import type { PublicClient } from "viem";
import { LIMITS } from "../../src/contract/contract.js";
import type { Clock } from "../../src/kernel/kernel.js";
import type { ChainTransfer, SettlementTerms, TransferSpan } from "../onchain/onchain.js";
import { TRANSFER_EVENT } from "./evm-abi.js";

export interface HistoryDeps {
	readonly client: PublicClient;
	readonly clock: Pick<Clock, "after">;
}

/** Pauses before a question is asked again; a year of a public chain takes thousands, and its nodes refuse some. */
const RETRY_PAUSES_MS = [250, 1_000, 4_000];

/** Every transfer of the asset to `payTo` and from it, oldest first; a window of blocks at a time. */
export async function* listTransfers(
	{ client, clock }: HistoryDeps,
	terms: SettlementTerms,
	{ sinceMs, onProgress }: TransferSpan = {},
): AsyncIterable<ChainTransfer> {
	const insist = createInsisting(clock);
	const newest = await insist(() => client.getBlockNumber({ cacheTime: 0 }));
	const step = BigInt(LIMITS.chainBlocksPerQuery);
	const timeOf = createBlockTimes((blockNumber) => insist(() => client.getBlock({ blockNumber })));
	const oldest = sinceMs === undefined ? 0n : await findBlockAt(timeOf, { newest, sinceMs });
	for (let fromBlock = oldest; fromBlock <= newest; fromBlock += step) {
		const last = fromBlock + step - 1n;
		const span = { fromBlock, toBlock: last < newest ? last : newest };
		for (const log of await insist(() => readWindow(client, terms, span))) {
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

type Insist = <T>(ask: () => Promise<T>) => Promise<T>;

/** Asks again after a while, a few times; rejects as the last try did. */
function createInsisting(clock: HistoryDeps["clock"]): Insist {
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
	const ask = (args: { from: `0x${string}` } | { to: `0x${string}` }) =>
		client.getLogs({ address: asset, event: TRANSFER_EVENT, args, strict: true, ...span });
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
