import t from "tap";
import { encodeAbiParameters, encodeEventTopics, getAddress, type Log } from "viem";
import { createChainReader, requireSixDecimals } from "../../../payments/evm/chain-reader.js";
import { createEvmClient, type EvmRpc, loadTokenAbi } from "../../../payments/evm/evm-client.js";
import type {
	ChainTransfer,
	Facilitator,
	Hex,
	TransferAuthorization,
} from "../../../payments/onchain/facilitator.js";
import { LIMITS } from "../../../src/contract/limits.js";
import { SIM_TERMS } from "../../support/sim-chain.js";

const PAYER: Hex = `0x${"1".repeat(40)}`;
const OTHER: Hex = `0x${"2".repeat(40)}`;
const NONCE: Hex = `0x${"d".repeat(64)}`;
const { asset: ASSET, payTo: US } = SIM_TERMS;
const STEP = LIMITS.chainBlocksPerQuery;
const hex = (value: number | bigint): Hex => `0x${value.toString(16)}`;
const word = (value: number | bigint): Hex => `0x${value.toString(16).padStart(64, "0")}`;
const hashOf = (block: number): Hex => word(0xf000 + block);

const payment: TransferAuthorization = {
	...{ from: PAYER, to: US as Hex, value: 500_000n, nonce: NONCE },
	...{ validAfter: 0, validBefore: 9, signature: "0x" },
};

type Event = Pick<Log, "address" | "topics" | "data"> & { block: number; logIndex: number };
type Place = readonly [block: number, logIndex: number];
const ABI = await loadTokenAbi();

function moved(from: Hex, to: Hex, value: bigint, [block, logIndex]: Place): Event {
	const topics = encodeEventTopics({ abi: ABI, eventName: "Transfer", args: { from, to } });
	const data = encodeAbiParameters([{ type: "uint256" }], [value]);
	return { address: ASSET as Hex, topics: topics as Log["topics"], data, block, logIndex };
}

function used(
	[block, logIndex]: Place,
	eventName: "AuthorizationUsed" | "AuthorizationCanceled" = "AuthorizationUsed",
): Event {
	const args = { authorizer: PAYER, nonce: NONCE };
	const topics = encodeEventTopics({ abi: ABI, eventName, args }) as Log["topics"];
	return { address: ASSET as Hex, topics, data: "0x", block, logIndex };
}

const wireOf = ({ block, logIndex, ...event }: Event) => ({
	...{ ...event, blockNumber: hex(block), logIndex: hex(logIndex), transactionIndex: "0x0" },
	...{ transactionHash: hashOf(block), blockHash: word(block), removed: false },
});

/** A chain of blocks, one a second, with one transaction in each; nodes list events in whatever order. */
function openReader(events: readonly Event[], { newest = 100, isUsed = true, fails = 0 } = {}) {
	const windows: [number, number][] = [];
	let failures = 0;
	const logsIn = ({
		fromBlock,
		toBlock,
		topics,
	}: Record<"fromBlock" | "toBlock", Hex> & {
		topics: readonly (Hex | null)[];
	}) => {
		const [first, last] = [Number(fromBlock), Number(toBlock)];
		windows.push([first, last]);
		return events
			.filter(({ block }) => block >= first && block <= last)
			.filter((event) =>
				topics.every((topic, index) => topic === null || topic === event.topics[index]),
			)
			.map(wireOf);
	};
	const answers: Record<string, (of: never) => unknown> = {
		eth_chainId: () => hex(84_532),
		eth_blockNumber: () => hex(newest),
		eth_getBlockByNumber(of: string) {
			const number = of === "latest" ? hex(newest) : of;
			return { number, timestamp: number, transactions: [], hash: word(1) };
		},
		eth_call: () => word(isUsed ? 1 : 0),
		eth_getLogs: logsIn as never,
		eth_getTransactionReceipt: (hash: Hex) => ({
			status: "0x1",
			logs: events.filter(({ block }) => hashOf(block) === hash).map(wireOf),
		}),
	};
	const rpc: EvmRpc = {
		async ask(method, [of]) {
			if (failures < fails) {
				failures += 1;
				return { kind: "error", code: -32_005, message: "Slow down." };
			}
			return { kind: "result", result: answers[method]?.(of as never) };
		},
		get: async (method) => answers[method]?.(undefined as never),
	};
	const pauses: number[] = [];
	const after = (delayMs: number, task: () => void) => {
		pauses.push(delayMs);
		setImmediate(task);
		return () => undefined;
	};
	const getClient = createEvmClient({ rpc, network: SIM_TERMS.network });
	return { chain: createChainReader({ getClient, clock: { after } }), getClient, windows, pauses };
}

async function listOf(transfers: AsyncIterable<ChainTransfer>): Promise<ChainTransfer[]> {
	const found: ChainTransfer[] = [];
	for await (const one of transfers) found.push(one);
	return found;
}

t.test("what is unused says how far the chain was seen, and balances are read", async (t) => {
	const { chain } = openReader([], { isUsed: false });
	t.same(await chain.stateOf(SIM_TERMS, payment), { kind: "unused", headMs: 100_000 });
	t.equal(await openReader([]).chain.balanceOf(SIM_TERMS, US as Hex), 1n);
});

t.test("a use is settled by the asset's next event, and by no other", async (t) => {
	const ours = moved(PAYER, US as Hex, 500_000n, [7, 6]);
	const elsewhere = { ...moved(OTHER, OTHER, 1n, [7, 5]), address: OTHER };
	const before = moved(PAYER, US as Hex, 500_000n, [7, 2]);
	const later = moved(PAYER, OTHER, 9n, [7, 8]);
	const { chain } = openReader([later, ours, elsewhere, before, used([7, 4])]);
	t.same(await chain.stateOf(SIM_TERMS, payment), {
		...{ kind: "settled", transactionHash: hashOf(7), logIndex: 6 },
	});
	const withdrawn = openReader([used([7, 4], "AuthorizationCanceled")]);
	t.same(await withdrawn.chain.stateOf(SIM_TERMS, payment), { kind: "canceled" });
	const other = {
		...{ code: "UPSTREAM", retryable: false },
		message: `The authorization was used by ${hashOf(7)}, which moved something else than was asked for.`,
	};
	for (const wrong of [
		moved(OTHER, US as Hex, 500_000n, [7, 5]),
		moved(PAYER, OTHER, 500_000n, [7, 5]),
		moved(PAYER, US as Hex, 500_001n, [7, 5]),
	]) {
		const reader = openReader([wrong, ours, used([7, 4])]);
		await t.rejects(reader.chain.stateOf(SIM_TERMS, payment), other);
	}
	for (const events of [[used([7, 4])], [before, used([7, 4])], [used([7, 4]), used([7, 5]), ours]])
		await t.rejects(openReader(events).chain.stateOf(SIM_TERMS, payment), {
			code: "UPSTREAM",
			message: `The transaction ${hashOf(7)} used the authorization, and its transfer cannot be found.`,
		});
});

t.test("a use is looked for from the newest block backwards, and not for ever", async (t) => {
	const newest = 3 * STEP;
	const events = [used([2, 1]), moved(PAYER, US as Hex, 500_000n, [2, 2])];
	const { chain, windows } = openReader(events, { newest });
	t.match(await chain.stateOf(SIM_TERMS, payment), { kind: "settled" });
	const spans = [
		[2 * STEP + 1, 3 * STEP],
		[STEP + 1, 2 * STEP],
		[1, STEP],
	];
	t.same(
		windows,
		spans.flatMap((span) => [span, span]),
	);
	const far = openReader(events, { newest: LIMITS.chainBlocksBack + 2 });
	await t.rejects(far.chain.stateOf(SIM_TERMS, payment), {
		code: "UPSTREAM",
		message: `The authorization was used, and not within the last ${LIMITS.chainBlocksBack} blocks.`,
	});
	t.equal(far.windows.length, (2 * LIMITS.chainBlocksBack) / STEP);
	const young = openReader([], { newest: 5 });
	await t.rejects(young.chain.stateOf(SIM_TERMS, payment), { message: /not within the last/ });
	t.same(young.windows, [
		[0, 5],
		[0, 5],
	]);
	const first = openReader([used([0, 1]), moved(PAYER, US as Hex, 500_000n, [0, 2])], {
		newest: STEP,
	});
	t.match(await first.chain.stateOf(SIM_TERMS, payment), { kind: "settled" });
	t.same(first.windows.at(-1), [0, 0], "to the first block");
});

t.test("what came and went is listed by block and place, each once", async (t) => {
	const own = moved(US as Hex, US as Hex, 3n, [5, 1]);
	const { chain, windows } = openReader(
		[
			moved(PAYER, US as Hex, 1n, [40, 12]),
			moved(US as Hex, PAYER, 2n, [40, 3]),
			own,
			moved(PAYER, US as Hex, 4n, [STEP, 0]),
			moved(PAYER, US as Hex, 5n, [6, 7]),
			moved(PAYER, OTHER, 6n, [6, 8]),
		],
		{ newest: STEP + 20 },
	);
	const all = await listOf(chain.transfers(SIM_TERMS));
	t.same(
		all.map(({ value, blockNumber, logIndex, at }) => [value, blockNumber, logIndex, at]),
		[
			[3n, 5n, 1, 5_000],
			[5n, 6n, 7, 6_000],
			[2n, 40n, 3, 40_000],
			[1n, 40n, 12, 40_000],
			[4n, BigInt(STEP), 0, STEP * 1_000],
		],
	);
	t.match(all[2], { from: getAddress(US), to: PAYER, transactionHash: hashOf(40) });
	t.same(windows.slice(0, 1), [[0, STEP - 1]]);
	t.same(windows.slice(-1), [[STEP, STEP + 20]]);
	const since = await listOf(chain.transfers(SIM_TERMS, { sinceMs: 6_000 }));
	t.same(since, all.slice(1), "that second is among them");
	t.same(await listOf(chain.transfers(SIM_TERMS, { sinceMs: 6_001 })), all.slice(2));
});

t.test("a node that refuses is asked again three times, after longer and longer", async (t) => {
	const patient = openReader([], { fails: 3 });
	t.same(await listOf(patient.chain.transfers(SIM_TERMS)), []);
	t.same(patient.pauses, [250, 1_000, 4_000]);
	const tired = openReader([], { fails: 4 });
	await t.rejects(listOf(tired.chain.transfers(SIM_TERMS)), { message: /Slow down/ });
	t.same(tired.pauses, [250, 1_000, 4_000]);
});

t.test("an asset is asked once how it counts, before the first payment", async (t) => {
	let verified = 0;
	const facilitator: Facilitator = {
		kind: "local",
		async verify() {
			verified += 1;
			return { kind: "valid" };
		},
		settle: async () => ({ kind: "not_sent", message: "m" }),
	};
	const guardOf = (decimals: number, outage = { left: 0 }) => {
		let asked = 0;
		const rpc: EvmRpc = {
			async ask() {
				asked += 1;
				if (outage.left-- > 0) return { kind: "error", code: -32_000, message: "Slow down." };
				return { kind: "result", result: word(decimals) };
			},
			get: async () => hex(84_532),
		};
		const getClient = createEvmClient({ rpc, network: SIM_TERMS.network });
		const guarded = requireSixDecimals(facilitator, getClient);
		return { verify: () => guarded.verify(SIM_TERMS, payment), guarded, asked: () => asked };
	};
	const six = guardOf(6);
	for (const _ of [1, 2]) t.same(await six.verify(), { kind: "valid" });
	t.same([six.asked(), verified], [1, 2]);
	t.equal(six.guarded.kind, "local");
	const eighteen = guardOf(18);
	await t.rejects(eighteen.verify(), {
		...{ code: "UNAVAILABLE", retryable: false },
		message: `The asset ${ASSET} has 18 decimals, and payments are counted with 6: configure another one.`,
	});
	const out = guardOf(6, { left: 1 });
	await t.rejects(out.verify(), { message: /Slow down/ });
	t.same(await out.verify(), { kind: "valid" }, "asked again, once it answers");
	t.equal(verified, 3, "nothing was verified before");
});
