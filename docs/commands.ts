/** The command line as a document, read from the commands themselves: as Markdown, and as a page of man(1). */
import type { Command, Option } from "commander";
import remarkMan from "remark-man";
import remarkParse from "remark-parse";
import { unified } from "unified";
import { examplesOf, ownOptionsOf } from "../src/cli/help.js";
import { createProgram } from "../src/cli/main.js";
import { SOFTWARE_VERSION } from "../src/kernel/package-info.js";

const nothing = () => undefined;
const terminal = { data: nothing, say: nothing, status: nothing, stream: async () => undefined };

/** Each command that does something, with its own options. */
export function renderCommands(): string {
	return leavesOf(openProgram()).map(renderCommand).join("\n\n");
}

export function renderManPage(): string {
	const page = [
		`# tollgraph(1) -- ${openProgram().description()}`,
		"## SYNOPSIS",
		"`tollgraph` *command* [*options*]",
		"## DESCRIPTION",
		"Each command takes `--data`, the folder of journal, keys and graphs, and `--help`; most take `--json`, which prints one JSON line. `--help-all` lists the settings as well; `tollgraph completion bash`, `zsh` or `fish` prints what completes commands in that shell.",
		"## COMMANDS",
		renderCommands(),
		"## ENVIRONMENT",
		"`NO_COLOR`: no colors. Settings: `TOLLGRAPH_` and their names in capitals.",
		"## EXIT STATUS",
		"0: done. 1: it failed. 2: it was called wrongly. 3: a check found something.",
	].join("\n\n");
	const written = String(unified().use(remarkParse).use(remarkMan).processSync(page));
	// With the month in its head it would be another page each month.
	return written.replace(/^(\.TH "TOLLGRAPH" "1") "[^"]*"/, '$1 ""');
}

function openProgram(): Command {
	return createProgram({ terminal, environment: {}, folder: "/", startedMs: 0 }, SOFTWARE_VERSION);
}

function leavesOf(command: Command): readonly Command[] {
	const inner = command.createHelp().visibleCommands(command);
	const listed = inner.filter((one) => one.name() !== "help");
	const isRun =
		command.parent !== null && (listed.length === 0 || ownOptionsOf(command).length > 0);
	return [...(isRun ? [command] : []), ...listed.flatMap(leavesOf)];
}

function renderCommand(command: Command): string {
	const help = command.createHelp();
	const usage = help.commandUsage(command).replace(" [options]", "");
	const options = ownOptionsOf(command).map(renderOption);
	const examples = examplesOf(command);
	return [
		`### \`${usage}\``,
		command.description(),
		...(options.length > 0 ? [options.join("\n")] : []),
		...(examples.length > 0 ? [`\`\`\`sh\n${examples.map(toShell).join("\n")}\n\`\`\``] : []),
	].join("\n\n");
}

function renderOption({ flags, description, argChoices }: Option): string {
	const choices = argChoices ? ` (${argChoices.join(", ")})` : "";
	return `- \`${flags}\`: ${description}${choices}`;
}

const toShell = (line: string): string => line.replace(/^\s*\$ /, "");
