import type { Command } from "commander";
import {
	type CommandContext,
	type Flags,
	settingsOf,
	textOf,
	withSettings,
} from "../command-context.js";
import { withOperator } from "../open-operator.js";
import { printResult, toColumns } from "../output.js";

export function addSpt(program: Command, context: CommandContext): void {
	const spt = program.command("spt").description("Shared Payment Tokens: prepaid bearer balances.");
	withSettings(spt.command("issue").description("Issue a token; its secret is shown once."))
		.requiredOption("--usd <amount>", "balance, e.g. 7.50")
		.option("--label <text>", "whom it is for")
		.option("--max-per-call <usd>", "highest price it pays for one call")
		.option("--skills <ids>", "skills it may pay for, comma-separated; all by default")
		.option("--graphs <ids>", "graphs it may pay for, comma-separated; all by default")
		.option("--json", "print one JSON line")
		.action(async (flags: Flags) => {
			const result = await withOperator(settingsOf(context, flags), (operator) =>
				operator.issueSpt({
					usd: String(flags["usd"]),
					label: textOf(flags, "label"),
					max_per_call_usd: textOf(flags, "maxPerCall"),
					skills: textOf(flags, "skills")?.split(","),
					graphs: textOf(flags, "graphs")?.split(","),
				}),
			);
			const lines = [
				`${result.token}   ${result.balance_usd} USD, ${result.id}; shown once, keep it safe`,
			];
			printResult(context.terminal, result, { json: flags["json"] === true, lines });
		});
	withSettings(
		spt.command("list").description("List tokens with their balances, never their secrets."),
	)
		.option("--json", "print one JSON line")
		.action(async (flags: Flags) => {
			const result = await withOperator(settingsOf(context, flags), (operator) =>
				operator.listSpts(),
			);
			const rows = result.items.map((token) => [
				token.id,
				token.status,
				`${token.balance_usd} USD`,
				token.label,
			]);
			printResult(context.terminal, result, {
				json: flags["json"] === true,
				lines: toColumns(rows),
			});
		});
}

export function addKeys(program: Command, context: CommandContext): void {
	const keys = program.command("keys").description("API keys of accounts.");
	withSettings(
		keys
			.command("create")
			.description("Create an account on the free plan and its key, shown once."),
	)
		.option("--label <text>", "whom it is for")
		.option("--usd <amount>", "prepaid balance of the account")
		.option("--card-on-file", "lift the ceiling of free calls per day")
		.option("--json", "print one JSON line")
		.action(async (flags: Flags) => {
			const result = await withOperator(settingsOf(context, flags), (operator) =>
				operator.createKey({
					label: textOf(flags, "label"),
					usd: textOf(flags, "usd"),
					has_payment_method: flags["cardOnFile"] === true,
				}),
			);
			const lines = [
				`${result.key}   ${result.id}, account ${result.account_id}; shown once, keep it safe`,
			];
			printResult(context.terminal, result, { json: flags["json"] === true, lines });
		});
}

export function addLedger(program: Command, context: CommandContext): void {
	const ledger = program.command("ledger").description("The double-entry ledger.");
	withSettings(
		ledger.command("verify").description("Walk the whole journal and check every invariant."),
	)
		.option("--json", "print one JSON line")
		.action(async (flags: Flags) => {
			const result = await withOperator(settingsOf(context, flags), (operator) =>
				operator.verifyLedger(),
			);
			const lines = [
				`${result.status}: ${result.transactions} transactions in ${result.frames} frames, sum ${result.sum_usd} USD, ${result.open_holds} open holds`,
				...result.failures,
			];
			printResult(context.terminal, result, { json: flags["json"] === true, lines });
			if (result.status !== "ok") process.exitCode = 3;
		});
}
