import { type CallReply, toHex } from "./calls.js";

/** Pays a call with a wallet of the browser (EIP-1193) by one signed transfer (x402 version 2, scheme exact, EIP-3009). */

interface Provider {
	request(call: {
		readonly method: string;
		readonly params?: readonly unknown[];
	}): Promise<unknown>;
}

interface Requirement {
	readonly scheme: string;
	readonly network: string;
	readonly amount: string;
	readonly asset: string;
	readonly payTo: string;
	readonly maxTimeoutSeconds: number;
	readonly extra: { readonly name: string; readonly version: string };
}

export class WalletRefused extends Error {
	override readonly name = "WalletRefused";
}

/** Asks without a payment, signs what the 402 asks for, and sends it again. Throws WalletRefused. */
export async function payByWallet(
	send: (headers: Record<string, string>) => Promise<CallReply>,
	attempt: { payment?: string },
): Promise<CallReply> {
	// Signed before, and no answer came: signing again would pay again.
	if (attempt.payment !== undefined) return send({ "PAYMENT-SIGNATURE": attempt.payment });
	const { ethereum } = window as { readonly ethereum?: Provider };
	if (!ethereum) {
		throw new WalletRefused("This browser has no wallet. Install one, or pay with a token.");
	}
	const asked = await send({});
	if (asked.status !== 402) return asked;
	const requirement = readRequirement(asked.headers.get("PAYMENT-REQUIRED"));
	const payment = await sign(ethereum, requirement).catch((error: unknown) => {
		if (error instanceof WalletRefused) throw error;
		const { message = "The wallet did not sign." } = (error ?? {}) as { message?: string };
		throw new WalletRefused(message);
	});
	attempt.payment = toBase64(JSON.stringify(payment));
	return send({ "PAYMENT-SIGNATURE": attempt.payment });
}

function readRequirement(header: string | null): Requirement {
	const { accepts = [] } = JSON.parse(fromBase64(header ?? "e30=")) as {
		accepts?: readonly Requirement[];
	};
	const found = accepts.find(
		({ scheme, network }) => scheme === "exact" && network.startsWith("eip155:"),
	);
	if (found) return found;
	throw new WalletRefused("This call cannot be paid by a wallet.");
}

async function sign(ethereum: Provider, accepted: Requirement) {
	const chainId = Number(accepted.network.split(":")[1]);
	const [from] = (await ethereum.request({ method: "eth_requestAccounts" })) as readonly string[];
	if (from === undefined) throw new WalletRefused("The wallet has no account.");
	await chooseChain(ethereum, chainId);
	const nowS = Math.floor(Date.now() / 1_000);
	const authorization = {
		from,
		to: accepted.payTo,
		value: accepted.amount,
		validAfter: String(nowS - 60),
		validBefore: String(nowS + accepted.maxTimeoutSeconds),
		nonce: `0x${toHex(crypto.getRandomValues(new Uint8Array(32)))}`,
	};
	const typed = {
		domain: { ...accepted.extra, chainId, verifyingContract: accepted.asset },
		primaryType: "TransferWithAuthorization",
		types: TYPES,
		message: authorization,
	};
	const signature = await ethereum.request({
		method: "eth_signTypedData_v4",
		params: [from, JSON.stringify(typed)],
	});
	return { x402Version: 2, accepted, payload: { signature, authorization } };
}

/** EIP-3326: 4902 says that the wallet does not know the chain. Wallets refuse to sign for another one than they are on. */
const UNKNOWN_CHAIN = 4902;

async function chooseChain(ethereum: Provider, chainId: number): Promise<void> {
	const current = Number(await ethereum.request({ method: "eth_chainId" }));
	if (current === chainId) return;
	const wanted = [{ chainId: `0x${chainId.toString(16)}` }];
	try {
		await ethereum.request({ method: "wallet_switchEthereumChain", params: wanted });
	} catch (error) {
		if ((error as { code?: unknown } | null)?.code !== UNKNOWN_CHAIN) throw error;
		throw new WalletRefused(
			`Your wallet does not know the network eip155:${chainId}. Add it there, and pay again.`,
		);
	}
}

const TYPES = {
	EIP712Domain: [
		{ name: "name", type: "string" },
		{ name: "version", type: "string" },
		{ name: "chainId", type: "uint256" },
		{ name: "verifyingContract", type: "address" },
	],
	TransferWithAuthorization: [
		{ name: "from", type: "address" },
		{ name: "to", type: "address" },
		{ name: "value", type: "uint256" },
		{ name: "validAfter", type: "uint256" },
		{ name: "validBefore", type: "uint256" },
		{ name: "nonce", type: "bytes32" },
	],
};

const toBase64 = (text: string): string =>
	btoa(String.fromCharCode(...new TextEncoder().encode(text)));

const fromBase64 = (text: string): string =>
	new TextDecoder().decode(Uint8Array.from(atob(text), (char) => char.charCodeAt(0)));
