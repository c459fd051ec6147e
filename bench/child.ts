import type { ChildProcess, Serializable } from "node:child_process";
import { once } from "node:events";

/** The next message of a process, and what it answers to a question; rejects where it ends before. */
export async function nextMessage<T>(child: ChildProcess): Promise<T> {
	const over = new AbortController();
	const { signal } = over;
	try {
		return await Promise.race([
			once(child, "message", { signal }).then(([message]) => message as T),
			once(child, "exit", { signal }).then(([code, by]) => {
				throw new Error(`The measured process ended with ${code ?? by}.`);
			}),
		]);
	} finally {
		over.abort();
	}
}

export async function ask<T>(child: ChildProcess, question: Serializable): Promise<T> {
	if (!child.connected) throw new Error("The measured process has ended.");
	const answer = nextMessage<T>(child);
	child.send(question);
	return answer;
}

/** Ends it, whether or not it has ended already. */
export async function end(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): Promise<void> {
	if (child.exitCode !== null || child.signalCode !== null) return;
	const ended = once(child, "exit");
	child.kill(signal);
	await ended;
}
