// What the command line of mppx needs to pay on the local chain: which token, and what its signatures are made over.
// Usage: MPPX_PRIVATE_KEY=0x… npx mppx <address> --json-body <body> --config examples/mppx.config.mjs --protocol mpp
import { evm } from "mppx/client";
import { privateKeyToAccount } from "viem/accounts";

const baseUrl = process.env.TOLLGRAPH_URL ?? "http://127.0.0.1:8402";
const { items } = await (await fetch(`${baseUrl}/.well-known/x402`)).json();
const [{ network, asset, extra }] = items[0].accepts.v2;

export default {
	methods: [
		evm({
			account: privateKeyToAccount(process.env.MPPX_PRIVATE_KEY),
			authorization: { name: extra.name, version: extra.version },
			currencies: [asset],
			networks: [Number(network.split(":")[1])],
			maxAtomicAmount: "1000000",
		}),
	],
};
