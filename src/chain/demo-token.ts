import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { EvmRpc } from "../../payments/evm/evm.js";
import type { Hex } from "../../payments/onchain/onchain.js";
import { LIMITS } from "../contract/contract.js";
import { type Clock, PACKAGE_ROOT, ServiceError } from "../kernel/kernel.js";

interface Contract {
	readonly source_sha256: string;
	readonly selectors: Readonly<Record<string, string>>;
	readonly bytecode: Hex;
	readonly deployed_bytecode: Hex;
}

/** First contract of anvil's first account: the same on every fresh chain. */
export const DEMO_TOKEN = "0x5FbDB2315678afecb367f032d93F642f64180aa3";

/** Where wallets and facilitators look for it on every chain. */
const MULTICALL = "0xcA11bde05977b3631167028862bE2a173976CA11";

const SETTLER_ETHER = 10n ** 20n;
const DEPLOY_GAS = "0x2dc6c0";
const MINT_GAS = "0x30d40";

/** Changes with the contract, so that a chain which holds another one is never taken for ours. */
export function tokenFingerprint(): string {
	return readContract("TestUSDC").source_sha256.slice(0, 12);
}

export interface DemoFunds {
	readonly wallet: Hex;
	readonly settler: Hex;
}

/** Puts the token on a fresh chain, fills the demo wallet up to LIMITS.demoWalletMicros and gives the settler its gas. */
export async function provideDemoToken(
	rpc: EvmRpc,
	{ wallet, settler }: DemoFunds,
	clock: Clock,
): Promise<void> {
	const contract = readContract("TestUSDC");
	await Promise.all([
		rpc.get("anvil_setLoggingEnabled", [false]),
		rpc.get("anvil_setCode", [MULTICALL, readContract("Multicall").deployed_bytecode]),
		rpc.get("anvil_setBalance", [settler, toHex(SETTLER_ETHER)]),
	]);
	const [minter] = (await rpc.get("eth_accounts")) as string[];
	const isThere = (await rpc.get("eth_getCode", [DEMO_TOKEN, "latest"])) !== "0x";
	const hashes: unknown[] = [];
	const send = async (transaction: object) =>
		hashes.push(await rpc.get("eth_sendTransaction", [{ from: minter, ...transaction }]));
	if (!isThere) await send({ data: contract.bytecode, gas: DEPLOY_GAS });

	const balanceOf = call(contract, "balanceOf(address)", BigInt(wallet));
	const reply = isThere
		? await rpc.get("eth_call", [{ to: DEMO_TOKEN, data: balanceOf }, "latest"])
		: "0x0";
	const missing = LIMITS.demoWalletMicros - BigInt(String(reply));
	if (missing > 0n) {
		const data = call(contract, "mint(address,uint256)", BigInt(wallet), missing);
		await send({ to: DEMO_TOKEN, data, gas: MINT_GAS });
	}
	for (const hash of hashes) await waitFor(rpc, { hash, clock });
}

async function waitFor(
	rpc: EvmRpc,
	{ hash, clock }: { readonly hash: unknown; readonly clock: Clock },
): Promise<void> {
	const deadlineMs = clock.monotonicMs() + LIMITS.settleTimeoutMs;
	for (;;) {
		const receipt = await rpc.get("eth_getTransactionReceipt", [hash]);
		if (receipt) {
			if ((receipt as { status?: unknown }).status === "0x1") return;
			throw new ServiceError("UPSTREAM", "The demo token could not be put on the local chain.");
		}
		if (clock.monotonicMs() > deadlineMs) {
			throw new ServiceError("UPSTREAM", "The local chain makes no blocks.");
		}
		await new Promise<void>((done) => {
			clock.after(LIMITS.localChainPollMs, done);
		});
	}
}

/** Calldata of a function whose arguments are numbers or addresses: no viem at a start. */
function call(contract: Contract, signature: string, ...words: bigint[]): string {
	const selector = contract.selectors[signature];
	if (selector === undefined) throw new Error(`The contract has no ${signature}.`);
	return `0x${selector}${words.map((word) => word.toString(16).padStart(64, "0")).join("")}`;
}

function toHex(value: bigint): string {
	return `0x${value.toString(16)}`;
}

function readContract(name: string): Contract {
	return JSON.parse(
		readFileSync(join(PACKAGE_ROOT, "contracts", `${name}.json`), "utf8"),
	) as Contract;
}
