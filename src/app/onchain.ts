import { createHash } from "node:crypto";
import { join } from "node:path";
import {
	createChainReader,
	createEvmClient,
	createEvmRpc,
	createEvmWallet,
	createLocalFacilitator,
	createRemoteFacilitator,
	createSendingTurns,
	createTreasury,
	type EvmRpc,
	requireSixDecimals,
} from "../../payments/evm/evm.js";
import type { Hex, OnchainParts, SettlementTerms } from "../../payments/onchain/onchain.js";
import type { Store } from "../../store/store.js";
import { type DemoWalletName, type KeyPair, parsePrivateKey } from "../accounts/accounts.js";
import { DEMO_CHAIN_ID, DEMO_TOKEN, openDemoChain } from "../chain/chain.js";
import { LIMITS } from "../contract/contract.js";
import { createConfiguredEgress } from "../delivery/delivery.js";
import { type Clock, invalidArgument, type Random } from "../kernel/kernel.js";
import { type OnchainPlan, planOnchain } from "../settings/settings.js";
import type { OpenPorts } from "./services.js";

interface OnchainPorts extends OpenPorts {
	/** Of the processes that send with the same key; by default this one alone does. */
	readonly store?: Store | undefined;
	/** TOLLGRAPH_FACILITATOR_TOKEN wins over the file. */
	readonly environment?: Readonly<Record<string, string | undefined>>;
	/** For tests: blocks of the demo chain at intervals. */
	readonly blockTimeSeconds?: number | undefined;
}

/** Parts on a chain that may still be starting. */
export interface OpenedOnchain extends OnchainParts {
	/** Resolves once payments can be settled. */
	ready(): Promise<void>;
}

/**
 * What the settings ask for; undefined when payments on a chain are off, or the demo chain is not installed. Throws
 * INVALID_ARGUMENT for settings or keys that are missing.
 */
export async function openOnchain(deps: OnchainPorts): Promise<OpenedOnchain | undefined> {
	const plan = await checkOnchain(deps);
	if (plan.kind === "off") return undefined;
	if (plan.kind === "demo") return openDemo(deps);
	return plan.kind === "local" ? openLocal(deps, plan) : openRemote(deps, plan);
}

interface PlannedPorts extends Pick<OnchainPorts, "settings" | "environment"> {
	readonly keys: Pick<OnchainPorts["keys"], "readPlaced">;
}

/** What a start would open. Opens nothing; throws INVALID_ARGUMENT for settings or keys a start would refuse. */
export async function checkOnchain(deps: PlannedPorts): Promise<OnchainPlan> {
	const plan = planOnchain(deps.settings.onchain, deps.settings.profile);
	if (!("terms" in plan)) return plan;
	await assertChecksum(plan.terms.payTo, "pay_to");
	await assertChecksum(plan.terms.asset, "asset");
	if (plan.kind === "local") requireSettlerKey(deps.keys);
	else readFacilitatorToken(deps);
	if (plan.rpcUrl !== undefined) readSettlerKey(deps.keys);
	return plan;
}

/** A demo without its chain still sells by token and key. */
async function openDemo(deps: OnchainPorts): Promise<OpenedOnchain | undefined> {
	const { folder, keys, clock, random, logger, store, blockTimeSeconds } = deps;
	const pairOf = (name: DemoWalletName) => keys.demoWallet(name, () => createKeyPair(random));
	const pairs = Promise.all([pairOf("demo-wallet"), pairOf("demo-settler")]);
	// The chain starts while keys are made; anyone who needs them hears of a failure.
	pairs.catch(() => undefined);
	const chain = await openDemoChain({
		folder: join(folder, "chain"),
		async findFunds() {
			const [{ address: wallet }, { address: settler }] = await pairs;
			return { wallet, settler };
		},
		egress: createConfiguredEgress({ loopback: true }),
		clock,
		logger,
		blockTimeSeconds,
	}).catch((error: unknown) => {
		logger.error("the local chain did not start; payments on it are off", { error: String(error) });
		return undefined;
	});
	if (!chain) return undefined;
	const [wallet, settler] = await pairs.catch(async (error: unknown) => {
		await chain.close();
		throw error;
	});
	const terms = {
		network: `eip155:${DEMO_CHAIN_ID}`,
		asset: DEMO_TOKEN,
		assetName: "USDC",
		assetVersion: "2",
		// Refunds are paid from here, so its key must be at hand.
		payTo: settler.address,
	} as const;
	return {
		...connect({
			rpc: chain.rpc,
			terms,
			clock,
			store,
			privateKey: settler.private_key,
			isLocal: true,
		}),
		demoWallet: {
			...wallet,
			rpc_url: chain.url,
			network: terms.network,
			asset: terms.asset,
		},
		ready: chain.ready,
		close: chain.close,
	};
}

function openLocal(
	{ keys, clock, store }: OnchainPorts,
	{ terms, rpcUrl }: Extract<OnchainPlan, { kind: "local" }>,
): OpenedOnchain {
	const privateKey = requireSettlerKey(keys);
	const rpc = createEvmRpc({ egress: createConfiguredEgress({ urls: [rpcUrl] }), url: rpcUrl });
	return {
		...connect({ rpc, terms, clock, store, privateKey, isLocal: false }),
		...NOTHING_TO_START,
	};
}

function openRemote(
	deps: OnchainPorts,
	{ terms, url, rpcUrl }: Extract<OnchainPlan, { kind: "remote" }>,
): OpenedOnchain {
	const { keys, clock, store } = deps;
	const remote = createRemoteFacilitator({
		egress: createConfiguredEgress({ urls: [url] }),
		url,
		token: readFacilitatorToken(deps),
	});
	if (rpcUrl === undefined) return { terms, facilitator: remote, ...NOTHING_TO_START };
	const rpc = createEvmRpc({ egress: createConfiguredEgress({ urls: [rpcUrl] }), url: rpcUrl });
	const getClient = createEvmClient({ rpc, network: terms.network });
	const facilitator = requireSixDecimals(remote, getClient);
	const chain = createChainReader({ getClient, clock });
	const privateKey = readSettlerKey(keys);
	if (privateKey === undefined) return { terms, facilitator, chain, ...NOTHING_TO_START };
	const { treasury } = connect({ rpc, terms, clock, store, privateKey, isLocal: false });
	return { terms, facilitator, chain, treasury, ...NOTHING_TO_START };
}

const NOTHING_TO_START = { ready: async () => undefined, close: async () => undefined };

interface Connection {
	readonly rpc: EvmRpc;
	readonly terms: SettlementTerms;
	readonly clock: Clock;
	readonly store: Store | undefined;
	readonly privateKey: Hex;
	readonly isLocal: boolean;
}

/** Everything over one node and one key; facilitator and treasury share the wallet, whose nonces are one sequence. */
function connect({ rpc, terms, clock, store, privateKey, isLocal }: Connection) {
	const { network, payTo } = terms;
	const getClient = createEvmClient({ rpc, network });
	const pollIntervalMs = isLocal ? LIMITS.localChainPollMs : LIMITS.chainPollMs;
	const turns = store && createSendingTurns({ store, clock });
	const wallet = createEvmWallet({
		...{ rpc, getClient, network, privateKey, clock, pollIntervalMs, turns },
	});
	return {
		terms,
		facilitator: requireSixDecimals(
			createLocalFacilitator({ getClient, wallet, network }),
			getClient,
		),
		chain: createChainReader({ getClient, clock }),
		treasury: createTreasury({ wallet, payTo }),
	};
}

/** Loads viem, on the first start of a folder alone: from then on the address is kept beside its key. */
async function createKeyPair(random: Random): Promise<KeyPair> {
	const { privateKeyToAddress } = await import("viem/accounts");
	const privateKey: Hex = `0x${Buffer.from(random.bytes(32)).toString("hex")}`;
	return { address: privateKeyToAddress(privateKey), private_key: privateKey };
}

function readFacilitatorToken({
	keys,
	environment = {},
}: Pick<PlannedPorts, "keys" | "environment">): string | undefined {
	return environment["TOLLGRAPH_FACILITATOR_TOKEN"] || keys.readPlaced("facilitator-token");
}

function requireSettlerKey(keys: PlannedPorts["keys"]): Hex {
	const privateKey = readSettlerKey(keys);
	if (privateKey !== undefined) return privateKey;
	throw invalidArgument(
		"The local facilitator needs a key that pays the gas: put it into <data>/keys/settler-key (0x and 64 hexadecimal digits, chmod 600).",
	);
}

function readSettlerKey(keys: PlannedPorts["keys"]): Hex | undefined {
	const key = keys.readPlaced("settler-key");
	if (key === undefined) return undefined;
	const text = parsePrivateKey(key);
	if (text === undefined) {
		throw invalidArgument(
			"<data>/keys/settler-key must hold one private key: 0x and 64 hexadecimal digits.",
		);
	}
	if (WELL_KNOWN_KEYS.has(createHash("sha256").update(text.toLowerCase()).digest("hex"))) {
		throw invalidArgument(
			"<data>/keys/settler-key holds a key of local test chains that everybody knows; use one of your own.",
		);
	}
	return text;
}

/** A typed address with one wrong digit would send every payment to no one; viem is worth loading for that. */
async function assertChecksum(address: string, key: string): Promise<void> {
	const digits = address.slice(2);
	if (digits === digits.toLowerCase() || digits === digits.toUpperCase()) return;
	const { isAddress } = await import("viem");
	if (isAddress(address)) return;
	throw invalidArgument(
		`The checksum of ${key} ("${address}") is wrong: compare it with the address you copied it from.`,
	);
}

/** SHA-256 of the first keys of the mnemonic that anvil and hardhat start with. */
const WELL_KNOWN_KEYS = new Set([
	"60a09e4357868c1e9b801052726d061c370429f723db84523ed58ac354f6eb8a",
	"095101cf732c298a0ce0320b9de704209cdd8640b70d8fdf4e5be51aa2eb272e",
	"bb4978fbe7638de8e6ee13d9a59a5fb047beb0f0ee059fe166541b1f96b6af63",
	"f02322197a196ceb746aa52cee2a869abf0fe231c4d6d050a8a5f02c6625a1d4",
	"5de22089c247b9b2722ec5c33498e6bc481b1faba85f4da957f8b84679fcf88c",
	"59feecfa04eb096ba44eed297e4239fa32d8840cbc1ffb8ff2f7fd8e8e0edd38",
	"b69d88ff1ad5834ab1d8ed45f20d72b6ccf3429c9ccc75b93d14ca0ee00dec16",
	"b6b9ee08c38f62da71fa150a8ada4a7a09c7d3c4a9f6445e51e5a4b2c6395368",
	"be394de37f9d6cf6682434e9f15a4f891eca9b614bf79da2da22a8e48a658fcd",
	"dd0102d1cd0c6ac702573e3e7551fc6cec26596b6287348804c1b0f9544b5bf9",
]);
