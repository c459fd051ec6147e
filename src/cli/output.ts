/** Operator commands: data to stdout, talk to stderr, fixed exit codes. */

import { once } from "node:events";
import { createInterface } from "node:readline/promises";
import type { Writable } from "node:stream";
import { visibleJson, visibleText } from "../kernel/kernel.js";
import type { OnProgress } from "../operator/operator.js";

export interface Terminal {
	/** One line to stdout: what a pipe gets. */
	data(line: string): void;
	/** Lines to stdout, as fast as the pipe takes them; ends quietly when it is closed. */
	stream(lines: AsyncIterable<string>): Promise<void>;
	/** One line to stderr: what a person reads. */
	say(line: string): void;
	/** Replaces the current line of a terminal; silent elsewhere. */
	status(line: string): void;
	/** Asks a person for yes or no; undefined where no one can be asked. */
	readonly confirm?: ((question: string) => Promise<boolean>) | undefined;
}

export const processTerminal: Terminal = {
	data: (line) => void process.stdout.write(`${line}\n`),
	stream: (lines) => pipeLines(lines, process.stdout),
	say: (line) => void process.stderr.write(`${line}\n`),
	status(line) {
		if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${line}`);
	},
	confirm: process.stdin.isTTY && process.stderr.isTTY ? confirm : undefined,
};

async function confirm(question: string): Promise<boolean> {
	const lines = createInterface({ input: process.stdin, output: process.stderr });
	try {
		return /^y(es)?$/i.test((await lines.question(`${question} [y/N] `)).trim());
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

/** Reports done/total, rewriting one line when it would read differently; ends the line when all is done. */
export function createProgress(terminal: Terminal, verb: string): OnProgress {
	let shown = "";
	return ({ done, total, stage }) => {
		const doing = stage ? STAGE_VERBS[stage] : verb;
		const line = `${doing} ${done}/${total}${done === total ? "\n" : ""}`;
		if (line !== shown) terminal.status(line);
		shown = line;
	};
}

/** One object on one line with `--json`, else the lines a person wants. Another server's text commands no terminal. */
export function printResult(
	terminal: Terminal,
	result: object,
	{ json, lines }: { json: boolean | undefined; lines: readonly string[] },
): void {
	const shown = json
		? [visibleJson(result)]
		: lines.map((line) => visibleText(line).replace(/\s/g, " "));
	for (const line of shown) terminal.data(line);
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
