import t from "tap";
import { createChainReader } from "../../../payments/evm/chain-reader.js";
import { createEvmClient, type EvmRpc } from "../../../payments/evm/evm-client.js";
import type { ReadProgress } from "../../../payments/onchain/facilitator.js";
import { SIM_TERMS } from "../../support/sim-chain.js";

const SECOND_MS = 1_000;
const NEWEST = 100_000;
const hex = (value: number) => `0x${value.toString(16)}`;
const topicOf = (address: string) => `0x${address.slice(2).padStart(64, "0")}`;
const PAYER = `0x${"1".repeat(40)}`;

/** A chain of 100,001 blocks, one a second, with one transfer to us in block 99,000; every third question is refused. */
function openTiredNode() {
	const spans: number[][] = [];
	let questions = 0;
	const answer = (method: string, [of]: readonly unknown[]): unknown => {
		if (method === "eth_chainId") return hex(84_532);
		if (method === "eth_blockNumber") return hex(NEWEST);
		if (method === "eth_getBlockByNumber") {
			return { number: of, timestamp: of, transactions: [], hash: topicOf("0x1") };
		}
		const { fromBlock, toBlock, topics } = of as Record<"fromBlock" | "toBlock", string> & {
			topics: (string | null)[];
		};
		const [first, last] = [Number(fromBlock), Number(toBlock)];
		spans.push([first, last]);
		const isIncoming = topics[1] === null || topics[1] === undefined;
		if (!isIncoming || first > 99_000 || last < 99_000) return [];
		return [
			{
				address: SIM_TERMS.asset,
				topics: [topics[0], topicOf(PAYER), topicOf(SIM_TERMS.payTo)],
				data: topicOf(hex(500_000)),
				blockNumber: hex(99_000),
				transactionHash: `0x${"a".repeat(64)}`,
				transactionIndex: "0x0",
				blockHash: topicOf("0x1"),
				logIndex: "0x3",
				removed: false,
			},
		];
	};
	const rpc: EvmRpc = {
		async ask(method, params) {
			questions += 1;
			if (questions % 3 === 0) return { kind: "error", code: -32_005, message: "Slow down." };
			return { kind: "result", result: answer(method, params) };
		},
		get: async (method, params = []) => answer(method, params),
	};
	const after = (_delayMs: number, task: () => void) => {
		setImmediate(task);
		return () => undefined;
	};
	const getClient = createEvmClient({ rpc, network: SIM_TERMS.network });
	return { spans, chain: createChainReader({ getClient, clock: { after } }) };
}

t.test(
	"transfers are read from an instant on, from a node that refuses now and then",
	async (t) => {
		const { chain, spans } = openTiredNode();
		const told: ReadProgress[] = [];
		const found = [];
		const sinceMs = 80_000 * SECOND_MS;
		const onProgress = (progress: ReadProgress) => void told.push(progress);
		for await (const one of chain.transfers(SIM_TERMS, { sinceMs, onProgress })) found.push(one);
		t.match(found, [{ from: PAYER, value: 500_000n, logIndex: 3, at: 99_000 * SECOND_MS }]);
		t.equal(Math.min(...spans.map(([first = 0]) => first)), 80_000);
		t.same(told, [
			{ done: 9_000, total: 20_001 },
			{ done: 18_000, total: 20_001 },
			{ done: 20_001, total: 20_001 },
		]);
	},
);
