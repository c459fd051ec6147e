import { existsSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { createEvmRpc, type EvmRpc } from "../../payments/evm/evm.js";
import type { Clock, Egress, Logger } from "../kernel/kernel.js";
import {
	type AnvilOptions,
	type AnvilProcess,
	ChainEnded,
	findAnvil,
	startAnvil,
} from "./anvil-process.js";
import { type DemoFunds, provideDemoToken, tokenFingerprint } from "./demo-token.js";

/** Base Sepolia's number: the closed list of x402 v1 clients knows it. */
export const DEMO_CHAIN_ID = 84_532;

export interface DemoChainOptions {
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

export interface DemoChain {
	readonly url: string;
	/** Its calls wait until the token is there. */
	readonly rpc: EvmRpc;
	/** Resolves once token and funds are there. */
	ready(): Promise<void>;
	close(): Promise<void>;
}

/** Starts the chain, and goes on once it listens; undefined when anvil is not installed. Throws UNAVAILABLE. */
export async function openDemoChain(options: DemoChainOptions): Promise<DemoChain | undefined> {
	const { folder, findFunds, egress, clock, logger, blockTimeSeconds } = options;
	const binary = findAnvil();
	if (binary === undefined) return undefined;
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	const stateFile = join(folder, `state-${tokenFingerprint()}.json`);
	const settings = { stateFile, chainId: DEMO_CHAIN_ID, blockTimeSeconds, clock };
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
		rpc: waitingFor(ready, rpc),
		ready: () => ready,
		async close() {
			isClosing = true;
			await anvil.stop();
		},
	};
}

/**
 * A state that a power cut left damaged is put aside and the chain starts afresh: paper money lost. One that only loads
 * slowly is nothing of the kind.
 */
async function startOnGoodState(
	binary: string,
	settings: AnvilOptions,
	logger: Logger,
): Promise<AnvilProcess> {
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
