import type { Hex } from "./facilitator.js";

/** Networks as x402 v1 names them (its clients know this closed list, NETWORKS of @x402/evm/v1), by chain id. */
const V1_NAMES: Readonly<Record<string, string>> = {
	"eip155:1": "ethereum",
	"eip155:11155111": "sepolia",
	"eip155:2741": "abstract",
	"eip155:11124": "abstract-testnet",
	"eip155:84532": "base-sepolia",
	"eip155:8453": "base",
	"eip155:43113": "avalanche-fuji",
	"eip155:43114": "avalanche",
	"eip155:4689": "iotex",
	"eip155:1329": "sei",
	"eip155:1328": "sei-testnet",
	"eip155:137": "polygon",
	"eip155:80002": "polygon-amoy",
	"eip155:3338": "peaq",
	"eip155:1514": "story",
	"eip155:41923": "educhain",
	"eip155:324705682": "skale-base-sepolia",
	"eip155:4326": "megaeth",
	"eip155:143": "monad",
	"eip155:988": "stable",
	"eip155:2201": "stable-testnet",
	"eip155:42220": "celo",
	"eip155:14": "flare",
};

const BY_NAME = new Map(Object.entries(V1_NAMES).map(([caip2, name]) => [name, caip2]));

/** The v1 name of a CAIP-2 network; undefined when v1 clients do not know it. */
export function toV1Network(caip2: string): string | undefined {
	return V1_NAMES[caip2];
}

/** The CAIP-2 id of a v1 name; undefined for one that no v1 client uses. */
export function fromV1Network(name: string): string | undefined {
	return BY_NAME.get(name);
}

/** A token as its transfers are signed: address and EIP-712 domain. Always with six decimals. */
export interface EvmAsset {
	readonly address: Hex;
	readonly name: string;
	readonly version: string;
}

interface EvmNetwork {
	readonly isTest: boolean;
	/** USDC of Circle, with EIP-3009; rows of DEFAULT_ASSETS in @x402/evm. */
	readonly usdc: EvmAsset;
}

const mainnet = (address: Hex, name: string): EvmNetwork => ({
	isTest: false,
	usdc: { address, name, version: "2" },
});
const testnet = (address: Hex, name: string) => ({ ...mainnet(address, name), isTest: true });

/** What we know of networks, by CAIP-2 id. */
const NETWORKS: Readonly<Record<string, EvmNetwork>> = {
	"eip155:1": mainnet("0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48", "USD Coin"),
	"eip155:8453": mainnet("0x833589fcd6edb6e08f4c7c32d4f71b54bda02913", "USD Coin"),
	"eip155:84532": testnet("0x036cbd53842c5426634e7929541ec2318f3dcf7e", "USDC"),
	"eip155:43114": mainnet("0xb97ef9ef8734c71904d8002f8b6bc66dd9c48a6e", "USD Coin"),
	"eip155:137": mainnet("0x3c499c542cef5e3811e1192ce70d8cc03d5c3359", "USD Coin"),
	"eip155:42161": mainnet("0xaf88d065e77c8cc2239327c5edb3a432268e5831", "USD Coin"),
	"eip155:421614": testnet("0x75faf114eafb1bdbe2f0316df893fd58ce46aa4d", "USD Coin"),
	"eip155:143": mainnet("0x754704bc059f8c67012fed69bc8a327a5aafb603", "USDC"),
	"eip155:42220": mainnet("0xceba9300f2b948710d2653dd7b07f33a8b32118c", "USDC"),
	"eip155:11142220": testnet("0x01c5c0122039549ad1493b8220cabedd739bc44e", "USDC"),
	"eip155:1329": mainnet("0xe15fc38f6d8c56af07bbcbe3baf5708a2bf42392", "USDC"),
	"eip155:1328": testnet("0x4fcf1784b31630811181f670aea7a7bef803eaed", "USDC"),
};

/** Test chains whose asset the operator has to name, by number. */
const TEST_CHAINS: ReadonlySet<number> = new Set([
	97, 300, 919, 1301, 1337, 1442, 2201, 2442, 4002, 4801, 5003, 7001, 10200, 11124, 17000, 31337,
	43113, 44787, 48899, 59141, 80001, 80002, 80069, 80084, 84531, 168587773, 421613, 421614, 534351,
	560048, 763373, 999999999, 11155111, 11155420, 324705682,
]);

/** USDC of a network; undefined where the operator has to name the asset. */
export function findUsdc(network: string): EvmAsset | undefined {
	return NETWORKS[network]?.usdc;
}

/** True when money is known to be worth nothing there. */
export function isTestNetwork(network: string): boolean {
	return NETWORKS[network]?.isTest ?? TEST_CHAINS.has(chainIdOf(network));
}

/** The number in `eip155:<number>`. */
export function chainIdOf(network: string): number {
	return Number(network.slice("eip155:".length));
}

/** Addresses mean the same in either case. */
export function isSameAddress(one: string, other: string): boolean {
	return one.toLowerCase() === other.toLowerCase();
}
