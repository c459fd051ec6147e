import t from "tap";
import { toHex } from "viem";
import { generatePrivateKey } from "viem/accounts";
import { requireSixDecimals } from "../../../payments/evm/chain-reader.js";
import { createEvmClient, createEvmRpc } from "../../../payments/evm/evm-client.js";
import { createEvmWallet } from "../../../payments/evm/evm-wallet.js";
import { createLocalFacilitator } from "../../../payments/evm/local-facilitator.js";
import type { Hex } from "../../../payments/onchain/facilitator.js";
import { createConfiguredEgress } from "../../../src/delivery/configured-egress.js";
import { systemClock } from "../../../src/kernel/clock.js";
import { createWallet, startLocalChain, withoutChain } from "./local-chain.js";

const NETWORK = "eip155:84532";
const ignore = { onBroadcast: async () => undefined };

/** A contract that takes this many rounds of 26 gas to say that every signature is right. */
function slowWallet(rounds: number): Hex {
	return `0x62${rounds.toString(16).padStart(6, "0")}5b600190038060045750631626ba7e60e01b60005260206000f3`;
}

t.test("transactions of one key", { skip: withoutChain }, async (t) => {
	const local = await startLocalChain(t);
	const { terms, facilitator, treasury, chain } = local.parts;
	const rpc = createEvmRpc({
		egress: createConfiguredEgress({ loopback: true }),
		url: local.rpcUrl,
	});
	const getClient = createEvmClient({ rpc, network: NETWORK });
	/** A key with gas; `isHasty`: it waits for no receipt. */
	const openWallet = async ({ isHasty = false, over = rpc } = {}) => {
		let elapsedMs = 0;
		const hasty = { ...systemClock, monotonicMs: () => (elapsedMs += 3_600_000) };
		const wallet = createEvmWallet({
			rpc: over,
			getClient,
			network: NETWORK,
			privateKey: generatePrivateKey(),
			clock: isHasty ? hasty : systemClock,
			pollIntervalMs: 5,
		});
		await rpc.get("anvil_setBalance", [await wallet.address(), toHex(10n ** 18n)]);
		const signed: { hash: Hex; nonce: number }[] = [];
		const onSigned = async (hash: Hex, nonce: number) => void signed.push({ hash, nonce });
		const send = (to: Hex = createWallet().address, replaces?: { hashes: Hex[]; nonce: number }) =>
			wallet.send({ to, data: "0x", onSigned, replaces });
		return { wallet, signed, send };
	};

	await t.test("a payer's contract burns no more of our gas than a settlement may", async (t) => {
		t.match(await facilitator.settle(terms, await local.sign({ value: 5_000_000n }), ignore), {
			kind: "settled",
		});
		const { address } = createWallet();
		await treasury?.transfer(terms, address, 1_000_000n, ignore);
		const settler = local.parts.demoWallet ? terms.payTo : "0x";
		const payment = await local.sign({ from: address });
		const shortened = { ...payment, signature: `${payment.signature}00` as Hex };
		await rpc.get("anvil_setCode", [address, slowWallet(100)]);
		t.same(await facilitator.verify(terms, shortened), { kind: "valid" });
		await rpc.get("anvil_setCode", [address, slowWallet(500_000)]);
		const gasBefore = await local.client.reader.getBalance({ address: settler });
		t.match(await facilitator.verify(terms, shortened), { kind: "refused" });
		t.match(await facilitator.settle(terms, shortened, ignore), { kind: "refused" });
		t.equal(await local.client.reader.getBalance({ address: settler }), gasBefore);
		t.match(await chain?.stateOf(terms, shortened), { kind: "unused" });

		const { send, signed } = await openWallet();
		await t.rejects(send(address), { name: "TooMuchGas", retryable: false });
		t.same(signed, [], "it was not even signed");
	});

	await t.test("a settlement whose end is not seen is unknown, and has its hash", async (t) => {
		const { wallet } = await openWallet();
		const receiptOf = async () => Promise.reject(new Error("no answer"));
		const unseen = createLocalFacilitator({
			...{ getClient, network: NETWORK, wallet: { ...wallet, receiptOf } },
		});
		const kept: string[] = [];
		const onBroadcast = async (hash: string) => void kept.push(hash);
		t.strictSame(await unseen.settle(terms, await local.sign(), { onBroadcast }), {
			...{ kind: "unknown", transactionHash: kept[0] },
			message: "The transaction was sent, and whether it was carried out is not known yet.",
		});
		t.equal(kept.length, 1);
	});

	await t.test("what cannot be asked is no verdict, and nothing is sent", async (t) => {
		const { wallet, signed } = await openWallet();
		const client = await getClient();
		const fault = new Error("no answer");
		const fails = async () => Promise.reject(fault);
		const over = (changes: object) =>
			createLocalFacilitator({
				...{ network: NETWORK, wallet },
				getClient: async () => ({ ...client, ...changes }) as typeof client,
			});
		const payment = await local.sign();
		for (const silent of [over({ readContract: fails }), over({ getCode: fails })])
			await t.rejects(silent.verify(terms, payment), {
				...{ code: "UPSTREAM", cause: fault },
				message: "The chain cannot be read just now; pay again shortly.",
			});
		const silent = over({});
		const notSent = { kind: "not_sent", message: "The chain cannot be read just now." };
		const elsewhere = { ...terms, network: "eip155:1" };
		await t.rejects(silent.verify(elsewhere, payment), {
			...{ code: "UPSTREAM", message: "Nobody here settles on eip155:1." },
		});
		t.strictSame(await silent.settle(elsewhere, payment, ignore), notSent);
		t.same([silent.kind, signed], ["local", []]);
	});

	await t.test("an asset that does not count in millionths takes no payment", async (t) => {
		const { address } = createWallet();
		const strange = { ...terms, asset: address };
		const guarded = requireSixDecimals(facilitator, getClient);
		const payment = await local.sign();
		// PUSH1 decimals, and return it.
		await rpc.get("anvil_setCode", [address, "0x601260005260206000f3"]);
		await t.rejects(guarded.verify(strange, payment), {
			code: "UNAVAILABLE",
			message: /18 decimals/,
		});
		const honest = requireSixDecimals(facilitator, getClient);
		t.same(await honest.verify(terms, payment), { kind: "valid" });
	});

	await t.test("what the node drops is sent again while it is waited for", async (t) => {
		const { wallet, send } = await openWallet();
		await rpc.get("evm_setAutomine", [false]);
		const hash = await send();
		await rpc.get("anvil_dropTransaction", [hash]);
		await rpc.get("evm_setAutomine", [true]);
		t.match(await wallet.receiptOf(hash), { status: "success" });
	});

	await t.test("what was dropped and is not waited for leaves no gap", async (t) => {
		const { wallet, send, signed } = await openWallet({ isHasty: true });
		await rpc.get("evm_setAutomine", [false]);
		const dropped = await send();
		await t.rejects(wallet.receiptOf(dropped), { code: "UPSTREAM" });
		await rpc.get("anvil_dropTransaction", [dropped]);
		await rpc.get("evm_setAutomine", [true]);
		const next = await send();
		t.match(signed, [{ nonce: 0 }, { nonce: 0 }]);
		t.match(await local.client.reader.waitForTransactionReceipt({ hash: next }), {
			status: "success",
		});
	});

	await t.test(
		"a refusal of what the node has taken is no reason to send a second one",
		async (t) => {
			const ask: typeof rpc.ask = async (method, params) => {
				const reply = await rpc.ask(method, params);
				if (method !== "eth_sendRawTransaction") return reply;
				return { kind: "error", code: -32_000, message: "nonce too low" };
			};
			const { wallet, send, signed } = await openWallet({ over: { ...rpc, ask } });
			t.match(await wallet.receiptOf(await send()), { status: "success" });
			t.equal(signed.length, 1);
		},
	);

	await t.test("of a transaction and its replacement one is carried out", async (t) => {
		const { send, signed } = await openWallet();
		const to = createWallet().address;
		await rpc.get("evm_setAutomine", [false]);
		const first = await send(to);
		const second = await send(to, { hashes: [first], nonce: 0 });
		t.not(second, first);
		await rpc.get("evm_setAutomine", [true]);
		await rpc.get("evm_mine");
		t.match(signed, [{ nonce: 0 }, { nonce: 0 }]);
		const replaces = { hashes: [first, second], nonce: 0 };
		t.equal(await send(to, replaces), second, "the one that was carried out is the answer");
		t.equal(signed.length, 2, "and nothing is signed any more");
		const elsewhere = { hashes: [`0x${"1".repeat(64)}` as Hex], nonce: 0 };
		await send(to, elsewhere);
		t.match(signed[2], { nonce: 1 }, "a number that went to another leaves the old one dead");
	});
});
