import { randomBytes } from "node:crypto";
import { privateKeyToAccount } from "viem/accounts";

const SEARCH = "/v1/graphs/agent-payments/search";
const BODY = { query: "Which HTTP status code asks for payment?", limit: 1 };
const VALID_SECONDS = 240;
const TYPES = {
	TransferWithAuthorization: [
		{ name: "from", type: "address" },
		{ name: "to", type: "address" },
		{ name: "value", type: "uint256" },
		{ name: "validAfter", type: "uint256" },
		{ name: "validBefore", type: "uint256" },
		{ name: "nonce", type: "bytes32" },
	],
};

/** Pays one call by each version of x402 and buys a token, where the machine has a local chain. */
export async function payByWallet({ send, ready }) {
	if (!ready.demo_wallet) return;
	const { private_key: privateKey, network } = ready.demo_wallet;
	const wallet = { account: privateKeyToAccount(privateKey), network };
	const search = { method: "POST", path: SEARCH, body: BODY };
	const unpaid = await send("wallet unpaid", search);
	const [terms] = unpaid.body.accepts;
	const v1 = {
		x402Version: 1,
		scheme: terms.scheme,
		network: terms.network,
		payload: await sign(wallet, { ...terms, amount: terms.maxAmountRequired }),
	};
	await send("wallet by x402 version 1", { ...search, headers: { "X-PAYMENT": encode(v1) } });
	await send("wallet by the same again", {
		...search,
		body: { ...BODY, limit: 2 },
		headers: { "X-PAYMENT": encode(v1) },
	});
	const headers = { "PAYMENT-SIGNATURE": await answer(wallet, unpaid) };
	await send("wallet by x402 version 2", { ...search, headers });
	const order = { method: "POST", path: "/v1/spt", body: { amount_usd: "3" } };
	const offered = await send("wallet token unpaid", order);
	const bought = { "PAYMENT-SIGNATURE": await answer(wallet, offered) };
	await send("wallet token bought", { ...order, headers: bought });
}

/** What version 2 sends for the demand in the header of a 402. */
async function answer(wallet, { headers }) {
	const demand = JSON.parse(Buffer.from(headers["payment-required"], "base64").toString());
	const [accepted] = demand.accepts;
	const payload = await sign(wallet, accepted);
	return encode({ x402Version: 2, resource: demand.resource, accepted, payload });
}

async function sign({ account, network }, { payTo, amount, asset, extra }) {
	const now = Math.floor(Date.now() / 1000);
	const authorization = {
		from: account.address,
		to: payTo,
		value: amount,
		validAfter: String(now - VALID_SECONDS),
		validBefore: String(now + VALID_SECONDS),
		nonce: `0x${randomBytes(32).toString("hex")}`,
	};
	const signature = await account.signTypedData({
		domain: {
			...extra,
			chainId: Number(network.split(":")[1]),
			verifyingContract: asset,
		},
		types: TYPES,
		primaryType: "TransferWithAuthorization",
		message: authorization,
	});
	return { signature, authorization };
}

function encode(value) {
	return Buffer.from(JSON.stringify(value)).toString("base64");
}
