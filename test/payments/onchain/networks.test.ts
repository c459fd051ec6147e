import { DEFAULT_ASSETS } from "@x402/evm";
import { EVM_NETWORK_CHAIN_ID_MAP } from "@x402/evm/v1";
import t from "tap";
import * as chains from "viem/chains";
import {
	chainIdOf,
	findUsdc,
	fromV1Network,
	isSameAddress,
	isTestNetwork,
	toV1Network,
} from "../../../payments/onchain/networks.js";

const ALL = Object.values(chains).filter((chain) => "id" in chain);

t.test("networks have the names that clients of version 1 know, and no others", async (t) => {
	const known = Object.entries(EVM_NETWORK_CHAIN_ID_MAP);
	t.ok(known.length > 20);
	for (const [name, id] of known) {
		t.equal(toV1Network(`eip155:${id}`), name);
		t.equal(fromV1Network(name), `eip155:${id}`);
	}
	const ids = new Set<number>(known.map(([, id]) => id));
	for (const { id } of ALL) if (!ids.has(id)) t.equal(toV1Network(`eip155:${id}`), undefined);
	t.equal(fromV1Network("solana"), undefined);
});

t.test("an asset that is not named is USDC as the protocol's own library has it", async (t) => {
	const found = [];
	for (const [network, assets] of Object.entries(DEFAULT_ASSETS)) {
		const usdc = findUsdc(network);
		if (!usdc) continue;
		const theirs = assets.find(({ symbol }) => symbol === "USDC");
		t.match(theirs, { name: usdc.name, version: usdc.version, decimals: 6 }, network);
		t.equal(usdc.address, theirs?.asset.toLowerCase(), `${network}: in small letters`);
		found.push(chainIdOf(network));
	}
	const wanted = [1, 137, 143, 1328, 1329, 8453, 42161, 42220, 43114, 84532, 421614, 11142220];
	t.same(
		found.sort((a, b) => a - b),
		wanted,
	);
	for (const network of ["eip155:31337", "eip155:988", "eip155:2201"])
		t.equal(findUsdc(network), undefined, `${network}: the operator names it`);
});

t.test("money of a network counts as worth nothing only where its chain is a test", async (t) => {
	const tests = ALL.filter(({ id }) => isTestNetwork(`eip155:${id}`));
	t.ok(tests.length > 30, `${tests.length} chains`);
	// The library lists the same number several times; one entry that says so is enough.
	const isTest = new Set(
		ALL.filter((chain) => "testnet" in chain && chain.testnet).map(({ id }) => id),
	);
	const local = [1337, 31337];
	for (const { id, name } of tests)
		t.ok(isTest.has(id as never) || local.includes(id), `${name} (${id})`);
	for (const id of [84532, 421614, 11142220, 1328, 11155111, 80002, 43113, 31337])
		t.ok(isTestNetwork(`eip155:${id}`), `${id}`);
	for (const id of [1, 10, 137, 143, 1329, 8453, 42161, 42220, 43114])
		t.notOk(isTestNetwork(`eip155:${id}`), `${id}`);
});

t.test("addresses are the same in whichever letters", async (t) => {
	t.equal(isSameAddress("0xAbC", "0xaBc"), true);
	t.equal(isSameAddress("0xABC", "0xabd"), false);
});
