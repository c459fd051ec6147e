import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { invalidArgument } from "../../kernel/kernel.js";
import {
	type BackupReport,
	type Operator,
	type RestoreReport,
	restoreData,
} from "../../operator/operator.js";
import type { Settings } from "../../settings/settings.js";
import { findServer } from "../operator-client.js";
import {
	addCommand,
	addOperatorCommand,
	type CommandContext,
	withOperator,
} from "../operator-command.js";
import { createProgress } from "../output.js";

export function addBackup(program: Command, context: CommandContext): void {
	const backup = program
		.command("backup <folder>")
		.description(
			"Copy journal, keys and imported graphs into an empty or new folder, while the server runs.",
		);
	addCommand(backup, context, {
		run({ settings, args: [folder = ""] }) {
			assertJournal(settings);
			return withOperator(settings, (operator) =>
				operator.backUp(
					{ folder: resolve(context.folder, folder) },
					createProgress(context.terminal, "Copying files"),
				),
			);
		},
		describe: describeBackup,
	});
}

/** Else a mistyped folder would be created, and backed up with nothing in it. */
function assertJournal({ data, storeUrl }: Settings): void {
	if (storeUrl !== undefined || existsSync(join(data, "journal"))) return;
	throw invalidArgument(
		`There is nothing to back up at "${resolve(data)}"; name the data folder with --data.`,
	);
}

function describeBackup({ folder, transactions, files, bytes, created_at }: BackupReport) {
	return [
		`${folder}: ${transactions} transactions up to ${created_at}, ${files} files, ${toMib(bytes)} MiB`,
		"It holds secrets (keys): whoever can read it can sign and spend in your name. Keep it as safe as the data folder.",
		`Restore it with: tollgraph restore ${folder} --data <new folder>`,
	];
}

export function addRestore(program: Command, context: CommandContext): void {
	const command = program
		.command("restore <folder>")
		.description("Make a data folder (--data, empty or new) from a backup, checking every byte.");
	addCommand(command, context, {
		run({ settings, flags, args: [folder = ""] }) {
			// A default would be too easily the folder in use.
			if (typeof flags["data"] !== "string") {
				throw invalidArgument("Name the folder to restore into with --data.");
			}
			const data = resolve(context.folder, settings.data);
			assertUnused(data);
			return restoreData(
				{ from: resolve(context.folder, folder), data },
				createProgress(context.terminal, "Restoring files"),
			);
		},
		describe: describeRestore,
	});
}

function describeRestore(found: RestoreReport): string[] {
	const { data, profile, transactions, accounts, created_at, files, bytes } = found;
	return [
		`${data}: ${transactions} transactions in ${accounts} accounts up to ${created_at}, ${profile} profile, ${files} files, ${toMib(bytes)} MiB; every checksum and the journal are sound`,
		"What was paid after that moment is not in it. Stop the server it was taken from before you start this one, and run: tollgraph ledger verify, then ledger reconcile",
	];
}

function assertUnused(data: string): void {
	const server = findServer(data);
	if (!server) return;
	throw invalidArgument(
		`A server (process ${server.pid}) works on "${data}"; restore into an empty or new folder.`,
	);
}

function toMib(bytes: number): string {
	return (bytes / 1024 / 1024).toFixed(1);
}

export function addClock(program: Command, context: CommandContext): void {
	const clock = program.command("clock").description("Whether this machine's time is trusted.");
	const describe = ({ status, now, expected }: Awaited<ReturnType<Operator["readClock"]>>) => [
		status === "trusted"
			? `${now}: trusted`
			: `${now}, more than a day after ${expected}, where it should be: nothing is deleted and no schedule runs. Set the clock right; where it is right, run: tollgraph clock accept`,
	];
	addOperatorCommand(
		clock.command("show").description("The clock, and where it should be."),
		context,
		{
			ask: (operator) => operator.readClock(),
			describe,
		},
	);
	const accept = clock
		.command("accept")
		.description(
			"Say that the clock is right, after a longer pause of the server: what is past its time by it is deleted, and schedules run.",
		);
	addOperatorCommand(accept, context, { ask: (operator) => operator.acceptClock(), describe });
}

export function addRetention(program: Command, context: CommandContext): void {
	const retention = program.command("retention").description("What is kept for how long.");
	const purge = retention
		.command("purge")
		.description("Forget now what is past its time; a running server does it every hour.");
	addOperatorCommand(purge, context, {
		ask: (operator) => operator.purge(),
		describe: ({ queries_kept_from, query_days_removed, documents_removed, rows_removed }) => [
			`Queries are kept from ${queries_kept_from} on: ${query_days_removed} earlier days removed`,
			`Documents past their time: ${documents_removed} removed`,
			...Object.entries(rows_removed).map(([table, count]) => `Rows of ${table}: ${count} removed`),
		],
	});
}
