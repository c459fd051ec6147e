/** What `--help` shows: a command's own options first, with examples; settings, which all commands share, by `--help-all`. */
import { type Command, CommanderError, Option } from "commander";
import { SETTING_ROWS } from "../settings/settings.js";

/** Where the data lies is asked for more often than any other setting. */
const ALWAYS_SHOWN: ReadonlySet<string> = new Set(["data"]);

const SETTINGS_GROUP = "Settings:";

/** Gives a command a flag for every setting, but for names that mean something else there. `isShown` lists them in its plain help, too. */
export function withSettings(command: Command, { isShown = false } = {}): Command {
	for (const { key, description, default: byDefault } of SETTING_ROWS) {
		const told = byDefault ? `${description} Default: ${byDefault}` : description;
		const flag = `--${key.replaceAll("_", "-")}`;
		if (command.options.some(({ long }) => long === flag)) continue;
		const option = new Option(`${flag} <value>`, told);
		command.addOption(
			option.helpGroup(SETTINGS_GROUP).hideHelp(!isShown && !ALWAYS_SHOWN.has(key)),
		);
	}
	return isShown ? command : withFullHelp(command);
}

function withFullHelp(command: Command): Command {
	const all = new Option("--help-all", "show the settings, too").helpGroup(SETTINGS_GROUP);
	// Runs while options are read, so that it needs none of those that the command requires.
	return command.addOption(all).on("option:help-all", () => {
		for (const option of command.options) option.hidden = option === all;
		command.outputHelp();
		throw new CommanderError(0, "commander.helpDisplayed", "");
	});
}

const EXAMPLES = new WeakMap<Command, readonly string[]>();

/** Lines to copy, below the options of a command's help. */
export function withExamples(command: Command, examples: readonly string[]): Command {
	EXAMPLES.set(command, examples);
	return command.addHelpText("after", () => ["", "Examples:", ...examplesOf(command)].join("\n"));
}

export function examplesOf(command: Command): readonly string[] {
	return (EXAMPLES.get(command) ?? []).map((line) => `  $ tollgraph ${line}`);
}

/** Options that a command has of its own: neither settings nor what every command takes. */
export function ownOptionsOf(command: Command): readonly Option[] {
	return command.options.filter(
		({ long, helpGroupHeading }) => helpGroupHeading !== SETTINGS_GROUP && long !== "--json",
	);
}
