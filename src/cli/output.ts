/** Operator commands: data to stdout, talk to stderr, fixed exit codes. */
import { visibleJson, visibleText } from "../core/visible-text.js";
import type { OnProgress } from "../service/graph-importer.js";

export interface Terminal {
	/** One line to stdout: what a pipe gets. */
	data(line: string): void;
	/** One line to stderr: what a person reads. */
	say(line: string): void;
	/** Replaces the current line of a terminal; silent elsewhere. */
	status(line: string): void;
}

export const processTerminal: Terminal = {
	data: (line) => void process.stdout.write(`${line}\n`),
	say: (line) => void process.stderr.write(`${line}\n`),
	status(line) {
		if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${line}`);
	},
};

/** Reports done/total, rewriting one line; ends the line when all is done. */
export function createProgress(terminal: Terminal, verb: string): OnProgress {
	return ({ done, total }) => {
		terminal.status(`${verb} ${done}/${total}${done === total ? "\n" : ""}`);
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
