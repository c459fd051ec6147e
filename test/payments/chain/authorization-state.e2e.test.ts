import t from "tap";
import { encodeFunctionData, parseAbi, parseSignature, toHex } from "viem";
import type { TransferAuthorization } from "../../../payments/onchain/facilitator.js";
import { type LocalChain, startLocalChain, withoutChain } from "./local-chain.js";

const ABI = parseAbi([
	"function transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)",
	"function transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)",
	"function cancelAuthorization(address,bytes32,uint8,bytes32,bytes32)",
	"function transfer(address,uint256) returns (bool)",
	"struct Call3 { address target; bool allowFailure; bytes callData; }",
	"function aggregate3(Call3[] calls) payable",
]);

/** Calls as anybody may: the payer himself, past every facilitator. */
async function asPayer({ client, payer }: LocalChain, to: `0x${string}`, data: `0x${string}`) {
	await client.reader.request({
		method: "anvil_setBalance" as never,
		params: [payer.address, toHex(10n ** 18n)] as never,
	});
	const hash = await client.writer(payer).sendTransaction({ to, data });
	const { status } = await client.reader.waitForTransactionReceipt({ hash });
	return { hash, status };
}

function transferCall(authorization: TransferAuthorization) {
	const { from, to, value, validAfter, validBefore, nonce, signature } = authorization;
	const terms = [from, to, value, BigInt(validAfter), BigInt(validBefore), nonce] as const;
	return { terms, signature };
}

t.test("how an authorization ended is read from the chain", { skip: withoutChain }, async (t) => {
	const local = await startLocalChain(t);
	const { parts, payer, sign } = local;
	const { terms, chain, facilitator } = parts;
	const withBytes = (authorization: TransferAuthorization) => {
		const call = transferCall(authorization);
		return encodeFunctionData({
			abi: ABI,
			functionName: "transferWithAuthorization",
			args: [...call.terms, call.signature],
		});
	};

	await t.test("a canceled one is distinguished from a settled one", async (t) => {
		const payment = await sign();
		const signature = await payer.signTypedData({
			domain: {
				name: terms.assetName,
				version: terms.assetVersion,
				chainId: 84_532,
				verifyingContract: terms.asset,
			},
			types: {
				CancelAuthorization: [
					{ name: "authorizer", type: "address" },
					{ name: "nonce", type: "bytes32" },
				],
			},
			primaryType: "CancelAuthorization",
			message: { authorizer: payer.address, nonce: payment.nonce },
		});
		const { r, s, v } = parseSignature(signature);
		const data = encodeFunctionData({
			abi: ABI,
			functionName: "cancelAuthorization",
			args: [payer.address, payment.nonce, Number(v), r, s],
		});
		t.match(await asPayer(local, terms.asset, data), { status: "success" });
		t.same(await chain?.stateOf(terms, payment), { kind: "canceled" });
		const refused = { kind: "refused", reason: "nonce_used" };
		t.match(await facilitator.verify(terms, payment), refused);
	});

	await t.test("one that its payer settled himself has settled", async (t) => {
		const payment = await sign();
		const { hash } = await asPayer(local, terms.asset, withBytes(payment));
		const settled = { kind: "settled", transactionHash: hash, logIndex: 1 };
		t.same(await chain?.stateOf(terms, payment), settled);
	});

	await t.test("a nonce that was spent on another recipient has not paid us", async (t) => {
		const payment = await sign();
		const { nonce } = payment;
		const toHimself = await sign({ nonce, to: payer.address });
		await asPayer(local, terms.asset, withBytes(toHimself));
		await t.rejects(async () => chain?.stateOf(terms, payment), /moved something else/);
	});

	await t.test(
		"the transfer of another authorization in the same transaction does not count",
		async (t) => {
			const payment = await sign();
			const toHimself = await sign({ nonce: payment.nonce, to: payer.address });
			const honest = await sign();
			const calls = [toHimself, honest].map((one) => ({
				target: terms.asset,
				allowFailure: false,
				callData: withBytes(one),
			}));
			const data = encodeFunctionData({ abi: ABI, functionName: "aggregate3", args: [calls] });
			const multicall = "0xcA11bde05977b3631167028862bE2a173976CA11";
			const { hash } = await asPayer(local, multicall, data);
			t.same(await chain?.stateOf(terms, honest), {
				kind: "settled",
				transactionHash: hash,
				logIndex: 3,
			});
			await t.rejects(async () => chain?.stateOf(terms, payment), /moved something else/);
		},
	);
});
