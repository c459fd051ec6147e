/** `tollgraph settings`: what can be set, as a file to begin with. */
import type { Command } from "commander";
import { renderSettingsFile, SECRET_ROWS, SETTING_ROWS } from "../../settings/settings.js";
import { withExamples } from "../help.js";
import type { CommandContext } from "../operator-command.js";
import { printResult } from "../output.js";

export function addSettings(program: Command, { terminal }: CommandContext): void {
	const command = program
		.command("settings")
		.description(
			"Print every setting with its flag, variable, default and meaning, as a tollgraph.config.yaml that sets nothing yet.",
		)
		.option("--json", "print one JSON line")
		.action(({ json = false }: { json?: boolean }) => {
			const lines = renderSettingsFile().split("\n");
			printResult(terminal, { settings: SETTING_ROWS, secrets: SECRET_ROWS }, { json, lines });
		});
	withExamples(command, ["settings > tollgraph.config.yaml"]);
}
