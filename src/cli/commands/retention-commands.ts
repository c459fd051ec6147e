import type { Command } from "commander";
import type { CommandContext } from "../command-context.js";
import { addOperatorCommand } from "../operator-command.js";

export function addRetention(program: Command, context: CommandContext): void {
	const retention = program.command("retention").description("What is kept for how long.");
	const purge = retention
		.command("purge")
		.description("Forget now what is past its time; a running server does it every hour.");
	addOperatorCommand(purge, context, {
		ask: (operator) => operator.purge(),
		describe: ({ queries_kept_from, query_days_removed, documents_removed }) => [
			`Queries are kept from ${queries_kept_from} on: ${query_days_removed} earlier days removed`,
			`Documents past their time: ${documents_removed} removed`,
		],
	});
}
