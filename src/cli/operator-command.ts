import type { Command } from "commander";
import type { Operator } from "../operator/operator.js";
import type { Settings } from "../settings/settings.js";
import { type CommandContext, type Flags, settingsOf, withSettings } from "./command-context.js";
import { withOperator } from "./open-operator.js";
import { printResult } from "./output.js";

export interface OperatorCommand<Result extends object> {
	readonly ask: (operator: Operator, flags: Flags, args: readonly string[]) => Promise<Result>;
	/** Lines for a person; `--json` prints the result itself. */
	readonly describe: (result: Result, flags: Flags) => readonly string[];
	/** Before anything is opened; throws what speaks against it. */
	readonly check?: (settings: Settings) => void;
	readonly exitCode?: (result: Result) => number;
}

/** A command that asks the operator for one thing and prints it; arguments come in the order they are declared. */
export function addOperatorCommand<Result extends object>(
	command: Command,
	context: CommandContext,
	{ ask, describe, check, exitCode }: OperatorCommand<Result>,
): void {
	withSettings(command)
		.option("--json", "print one JSON line")
		.action(async (...given: unknown[]) => {
			const args = given.filter((value) => typeof value === "string");
			const flags: Flags = command.opts();
			const settings = settingsOf(context, flags);
			check?.(settings);
			const result = await withOperator(settings, (operator) => ask(operator, flags, args));
			const json = flags["json"] === true;
			printResult(context.terminal, result, { json, lines: describe(result, flags) });
			const code = exitCode?.(result) ?? 0;
			if (code !== 0) process.exitCode = code;
		});
}
