import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { invalidArgument, systemClock, systemRandom } from "../../kernel/kernel.js";
import {
	type MigrationReport,
	type MigrationStage,
	moveToDatabase,
	moveToJournal,
} from "../../operator/operator.js";
import { withExamples } from "../help.js";
import { addCommand, type CommandContext } from "../operator-command.js";
import { createProgress, type Terminal, whileWanted } from "../output.js";

export function addMigrate(program: Command, context: CommandContext): void {
	const command = program
		.command("migrate")
		.description(
			"Move the books of a data folder from its journal to a database (--store-url), or back, while no server runs.",
		)
		.addOption(
			new Option("--to <place>", "where the books go")
				.choices(["database", "journal"])
				.default("database"),
		)
		.option("--dry-run", "say what would be moved, and change nothing");
	withExamples(command, [
		"migrate --data ./shop --store-url postgres://user:password@db.example.org/shop --dry-run",
		"migrate --data ./shop --store-url postgres://user:password@db.example.org/shop",
		"migrate --data ./shop --store-url postgres://user:password@db.example.org/shop --to journal",
	]);
	addCommand(command, context, {
		run({ settings, flags }) {
			const { storeUrl: url, storeSchema: schema, data } = settings;
			if (url === undefined) {
				throw invalidArgument(
					"Name the database with --store-url postgres://user:password@host/database, or in TOLLGRAPH_STORE_URL.",
				);
			}
			const isDryRun = flags["dryRun"] === true;
			const request = { data: resolve(context.folder, data), url, schema, isDryRun };
			const onProgress = createStages(context.terminal);
			const move = flags["to"] === "journal" ? moveToJournal : moveToDatabase;
			return whileWanted((signal) =>
				move(request, { clock: systemClock, random: systemRandom, onProgress, signal }),
			);
		},
		describe: describeMigration,
	});
}

const VERBS: Readonly<Record<MigrationStage, string>> = {
	reading: "Reading the books",
	copying: "Copying the history",
	checking: "Comparing both",
};

/** A line of progress for each stage. */
function createStages(terminal: Pick<Terminal, "status">) {
	let shown: { stage: MigrationStage; show: ReturnType<typeof createProgress> } | undefined;
	return ({ stage, done, total }: { stage: MigrationStage; done: number; total: number }) => {
		if (shown?.stage !== stage) shown = { stage, show: createProgress(terminal, VERBS[stage]) };
		shown.show({ done, total });
	};
}

function describeMigration(report: MigrationReport): string[] {
	const { status, to, data, database, seconds, kept } = report;
	const place = to === "database" ? `the database (${database})` : `the journal of ${data}`;
	if (status === "already") return [`The books are in ${place} already; nothing was moved.`];
	if (status === "given_up")
		return [
			`The move into the database (${database}) is given up and what it had is deleted; serve from the journal of ${data} as before.`,
		];
	if (status === "dry_run") return [`To ${place}; nothing was changed`, ...describeParts(report)];
	const next =
		to === "database"
			? "Start with: tollgraph serve with this store_url. The journal stays in the folder as it was, and is not served from; keys and graphs stay in the folder too."
			: "Start without store_url. The database stays as it was but for texts of callers, and is not served from.";
	return [
		`Moved to ${place} in ${seconds} s; both were compared, and every invariant holds`,
		...describeParts(report),
		next,
		...(kept === undefined ? [] : [`The journal that was there is kept in ${kept}.`]),
	];
}

function describeParts({ transactions, parts }: MigrationReport): string[] {
	const filled = Object.entries(parts).filter(([, { count }]) => count > 0);
	if (transactions === null || filled.length === 0) return [];
	const counts = filled.map(([name, { count }]) => `${name} ${count}`);
	return [`  ${transactions} ledger transactions; ${counts.join(", ")}`];
}
