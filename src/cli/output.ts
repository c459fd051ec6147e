/** Operator commands: data to stdout, talk to stderr, fixed exit codes. */

import { once } from "node:events";
import { constants } from "node:os";
import { createInterface } from "node:readline/promises";
import type { Writable } from "node:stream";
import { styleText } from "node:util";
import {
	type Clock,
	ServiceError,
	systemClock,
	visibleJson,
	visibleText,
} from "../kernel/kernel.js";
import type { OnProgress } from "../operator/operator.js";

/** Text, and how a terminal shows it; without one, and with NO_COLOR, it is text alone. */
export type Line = string | { readonly text: string; readonly style: LineStyle };
type LineStyle = "bold" | "dim" | "green" | "red";

export interface Terminal {
	/** One line to stdout: what a pipe gets. */
	data(line: Line): void;
	/** Lines to stdout, as fast as the pipe takes them; ends quietly when it is closed. */
	stream(lines: AsyncIterable<string>): Promise<void>;
	/** One line to stderr: what a person reads. */
	say(line: Line): void;
	/** Replaces the current line of a terminal; silent elsewhere. */
	status(line: string): void;
	/** Asks a person for yes or no; undefined where no one can be asked. */
	readonly confirm?: ((question: string) => Promise<boolean>) | undefined;
}

export const processTerminal: Terminal = {
	data: (line) => void process.stdout.write(`${render(line, process.stdout)}\n`),
	stream: (lines) => pipeLines(lines, process.stdout),
	say: (line) => void process.stderr.write(`${render(line, process.stderr)}\n`),
	status(line) {
		if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${line}`);
	},
	confirm: process.stdin.isTTY && process.stderr.isTTY ? confirm : undefined,
};

/** What a signal stopped in good order; the process ends with the code that a shell gives to that signal. */
export class StoppedError extends Error {
	readonly exitCode: number;

	constructor(message: string, signal: NodeJS.Signals) {
		super(message);
		this.exitCode = 128 + constants.signals[signal];
	}
}

/** Runs work that the first signal stops in good order; a second one ends the process at once. */
export async function whileWanted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
	const stop = new AbortController();
	const abort = (name: NodeJS.Signals) => stop.abort(name);
	const signals = ["SIGINT", "SIGTERM"] as const;
	for (const name of signals) process.once(name, abort);
	try {
		return await work(stop.signal);
	} catch (error) {
		if (!stop.signal.aborted || !(error instanceof ServiceError)) throw error;
		throw new StoppedError(error.message, stop.signal.reason);
	} finally {
		for (const name of signals) process.off(name, abort);
	}
}

function render(line: Line, stream: NodeJS.WriteStream): string {
	return typeof line === "string" ? line : styleText(line.style, line.text, { stream });
}

async function confirm(question: string): Promise<boolean> {
	const lines = createInterface({ input: process.stdin, output: process.stderr });
	let isStopped = false;
	lines.once("SIGINT", () => {
		isStopped = true;
		lines.close();
	});
	// Ctrl-D, or a terminal that is gone, is no yes.
	const ended = once(lines, "close").then(() => "");
	try {
		const asked = lines.question(`${question} [y/N] `).catch(() => "");
		const answer = await Promise.race([asked, ended]);
		if (isStopped) throw new StoppedError("Nothing has changed.", "SIGINT");
		return /^y(es)?$/i.test(answer.trim());
	} finally {
		lines.close();
	}
}

/** A reader such as `head` closes the pipe once it has read enough: the rest is discarded, and nothing has failed. */
export function endQuietlyOnClosedPipe(output: Writable): void {
	output.on("error", (error: NodeJS.ErrnoException) => {
		const isHeard = output.listenerCount("error") > 1;
		if (error.code !== "EPIPE" && !isHeard) throw error;
	});
}

async function pipeLines(lines: AsyncIterable<string>, output: Writable): Promise<void> {
	let failure: NodeJS.ErrnoException | undefined;
	const note = (error: NodeJS.ErrnoException) => {
		failure = error;
	};
	output.on("error", note);
	try {
		for await (const line of lines) {
			const isTaken = output.write(`${line}\n`);
			if (!isTaken && !failure) await once(output, "drain").catch(note);
			if (failure) break;
		}
	} finally {
		output.off("error", note);
	}
	// A reader such as head has read enough.
	if (failure && failure.code !== "EPIPE") throw failure;
}

const STAGE_VERBS = { keywords: "Indexing", vectors: "Embedding" } as const;

/** Before that, work is over sooner than its end is read. */
const REMAINING_FROM_MS = 2_000;

/**
 * Reports done/total, and what remains at the pace so far, rewriting one line when it would read differently; ends the line when all is
 * done.
 */
export function createProgress(
	terminal: Pick<Terminal, "status">,
	verb: string,
	{ monotonicMs }: Pick<Clock, "monotonicMs"> = systemClock,
): OnProgress {
	let shown = "";
	let began = { stage: "", done: 0, ms: monotonicMs() };
	return ({ done, total, stage }) => {
		const doing = stage ? STAGE_VERBS[stage] : verb;
		if (doing !== began.stage) began = { stage: doing, done, ms: monotonicMs() };
		const spentMs = monotonicMs() - began.ms;
		const leftMs = (spentMs / (done - began.done)) * (total - done);
		const isLong = spentMs >= REMAINING_FROM_MS && done > began.done && done < total;
		const remaining = isLong ? `, about ${describeDuration(leftMs)} left` : "";
		const line = `${doing} ${done}/${total}${remaining}${done === total ? "\n" : ""}`;
		if (line !== shown) terminal.status(line);
		shown = line;
	};
}

function describeDuration(ms: number): string {
	const seconds = Math.max(1, Math.round(ms / 1_000));
	return seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}

/** One object on one line with `--json`, else the lines a person wants. Another server's text commands no terminal. */
export function printResult(
	terminal: Terminal,
	result: object,
	{ json, lines }: { json: boolean | undefined; lines: readonly Line[] },
): void {
	const shown = json ? [visibleJson(result)] : lines.map(toVisible);
	for (const line of shown) terminal.data(line);
}

function toVisible(line: Line): Line {
	if (typeof line !== "string") return { ...line, text: toVisibleText(line.text) };
	return toVisibleText(line);
}

function toVisibleText(text: string): string {
	return visibleText(text).replace(/\s/g, " ");
}

/** Rows below the names of their columns; `empty` says that there are none, and what would change that. */
export function toList(
	columns: readonly string[],
	rows: readonly (readonly string[])[],
	empty: string,
): Line[] {
	if (rows.length === 0) return [empty];
	const [head = "", ...lines] = toColumns([columns, ...rows]);
	return [{ text: head, style: "bold" }, ...lines];
}

/** Columns as wide as their widest cell. */
export function toColumns(rows: readonly (readonly string[])[]): string[] {
	const widths = (rows[0] ?? []).map((_, column) =>
		Math.max(...rows.map((row) => row[column]?.length ?? 0)),
	);
	return rows.map((row) =>
		row
			.map((cell, column) => cell.padEnd(widths[column] ?? 0))
			.join("  ")
			.trimEnd(),
	);
}
