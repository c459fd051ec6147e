import tab from "@bomb.sh/tab/commander";
import { Command, CommanderError } from "commander";
import { ServiceError, SOFTWARE_VERSION, scrubSecrets, visibleText } from "../kernel/kernel.js";
import { addAccounts, addKeys, addSpt, addTokens } from "./commands/account-commands.js";
import { addAnnounce } from "./commands/announce-command.js";
import { addBackup, addClock, addRestore, addRetention } from "./commands/data-commands.js";
import { addConcepts, addGraphs, addReindex } from "./commands/graph-commands.js";
import { addImport } from "./commands/import-command.js";
import { addLedger } from "./commands/ledger-commands.js";
import { addMigrate } from "./commands/migrate-command.js";
import { addAudit, addOperators, addSecrets } from "./commands/operator-commands.js";
import { addProbe } from "./commands/probe-command.js";
import { addSettings } from "./commands/settings-command.js";
import { addShop } from "./commands/shop-commands.js";
import { addFeeds, addModels } from "./commands/source-commands.js";
import { addWriter } from "./commands/writer-command.js";
import { addConnect } from "./connect/connect-command.js";
import { addDoctor } from "./doctor.js";
import type { CommandContext } from "./operator-command.js";
import { endQuietlyOnClosedPipe, processTerminal, StoppedError } from "./output.js";
import { addServe } from "./serve.js";

/** Any long time that a timer can have. */
const LONG_MS = 2 ** 30;

/** Runs the command line given as `argv` (without node and script) and sets the exit code. */
export async function main(
	argv: readonly string[],
	{ startedMs = 0 }: { startedMs?: number } = {},
): Promise<void> {
	for (const output of [process.stdout, process.stderr]) endQuietlyOnClosedPipe(output);
	const program = createProgram(
		{ terminal: processTerminal, environment: process.env, folder: process.cwd(), startedMs },
		SOFTWARE_VERSION,
	);
	// Our timers do not keep the process alive; this one does while a command or a server's end waits for them.
	const holding = setInterval(() => undefined, LONG_MS);
	try {
		await program.parseAsync([...argv], { from: "user" });
	} catch (error) {
		process.exitCode = report(error);
	} finally {
		clearInterval(holding);
	}
}

/** Says what went wrong; 2 for a wrong call, the signal's code for what one stopped, 1 for everything else. */
function report(error: unknown): number {
	if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
	if (error instanceof ServiceError) {
		processTerminal.say({ text: `tollgraph: ${scrubSecrets(error.message)}`, style: "red" });
		return error.code === "INVALID_ARGUMENT" || error.code === "NOT_FOUND" ? 2 : 1;
	}
	if (error instanceof StoppedError) {
		processTerminal.say(`tollgraph: ${scrubSecrets(error.message)}`);
		return error.exitCode;
	}
	const refusal = refusalOf(error);
	if (refusal !== undefined) {
		processTerminal.say(`tollgraph: ${refusal}`);
		return 1;
	}
	const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
	processTerminal.say(`tollgraph: unexpected failure. ${scrubSecrets(text)}`);
	return 1;
}

/** What the system refused, in one sentence: a file or an address that someone named, and no fault of ours. */
function refusalOf(error: unknown): string | undefined {
	if (!(error instanceof Error) || !("syscall" in error)) return undefined;
	return `The system refused this: ${visibleText(scrubSecrets(error.message))}. Put that right, then run it again.`;
}

const COMMANDS = [
	addServe,
	addImport,
	addGraphs,
	addConcepts,
	addSpt,
	addKeys,
	addTokens,
	addAccounts,
	addConnect,
	addLedger,
	addOperators,
	addAudit,
	addSecrets,
	addRetention,
	addClock,
	addReindex,
	addModels,
	addFeeds,
	addWriter,
	addBackup,
	addRestore,
	addMigrate,
	addSettings,
	addDoctor,
	addProbe,
	addShop,
	addAnnounce,
];

/** The data folder may be named at any place of the line: before a command, or before the one below it. */
function takeDataFolder(command: Command): void {
	const isGroup = command.commands.length > 0;
	if (isGroup && !command.options.some(({ long }) => long === "--data")) {
		command.option("--data <folder>", "the data folder of any command below");
	}
	for (const below of command.commands) takeDataFolder(below);
}

/** Exit codes: 0 done, 1 the command failed, 2 it was called wrongly, 3 a check found something, 130 and 143 a signal stopped it. */
export function createProgram(context: CommandContext, version: string): Command {
	const program = new Command("tollgraph")
		.description("Sell a folder of curated knowledge, call by call, to autonomous agents.")
		.version(version)
		.showHelpAfterError("(run with --help for the ways to call it)")
		.exitOverride();
	for (const add of COMMANDS) add(program, context);
	takeDataFolder(program);
	tab(program, { completionCommandName: "completion" });
	return program;
}
