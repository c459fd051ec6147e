import type { Command } from "commander";
import { type CommandContext, type Flags, settingsOf, withSettings } from "../command-context.js";
import { serve } from "../serve.js";

export function addServe(program: Command, context: CommandContext): void {
	withSettings(program.command("serve").description("Serve the graphs on sale until SIGTERM."))
		.option("--json", "print one JSON line to stdout when ready")
		.action(async (flags: Flags) => {
			const { terminal, environment, startedMs } = context;
			const settings = settingsOf(context, flags);
			const json = flags["json"] === true;
			await serve({ settings, environment, json, terminal, startedMs });
		});
}
