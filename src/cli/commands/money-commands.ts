import type { Command } from "commander";
import { type CommandContext, listOf, textOf } from "../command-context.js";
import { addOperatorCommand } from "../operator-command.js";
import { toColumns } from "../output.js";
import { daysOf } from "./key-commands.js";

export function addSpt(program: Command, context: CommandContext): void {
	const spt = program.command("spt").description("Shared Payment Tokens: prepaid bearer balances.");
	const issue = spt
		.command("issue")
		.description("Issue a token; its secret is shown once.")
		.requiredOption("--usd <amount>", "balance, e.g. 7.50")
		.option("--label <text>", "whom it is for")
		.option("--expires-in-days <n>", "days until it expires; never by default")
		.option("--max-per-call <usd>", "highest price it pays for one call")
		.option("--max-per-day <usd>", "highest sum it spends on one UTC day")
		.option("--skills <ids>", "skills it may pay for, comma-separated; all by default")
		.option("--graphs <ids>", "graphs it may pay for, comma-separated; all by default");
	addOperatorCommand(issue, context, {
		ask: (operator, flags) =>
			operator.issueSpt({
				usd: String(flags["usd"]),
				label: textOf(flags, "label"),
				max_per_call_usd: textOf(flags, "maxPerCall"),
				max_per_day_usd: textOf(flags, "maxPerDay"),
				skills: listOf(flags, "skills"),
				graphs: listOf(flags, "graphs"),
				expires_in_days: daysOf(flags),
			}),
		describe: ({ token, balance_usd, id }) => [
			`${token}   ${balance_usd} USD, ${id}; shown once, keep it safe`,
		],
	});
	const list = spt
		.command("list")
		.description("List tokens with their balances, never their secrets.");
	addOperatorCommand(list, context, {
		ask: (operator) => operator.listSpts(),
		describe: ({ items }) =>
			toColumns(
				items.map(({ id, status, balance_usd, label }) => [
					id,
					status,
					`${balance_usd} USD`,
					label,
				]),
			),
	});
	const revoke = spt
		.command("revoke <id>")
		.description("Stop a token by its id (tok_…); ledger refund gives back what it has left.");
	addOperatorCommand(revoke, context, {
		ask: (operator, _flags, [id = ""]) => operator.revokeSpt({ id }),
		describe: ({ id }) => [`${id} is revoked`],
	});
}
