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
