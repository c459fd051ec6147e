import { type ChildProcess, fork } from "node:child_process";
import { pinToFirstCore } from "../one-core.js";
import type { Tasks } from "./tasks.js";

export interface ProcessOptions {
	readonly timeoutMs: number;
	/** All its threads share one core, where taskset is there. */
	readonly isPinned?: boolean;
	readonly heapMb?: number;
}

/** What a task gave, and what its process took. */
export interface Measured<T> {
	readonly result: T;
	readonly peakRssMb: number;
	readonly isPinned: boolean;
}

/** Runs one task in a process of its own, so that no figure depends on what ran before. It is ended when it takes too long. */
export async function runTask<Name extends keyof Tasks>(
	name: Name,
	input: Parameters<Tasks[Name]>[0],
	options: ProcessOptions,
): Promise<Measured<Awaited<ReturnType<Tasks[Name]>>>> {
	const child = startProcess("./task-process.js", [], options);
	try {
		const isPinned = options.isPinned === true && pinToFirstCore(child.pid);
		const reply = nextMessage(child, options.timeoutMs);
		child.send({ name, input });
		const { result, peakRssMb } = (await reply) as Omit<Measured<never>, "isPinned">;
		return { result, peakRssMb, isPinned };
	} finally {
		child.kill("SIGKILL");
	}
}

export function startProcess(
	script: string,
	args: readonly string[],
	{ heapMb = 4_096 }: Pick<ProcessOptions, "heapMb"> = {},
): ChildProcess {
	return fork(new URL(script, import.meta.url), args, {
		execArgv: [...process.execArgv, `--max-old-space-size=${heapMb}`],
	});
}

/** Rejects when the process ends or says nothing for so long; the caller ends it then. */
export function nextMessage(child: ChildProcess, timeoutMs: number): Promise<unknown> {
	return new Promise((resolve, reject) => {
		const fail = (why: string) => () => settle(() => reject(new Error(why)));
		const onMessage = (message: unknown) => settle(() => resolve(message));
		const onExit = fail("A measured process ended before it answered.");
		const timer = setTimeout(fail(`A measured process took over ${timeoutMs} ms.`), timeoutMs);
		const settle = (act: () => void) => {
			clearTimeout(timer);
			child.off("message", onMessage).off("exit", onExit);
			act();
		};
		child.once("message", onMessage).once("exit", onExit);
	});
}
