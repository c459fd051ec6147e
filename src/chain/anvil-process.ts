/** The local chain of the demo profile: one anvil process, started with the server and ended with it. */

import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { LIMITS } from "../contract/contract.js";
import { type Clock, ServiceError } from "../kernel/kernel.js";

export interface AnvilOptions {
	/** Loaded at the start and written at the end. */
	readonly stateFile: string;
	readonly chainId: number;
	/** Undefined: each transaction makes its block at once. */
	readonly blockTimeSeconds?: number | undefined;
	readonly clock: Clock;
}

export interface AnvilProcess {
	readonly url: string;
	/** Process group of chain and watchdog. */
	readonly pid: number;
	/** Resolves when the chain has ended, for whatever reason. */
	readonly ended: Promise<void>;
	/** Ends it and waits until its state is written. */
	stop(): Promise<void>;
}

/** Where anvil is installed; undefined when it is not, or not for this system. */
export function findAnvil(): string | undefined {
	// Without a shell nobody would end the chain when the server is killed.
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
export class ChainEnded extends ServiceError {
	constructor() {
		super("UNAVAILABLE", "The local chain ended while it started.");
		this.name = "ChainEnded";
	}
}

/** Resolves once the chain listens. Throws ChainEnded when it ends before, UNAVAILABLE when it takes too long. */
export async function startAnvil(binary: string, options: AnvilOptions): Promise<AnvilProcess> {
	const { stateFile, chainId, blockTimeSeconds, clock } = options;
	const flags = ["--host", "127.0.0.1", "--port", "0", "--chain-id", String(chainId)];
	const blocks = blockTimeSeconds === undefined ? [] : ["--block-time", String(blockTimeSeconds)];
	const child = spawn(
		"/bin/sh",
		["-c", WATCHDOG, "sh", binary, ...flags, "--state", stateFile, "--no-cors", ...blocks],
		{ stdio: ["pipe", "pipe", "ignore"], detached: true },
	);
	const ended = new Promise<void>((done) => {
		child.once("error", () => done());
		child.stdout.once("close", done);
	});
	const stop = () => stopWatchdog(child, clock);
	try {
		const url = await readAddress(child, { ended, clock });
		return { url, pid: child.pid ?? 0, ended, stop };
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
			reject(new ServiceError("UNAVAILABLE", "The local chain did not start in time.")),
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
