import { Command } from "commander";
import type { CommandContext } from "./command-context.js";
import { addBackup, addRestore } from "./commands/backup-commands.js";
import { addConnect } from "./commands/connect-command.js";
import { addDoctor } from "./commands/doctor-command.js";
import { addFeeds } from "./commands/feed-commands.js";
import { addConcepts, addGraphs, addImport, addReindex } from "./commands/graph-commands.js";
import { addAccounts, addKeys, addTokens } from "./commands/key-commands.js";
import { addLedger } from "./commands/ledger-commands.js";
import { addModels } from "./commands/model-commands.js";
import { addSpt } from "./commands/money-commands.js";
import { addProbe } from "./commands/probe-command.js";
import { addRetention } from "./commands/retention-commands.js";
import { addServe } from "./commands/serve-command.js";

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
	addRetention,
	addReindex,
	addModels,
	addFeeds,
	addBackup,
	addRestore,
	addDoctor,
	addProbe,
];

/** Exit codes: 0 done, 1 the command failed, 2 it was called wrongly, 3 a check found something. */
export function createProgram(context: CommandContext, version: string): Command {
	const program = new Command("tollgraph")
		.description("Sell a folder of curated knowledge, call by call, to autonomous agents.")
		.version(version)
		.showHelpAfterError("(run with --help for the ways to call it)")
		.exitOverride();
	for (const add of COMMANDS) add(program, context);
	return program;
}
