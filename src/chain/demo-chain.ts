import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createEvmRpc, type EvmRpc } from "../../payments/evm/evm.js";
import type { Hex } from "../../payments/onchain/onchain.js";
import { LIMITS } from "../contract/contract.js";
import {
	type Clock,
	type Egress,
	type Logger,
	PACKAGE_ROOT,
	ServiceError,
	unavailable,
} from "../kernel/kernel.js";

/** Base Sepolia's number: the closed list of x402 v1 clients knows it. */
export const DEMO_CHAIN_ID = 84_532;

interface DemoChainOptions {
	/** Keeps the chain's state over restarts. */
	readonly folder: string;
	/** Who is given money; asked while the chain starts. */
	readonly findFunds: () => Promise<DemoFunds>;
	readonly egress: Egress;
	readonly clock: Clock;
	readonly logger: Logger;
	/** For tests: blocks at intervals, instead of one per transaction. */
	readonly blockTimeSeconds?: number | undefined;
}

/** Starts the chain, and goes on once it listens; undefined when anvil is not installed. Throws UNAVAILABLE. */
export async function openDemoChain(options: DemoChainOptions) {
	const { folder, findFunds, egress, clock, logger, blockTimeSeconds } = options;
	const binary = findAnvil();
	if (binary === undefined) return undefined;
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	const stateFile = join(folder, `state-${tokenFingerprint()}.json`);
	const settings = { stateFile, blockTimeSeconds, clock };
	const anvil = await startOnGoodState(binary, settings, logger);
	const rpc = createEvmRpc({ egress, url: anvil.url });
	const ready = findFunds().then((funds) => provideDemoToken(rpc, funds, clock));
	ready.catch((error: unknown) =>
		logger.error("the local chain is not usable", { error: String(error) }),
	);
	let isClosing = false;
	void anvil.ended.then(() => {
		if (!isClosing) logger.error("the local chain has ended; payments on it fail until a restart");
	});
	return {
		url: anvil.url,
		/** Its calls wait until the token is there. */
		rpc: waitingFor(ready, rpc),
		/** Resolves once token and funds are there. */
		ready: () => ready,
		async close(): Promise<void> {
			isClosing = true;
			await anvil.stop();
		},
	};
}

/**
 * A state that a power cut left damaged is put aside and the chain starts afresh: paper money lost. One that only loads
 * slowly is nothing of the kind.
 */
async function startOnGoodState(binary: string, settings: AnvilOptions, logger: Logger) {
	try {
		return await startAnvil(binary, settings);
	} catch (error) {
		if (!(error instanceof ChainEnded) || !existsSync(settings.stateFile)) throw error;
		const file = `${settings.stateFile}.damaged`;
		renameSync(settings.stateFile, file);
		logger.error("the local chain's state is damaged; the chain starts afresh", { file });
		return startAnvil(binary, settings);
	}
}

function waitingFor(ready: Promise<void>, rpc: EvmRpc): EvmRpc {
	return {
		ask: (method, params) => ready.then(() => rpc.ask(method, params)),
		get: (method, params) => ready.then(() => rpc.get(method, params)),
	};
}

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
function tokenFingerprint(): string {
	return readContract("TestUSDC").source_sha256.slice(0, 12);
}

export interface DemoFunds {
	readonly wallet: Hex;
	readonly settler: Hex;
}

/** Puts the token on a fresh chain, fills the demo wallet up to LIMITS.demoWalletMicros and gives the settler its gas. */
async function provideDemoToken(
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
	for (const hash of hashes) await waitFor(rpc, hash, clock);
}

async function waitFor(rpc: EvmRpc, hash: unknown, clock: Clock): Promise<void> {
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

/** The local chain of the demo profile: one anvil process, started with the server and ended with it. */

interface AnvilOptions {
	/** Loaded at the start and written at the end. */
	readonly stateFile: string;
	/** Undefined: each transaction makes its block at once. */
	readonly blockTimeSeconds?: number | undefined;
	readonly clock: Clock;
}

/** Where anvil is installed; undefined when it is not, or not for this system. */
export function findAnvil(): string | undefined {
	// Without a shell the chain would outlive a server that is killed.
	if (process.platform === "win32") return undefined;
	const arch = process.arch === "x64" ? "amd64" : process.arch;
	try {
		const anvil = createRequire(import.meta.url).resolve("@foundry-rs/anvil/package.json");
		const platform = `@foundry-rs/anvil-${process.platform}-${arch}/package.json`;
		return join(dirname(createRequire(anvil).resolve(platform)), "bin", "anvil");
	} catch {
		return undefined;
	}
}

/**
 * The shell between us and the chain waits for the end of its standard input, which the system closes for us even when
 * this process is killed, and then ends the chain. A group of its own: Ctrl-C reaches the server alone.
 */
const WATCHDOG =
	'umask 077; "$@" </dev/null & chain=$!; exec >&- 2>&-; read -r _; kill "$chain" 2>/dev/null; wait "$chain"';

/** It did not even come to listen: what it was given to load may be damaged. */
class ChainEnded extends ServiceError {
	constructor() {
		super("UNAVAILABLE", "The local chain ended while it started.");
		this.name = "ChainEnded";
	}
}

/** Resolves once the chain listens. Throws ChainEnded when it ends before, UNAVAILABLE when it takes too long. */
async function startAnvil(binary: string, options: AnvilOptions) {
	const { stateFile, blockTimeSeconds, clock } = options;
	const flags = ["--host", "127.0.0.1", "--port", "0", "--chain-id", String(DEMO_CHAIN_ID)];
	const blocks = blockTimeSeconds === undefined ? [] : ["--block-time", String(blockTimeSeconds)];
	const child = spawn(
		"/bin/sh",
		["-c", WATCHDOG, "sh", binary, ...flags, "--state", stateFile, "--no-cors", ...blocks],
		{ stdio: ["pipe", "pipe", "ignore"], detached: true },
	);
	/** Resolves when the chain has ended, for whatever reason. */
	const ended = new Promise<void>((done) => {
		child.once("error", () => done());
		child.stdout.once("close", done);
	});
	/** Ends it and waits until its state is written. */
	const stop = () => stopWatchdog(child, clock);
	try {
		const url = await readAddress(child, { ended, clock });
		return { url, ended, stop };
	} catch (error) {
		await stop();
		throw error;
	}
}

function readAddress(
	child: ChildProcess,
	{ ended, clock }: { ended: Promise<void>; clock: Clock },
): Promise<string> {
	return new Promise((resolve, reject) => {
		const cancel = clock.after(LIMITS.chainStartMs, () =>
			reject(unavailable("The local chain did not start in time.")),
		);
		void ended.then(() => reject(new ChainEnded()));
		let output = "";
		const read = (chunk: Buffer) => {
			output += chunk.toString("utf8");
			const [, address] = /Listening on (127\.0\.0\.1:\d+)/.exec(output) ?? [];
			if (address === undefined) return;
			cancel();
			child.stdout?.off("data", read);
			// What it says later is read away, or it would stop at a full pipe.
			child.stdout?.resume();
			resolve(`http://${address}`);
		};
		child.stdout?.on("data", read);
	});
}

function stopWatchdog(child: ChildProcess, clock: Clock): Promise<void> {
	return new Promise((done) => {
		if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) {
			done();
			return;
		}
		const pid = child.pid;
		const cancel = clock.after(LIMITS.chainStopMs, () => process.kill(-pid, "SIGKILL"));
		child.once("exit", () => {
			cancel();
			done();
		});
		child.stdin?.end();
	});
}
