import type { Command } from "commander";
import { type CommandContext, type Flags, settingsOf, withSettings } from "../command-context.js";
import { runDoctor } from "../doctor.js";
import { printResult, toColumns } from "../output.js";

export function addDoctor(program: Command, context: CommandContext): void {
	withSettings(
		program.command("doctor").description("Check that this machine and this data folder can sell."),
	)
		.option("--json", "print one JSON line")
		.action(async (flags: Flags) => {
			const report = await runDoctor(settingsOf(context, flags), context.environment);
			const lines = toColumns(
				report.checks.map(({ ok, name, message }) => [ok ? "ok" : "FAIL", name, message]),
			);
			printResult(context.terminal, report, { json: flags["json"] === true, lines });
			if (!report.ok) process.exitCode = 3;
		});
}
