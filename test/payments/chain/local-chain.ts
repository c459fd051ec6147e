import { join } from "node:path";
import type { Test } from "tap";
import {
	createPublicClient,
	createWalletClient,
	defineChain,
	http,
	type LocalAccount,
	toHex,
} from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import type { Hex, TransferAuthorization } from "../../../payments/onchain/facilitator.js";
import { openKeyFolder } from "../../../src/accounts/key-folder.js";
import { type OpenedOnchain, openOnchain } from "../../../src/app/onchain.js";
import { findAnvil } from "../../../src/chain/demo-chain.js";
import { systemClock } from "../../../src/kernel/clock.js";
import { systemRandom } from "../../../src/kernel/ids.js";
import { testSettings } from "../../support/start-app.js";

/** Why tests that need a chain do not run here; false when they do. */
export const withoutChain = findAnvil() === undefined && "anvil is not installed";

export interface LocalChain {
	readonly parts: OpenedOnchain;
	/** Holds 100 USDC. */
	readonly payer: LocalAccount;
	readonly rpcUrl: string;
	/** Data folder the chain belongs to. */
	readonly folder: string;
	readonly client: ReturnType<typeof connect>;
	/** A transfer to our address, signed by the payer unless stated otherwise. */
	sign(changes?: SignChanges): Promise<TransferAuthorization>;
}

export interface SignChanges extends Partial<Omit<TransferAuthorization, "signature">> {
	readonly by?: LocalAccount;
	readonly domain?: { readonly name?: string; readonly version?: string };
}

export interface ChainChanges {
	readonly blockTimeSeconds?: number;
	readonly folder?: string;
	/** What the chain's log said. */
	readonly log?: string[];
}

/** The demo chain as a server opens it, ready; ended with the test. */
export async function startLocalChain(
	t: Test,
	{ blockTimeSeconds, folder = join(t.testdir({}), "data"), log = [] }: ChainChanges = {},
): Promise<LocalChain> {
	const parts = await openOnchain({
		settings: testSettings(folder, { onchain: {} }),
		folder,
		keys: openKeyFolder(join(folder, "keys"), systemRandom),
		clock: systemClock,
		random: systemRandom,
		logger: { info: () => undefined, error: (message) => log.push(message) },
		blockTimeSeconds,
	});
	if (!parts?.demoWallet) throw new Error("There is no chain.");
	t.teardown(() => parts.close());
	await parts.ready();
	const { private_key, rpc_url } = parts.demoWallet;
	const payer = privateKeyToAccount(private_key);
	const sign = (changes: SignChanges = {}) => signTransfer(parts, payer, changes);
	return { parts, payer, rpcUrl: rpc_url, folder, client: connect(rpc_url), sign };
}

export function createWallet(): LocalAccount {
	return privateKeyToAccount(generatePrivateKey());
}

/** Reads and writes as anybody could. */
function connect(rpcUrl: string) {
	const chain = defineChain({
		id: 84_532,
		name: "demo",
		nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
		rpcUrls: { default: { http: [rpcUrl] } },
	});
	const transport = http(rpcUrl);
	return {
		reader: createPublicClient({ chain, transport, pollingInterval: 20 }),
		writer: (account: LocalAccount) => createWalletClient({ chain, transport, account }),
	};
}

const TRANSFER = ["from", "to", "value", "validAfter", "validBefore", "nonce"] as const;
const TYPES = {
	from: "address",
	to: "address",
	value: "uint256",
	validAfter: "uint256",
	validBefore: "uint256",
	nonce: "bytes32",
} as const;

async function signTransfer(
	{ terms }: OpenedOnchain,
	payer: LocalAccount,
	{ by = payer, domain = {}, ...changes }: SignChanges,
): Promise<TransferAuthorization> {
	const now = Math.floor(Date.now() / 1_000);
	const message = {
		from: payer.address as Hex,
		to: terms.payTo,
		value: 500_000n,
		validAfter: now - 60,
		validBefore: now + 300,
		nonce: toHex(crypto.getRandomValues(new Uint8Array(32))),
		...changes,
	};
	const signature = await by.signTypedData({
		domain: {
			name: domain.name ?? terms.assetName,
			version: domain.version ?? terms.assetVersion,
			chainId: 84_532,
			verifyingContract: terms.asset,
		},
		types: { TransferWithAuthorization: TRANSFER.map((name) => ({ name, type: TYPES[name] })) },
		primaryType: "TransferWithAuthorization",
		message: {
			...message,
			validAfter: BigInt(message.validAfter),
			validBefore: BigInt(message.validBefore),
		},
	});
	return { ...message, signature };
}
