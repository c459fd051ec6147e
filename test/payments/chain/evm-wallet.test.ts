import t from "tap";
import { decodeFunctionData, parseTransaction } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import {
	createEvmClient,
	type EvmRpc,
	loadTokenAbi,
	type RpcReply,
} from "../../../payments/evm/evm-client.js";
import { createEvmWallet, createTreasury } from "../../../payments/evm/evm-wallet.js";
import type { Hex } from "../../../payments/onchain/facilitator.js";
import { LIMITS } from "../../../src/contract/limits.js";
import { stillClock } from "../../store/open-test-store.js";
import { SIM_TERMS } from "../../support/sim-chain.js";
import { times } from "../../support/times.js";

const KEY: Hex = `0x${"7".repeat(64)}`;
const { address: ADDRESS } = privateKeyToAccount(KEY);
const TO: Hex = `0x${"2".repeat(40)}`;
const OTHER: Hex = `0x${"5".repeat(64)}`;
const POLL_MS = 5;
const hex = (value: number | bigint): Hex => `0x${value.toString(16)}`;

interface Node {
	/** Transactions of the key that are in a block, and those that wait as well. */
	mined: number;
	pending: number;
	gas: bigint | RpcReply;
	/** What it says to each transaction; it takes them where nothing is said. */
	readonly replies: (RpcReply | Error)[];
	readonly receipts: Map<string, "success" | "reverted">;
	/** Transactions that it knows of, with their fees. */
	readonly known: Map<string, { maxFeePerGas?: Hex; maxPriorityFeePerGas?: Hex }>;
}

const refusal = (message: string): RpcReply => ({ kind: "error", code: -32_000, message });

/** The node's side: base fee 100, tip 10. */
function createNode(changes: Partial<Node>) {
	const node: Node = {
		...{ mined: 5, pending: 5, gas: 50_000n, replies: [] },
		...{ receipts: new Map(), known: new Map() },
		...changes,
	};
	const asked: string[] = [];
	const sent: Hex[] = [];
	const block = { number: hex(9), timestamp: hex(9), baseFeePerGas: hex(100), transactions: [] };
	const statuses = { success: "0x1", reverted: "0x0" };
	const answers: Record<string, (one: string, tag: unknown) => unknown> = {
		eth_chainId: () => hex(84_532),
		eth_getTransactionCount: (_, tag) => hex(tag === "latest" ? node.mined : node.pending),
		eth_getTransactionByHash: (hash) => node.known.get(hash) ?? null,
		eth_maxPriorityFeePerGas: () => hex(10),
		eth_getBlockByNumber: () => block,
		eth_getTransactionReceipt(hash) {
			const status = node.receipts.get(hash);
			return status ? { status: statuses[status], logs: [] } : null;
		},
	};
	const get: EvmRpc["get"] = async (method, params = []) => {
		asked.push(method);
		return answers[method]?.(String(params[0]), params[1]);
	};
	const take = (raw: Hex): RpcReply => {
		sent.push(raw);
		const reply = node.replies.shift() ?? { kind: "result", result: OTHER };
		if (reply instanceof Error) throw reply;
		return reply;
	};
	const ask: EvmRpc["ask"] = async (method, params) => {
		if (method === "eth_sendRawTransaction") return take(params[0] as Hex);
		if (method !== "eth_estimateGas") return { kind: "result", result: await get(method, params) };
		return typeof node.gas === "bigint" ? { kind: "result", result: hex(node.gas) } : node.gas;
	};
	const counts = () => asked.filter((method) => method === "eth_getTransactionCount").length;
	return { node, rpc: { ask, get }, sent, counts };
}

/** A wallet over a node that says what the test wants. */
function openWallet(changes: Partial<Node> = {}) {
	const { rpc, ...rest } = createNode(changes);
	let elapsedMs = 0;
	const pauses: number[] = [];
	const pass = (ms: number) => {
		elapsedMs += ms;
	};
	const clock = {
		...stillClock(),
		monotonicMs: () => elapsedMs,
		after(delayMs: number, task: () => void) {
			pauses.push(delayMs);
			pass(delayMs);
			setImmediate(task);
			return () => undefined;
		},
	};
	const network = SIM_TERMS.network;
	const getClient = createEvmClient({ rpc, network });
	const wallet = createEvmWallet({
		...{ rpc, getClient, network, clock, privateKey: KEY, pollIntervalMs: POLL_MS },
	});
	const signed: [hash: Hex, nonce: number, sentBefore: number][] = [];
	const onSigned = async (hash: Hex, nonce: number) => {
		signed.push([hash, nonce, rest.sent.length]);
	};
	const send = (replaces?: { hashes: Hex[]; nonce: number }) =>
		wallet.send({ to: TO, data: "0xabcd", onSigned, replaces });
	return { ...rest, wallet, send, signed, pauses, pass };
}

const noncesOf = (sent: readonly Hex[]) => sent.map((raw) => parseTransaction(raw).nonce);

t.test("a transaction is signed for its chain, with room for gas, and then sent", async (t) => {
	const { wallet, send, sent, signed, counts } = openWallet();
	t.equal(await wallet.address(), ADDRESS);
	const hash = await send();
	const { r, s, v, yParity, ...transaction } = parseTransaction(sent[0] ?? "0x");
	t.strictSame(transaction, {
		...{ chainId: 84_532, type: "eip1559", to: TO, data: "0xabcd", nonce: 5, gas: 60_000n },
		...{ maxFeePerGas: 130n, maxPriorityFeePerGas: 10n },
	});
	await send();
	t.same(noncesOf(sent), [5, 6]);
	t.same(
		signed.map(([, nonce, before]) => [nonce, before]),
		[
			[5, 0],
			[6, 1],
		],
		"its hash is known before it is sent",
	);
	t.equal(signed[0]?.[0], hash);
	t.equal(counts(), 1, "the node is asked once where the sequence begins");
});

t.test("many at once are numbered one after the other", async (t) => {
	const { send, sent } = openWallet();
	const hashes = await Promise.all(times(8, () => send()));
	t.same(
		noncesOf(sent),
		times(8, (index) => 5 + index),
	);
	t.equal(new Set(hashes).size, 8);
});

t.test("no transaction burns more gas than a settlement may", async (t) => {
	for (const [gas, limit] of [
		[LIMITS.settleGasMax, LIMITS.settleGasMax],
		[LIMITS.settleGasMax - 1n, LIMITS.settleGasMax],
		[100_000n, 120_000n],
	] as const) {
		const { send, sent } = openWallet({ gas });
		await send();
		t.equal(parseTransaction(sent[0] ?? "0x").gas, limit);
	}
	const tooMuch = {
		...{ name: "TooMuchGas", code: "UPSTREAM", retryable: false },
		message: `The transaction would burn more than ${LIMITS.settleGasMax} gas and was not sent.`,
	};
	for (const gas of [LIMITS.settleGasMax + 1n, refusal("out of gas")]) {
		const { send, signed } = openWallet({ gas });
		await t.rejects(send(), tooMuch);
		t.same(signed, []);
	}
	const { send, signed } = openWallet({ gas: refusal("execution halted") });
	await t.rejects(send(), { message: /execution halted/ });
	t.same(signed, []);
});

t.test("what the node refuses leaves no gap, and its words are passed on", async (t) => {
	const { send, sent, counts } = openWallet({ replies: [refusal("insufficient funds")] });
	await t.rejects(send(), {
		...{ code: "UPSTREAM" },
		message: "The chain did not take the transaction: insufficient funds.",
	});
	await send();
	t.same(noncesOf(sent), [5, 5]);
	t.equal(counts(), 2);
});

t.test("a number that is stale is asked for again, once", async (t) => {
	for (const message of ["Nonce too low", "replacement transaction", "transaction UNDERPRICED"]) {
		const { node, send, sent } = openWallet({ replies: [refusal(message)] });
		node.known.get = () => {
			node.pending = 9;
			return undefined;
		};
		await send();
		t.same(noncesOf(sent), [5, 9], message);
	}
	const { send, sent } = openWallet({ replies: times(2, () => refusal("nonce too low")) });
	await t.rejects(send(), { message: "The chain did not take the transaction: nonce too low." });
	t.equal(sent.length, 2);
});

t.test("what the node has already is no refusal", async (t) => {
	for (const message of ["already known", "ALREADY IMPORTED"]) {
		const { send, sent } = openWallet({ replies: [refusal(message)] });
		t.match(await send(), /^0x/);
		t.equal(sent.length, 1);
	}
	const { node, send, sent, signed } = openWallet({ replies: [refusal("nonce too low")] });
	node.known.get = () => ({});
	t.equal(await send(), signed[0]?.[0]);
	t.equal(sent.length, 1);
});

t.test("where a node gives no answer, it is asked where the sequence stands", async (t) => {
	const { node, send, sent } = openWallet({ replies: [new Error("no answer")] });
	await t.rejects(send(), { message: "no answer" });
	node.pending = 6;
	await send();
	t.same(noncesOf(sent), [5, 6]);
});

t.test("a replacement has the number of what it replaces, and a higher fee", async (t) => {
	const hashes = [OTHER, `0x${"6".repeat(64)}`, `0x${"4".repeat(64)}`] as Hex[];
	for (const [fees, expected] of [
		[[{ maxFeePerGas: hex(200), maxPriorityFeePerGas: hex(40) }], [250n, 50n]],
		[[{ maxFeePerGas: hex(100), maxPriorityFeePerGas: hex(8) }], [130n, 10n]],
		[
			[
				{ maxFeePerGas: hex(400), maxPriorityFeePerGas: hex(4) },
				{ maxFeePerGas: hex(200), maxPriorityFeePerGas: hex(80) },
			],
			[500n, 100n],
		],
		[[{}], [130n, 10n]],
		[[], [130n, 10n]],
	] as const) {
		const { node, send, sent, signed } = openWallet({ mined: 4 });
		for (const [index, sentBefore] of fees.entries())
			node.known.set(hashes[index] ?? "", sentBefore);
		await send({ hashes, nonce: 4 });
		const { nonce, maxFeePerGas, maxPriorityFeePerGas } = parseTransaction(sent[0] ?? "0x");
		t.same([nonce, maxFeePerGas, maxPriorityFeePerGas], [4, ...expected]);
		t.match(signed, [[/^0x/, 4, 0]]);
		await send();
		t.equal(noncesOf(sent)[1], 5, "the sequence goes on where the node says");
	}
	const { send, sent } = openWallet({ mined: 4, replies: [refusal("replacement underpriced")] });
	await t.rejects(send({ hashes: [], nonce: 4 }), {
		message: "The chain did not take the transaction: replacement underpriced.",
	});
	t.equal(sent.length, 1, "no other number would do");
});

t.test("of what was sent before, the one that was carried out is the answer", async (t) => {
	const hashes = [`0x${"6".repeat(64)}` as Hex, OTHER];
	const { node, send, sent } = openWallet({ mined: 5 });
	node.receipts.set(OTHER, "success").set(hashes[0] ?? "", "reverted");
	t.equal(await send({ hashes, nonce: 4 }), OTHER);
	t.same(sent, []);
	node.receipts.set(OTHER, "reverted");
	await send({ hashes, nonce: 4 });
	t.same(noncesOf(sent), [5], "their number is used up, and nothing was carried out");
});

t.test(
	"a receipt is asked for until it is there, and what was dropped is sent again",
	async (t) => {
		const { node, wallet, send, sent, pauses } = openWallet();
		const hash = await send();
		const receiptAfter = (looks: number) => {
			let looked = 0;
			node.receipts.get = () => (++looked > looks ? "success" : undefined);
			return wallet.receiptOf(hash);
		};
		t.match(await receiptAfter(0), { status: "success" });
		t.same([pauses.splice(0), sent.length], [[], 1]);
		const again = openWallet();
		const other = await again.send();
		let looked = 0;
		again.node.receipts.get = () => (++looked > 9 ? "reverted" : undefined);
		t.match(await again.wallet.receiptOf(other), { status: "reverted" });
		t.same(again.pauses, Array(9).fill(POLL_MS));
		t.same(again.sent, Array(2).fill(again.sent[0]), "once, after five looks");
		const kept = openWallet();
		const third = await kept.send();
		looked = 0;
		kept.node.receipts.get = () => (++looked > 9 ? "success" : undefined);
		kept.node.known.set(third, {});
		await kept.wallet.receiptOf(third);
		t.equal(kept.sent.length, 1, "the node has it");
		await kept.wallet.receiptOf(OTHER);
		t.equal(kept.sent.length, 1, "and what is not ours is not sent");
	},
);

t.test("what is in no block for too long is given up, and its number with it", async (t) => {
	const { wallet, send, sent, pass, node, counts } = openWallet();
	const hash = await send();
	node.known.set(hash, {});
	const waiting = wallet.receiptOf(hash);
	pass(LIMITS.settleTimeoutMs - 100);
	await t.rejects(waiting, {
		code: "UPSTREAM",
		message: `The transaction ${hash} is in no block after ${LIMITS.settleTimeoutMs / 1_000} s.`,
	});
	await send();
	t.same(noncesOf(sent), [5, 5]);
	t.equal(counts(), 2);
	const mined = await send();
	node.receipts.set(mined, "success");
	await wallet.receiptOf(mined);
	await send();
	t.equal(counts(), 2, "what was mined keeps the sequence");
});

t.test("a node that cannot be asked for a receipt is no missing receipt", async (t) => {
	const { wallet, node } = openWallet();
	node.receipts.get = () => {
		throw new Error("no answer");
	};
	await t.rejects(wallet.receiptOf(OTHER), { message: /no answer/ });
});

function openTreasury(payTo: Hex = ADDRESS.toLowerCase() as Hex, changes: Partial<Node> = {}) {
	const opened = openWallet(changes);
	const treasury = createTreasury({ wallet: opened.wallet, payTo });
	const kept: unknown[] = [];
	const pay = (earlier?: { hashes: Hex[]; nonce: number }) =>
		treasury.transfer(SIM_TERMS, TO, 700_000n, {
			onBroadcast: async (...facts) => void kept.push(facts),
			earlier,
		});
	return { ...opened, treasury, kept, pay };
}

t.test("a refund is a transfer of the asset, and settled once it is in a block", async (t) => {
	const { node, treasury, kept, pay, sent } = openTreasury();
	t.equal(treasury.address, ADDRESS.toLowerCase());
	node.receipts.get = () => "success";
	const paid = await pay();
	const [hash, nonce] = kept[0] as [Hex, number];
	t.equal(nonce, 5);
	t.strictSame(paid, {
		...{ kind: "settled", transactionHash: hash, network: SIM_TERMS.network },
		...{ payer: treasury.address, amount: "700000" },
	});
	const { to, data = "0x" } = parseTransaction(sent[0] ?? "0x");
	t.equal(to, SIM_TERMS.asset);
	t.strictSame(decodeFunctionData({ abi: await loadTokenAbi(), data }), {
		functionName: "transfer",
		args: [TO, 700_000n],
	});
	node.receipts.get = () => "reverted";
	t.match(await pay(), { kind: "refused", reason: "settlement_failed" });
	node.mined = 6;
	node.receipts.get = () => "success";
	const before = sent.length;
	t.match(await pay({ hashes: [OTHER], nonce: 5 }), { kind: "settled", transactionHash: OTHER });
	t.equal(sent.length, before, "it had been paid before");
});

t.test("what was signed may have been paid; what was not has not", async (t) => {
	const unknown = (transactionHash: Hex) => ({
		...{ kind: "unknown", transactionHash },
		message: "The refund was sent, and whether it was carried out is not known yet.",
	});
	const silent = openTreasury(undefined, { replies: [new Error("no answer")] });
	const outcome = await silent.pay();
	const [hash] = silent.kept[0] as [Hex];
	t.strictSame(outcome, unknown(hash));
	const short = openTreasury(undefined, {
		gas: refusal("ERC20: transfer amount exceeds balance"),
	});
	t.match(await short.pay(), { kind: "refused", reason: "insufficient_funds" });
	const broken = openTreasury(undefined, { gas: refusal("execution halted") });
	await t.rejects(broken.pay(), { message: /execution halted/ });
	t.same([...short.kept, ...broken.kept], []);
});

t.test("a key that is not the address's pays nothing", async (t) => {
	const { pay, sent } = openTreasury(TO);
	await t.rejects(pay(), {
		...{ code: "UNAVAILABLE", retryable: false },
		message: `Refunds come from ${TO}, and the key in <data>/keys/settler-key is another's; send this refund from your own wallet.`,
	});
	t.same(sent, []);
});
