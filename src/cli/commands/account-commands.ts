import type { Command } from "commander";
import { LIMITS } from "../../contract/contract.js";
import { invalidArgument } from "../../kernel/kernel.js";
import type { Operator } from "../../operator/operator.js";
import { withExamples } from "../help.js";
import {
	addOperatorCommand,
	type CommandContext,
	type Flags,
	listOf,
	textOf,
} from "../operator-command.js";
import { type Line, toList } from "../output.js";

const ONCE = "shown once, keep it safe";

export function addKeys(program: Command, context: CommandContext): void {
	const keys = program.command("keys").description("API keys of accounts.");
	addCreation(keys, context);
	const list = keys
		.command("list")
		.description("List keys, never their secrets.")
		.option("--account <id>", "of this account only");
	addOperatorCommand(list, context, {
		ask: (operator, flags) => operator.listKeys({ account_id: textOf(flags, "account") }),
		describe: listing(
			"There is no key. Create one: tollgraph keys create",
			"id",
			"account_id",
			"status",
			"spent_usd",
			"label",
		),
	});
	const rotate = keys
		.command("rotate <id>")
		.description("A new secret for a key; the old one works a while longer.")
		.option("--overlap-seconds <n>", `how long; ${LIMITS.keyOverlapSeconds} by default`);
	addOperatorCommand(rotate, context, {
		ask: (operator, flags, [id = ""]) =>
			operator.rotateKey({ id, overlap_seconds: secondsOf(flags) }),
		describe: ({ key, id }) => [`${key}   ${id}; ${ONCE}`],
	});
	const credit = keys
		.command("credit <account>")
		.description("Add prepaid balance to the account behind a key.")
		.requiredOption("--usd <amount>", "what to add, e.g. 10");
	addOperatorCommand(credit, context, {
		ask: (operator, flags, [account_id = ""]) =>
			operator.creditAccount({ account_id, usd: String(flags["usd"]) }),
		describe: ({ account_id, balance_usd }) => [`${account_id} has ${balance_usd} USD`],
	});
	const revoke = keys.command("revoke <id>").description("Stop an API key by its id (key_…).");
	addRevocation(revoke, context, (operator, id) => operator.revokeKey({ id }));
}

function addCreation(keys: Command, context: CommandContext): void {
	const create = withScope(
		keys
			.command("create")
			.description("Create an account on the free plan and its key, shown once."),
	)
		.option("--account <id>", "one more key for this account instead (acc_…)")
		.option("--usd <amount>", "prepaid balance of the new account")
		.option("--card-on-file", "lift the ceiling of free calls per day")
		.option("--zero-retention", "let its owner choose that no query text is kept")
		.option("--max-total <usd>", "highest sum the key ever spends")
		.option("--max-per-month <usd>", "highest sum the key spends in one UTC month")
		.option("--ask-above <usd>", "price of a call above which its user is asked (over MCP)");
	withExamples(create, [
		"keys create --label acme --usd 50",
		"keys create --account acc_… --label 'second service' --max-per-month 20",
	]);
	addOperatorCommand(create, context, {
		ask: (operator, flags) =>
			operator.createKey({
				...scopeOf(flags),
				account_id: textOf(flags, "account"),
				usd: textOf(flags, "usd"),
				has_payment_method: flags["cardOnFile"] === true || undefined,
				zero_retention: flags["zeroRetention"] === true || undefined,
				max_total_usd: textOf(flags, "maxTotal"),
				max_per_month_usd: textOf(flags, "maxPerMonth"),
				ask_above_usd: textOf(flags, "askAbove"),
			}),
		describe: ({ key, id, account_id }) => [`${key}   ${id}, account ${account_id}; ${ONCE}`],
	});
}

export function addTokens(program: Command, context: CommandContext): void {
	const tokens = program
		.command("tokens")
		.description("Connection tokens: secrets in MCP addresses, for clients that send no headers.");
	const create = withScope(
		tokens.command("create").description("Create a token of an account; its secret is shown once."),
	).requiredOption("--account <id>", "account that pays (acc_…)");
	addOperatorCommand(create, context, {
		ask: (operator, flags) =>
			operator.createToken({ ...scopeOf(flags), account_id: String(flags["account"]) }),
		describe: ({ token, url, id }) => [`${url ?? token}   ${id}; ${ONCE}`],
	});
	const list = tokens
		.command("list")
		.description("List tokens, never their secrets.")
		.option("--account <id>", "of this account only");
	addOperatorCommand(list, context, {
		ask: (operator, flags) => operator.listTokens({ account_id: textOf(flags, "account") }),
		describe: listing(
			"There is no connection token. Create one: tollgraph tokens create --account <id>",
			"id",
			"account_id",
			"last_used_on",
			"label",
		),
	});
	const revoke = tokens.command("revoke <id>").description("Stop a token by its id (con_…).");
	addRevocation(revoke, context, (operator, id) => operator.revokeToken({ id }));
}

export function addAccounts(program: Command, context: CommandContext): void {
	const accounts = program
		.command("accounts")
		.description("Accounts, as their operator sees them.");
	const list = accounts.command("list").description("List accounts with their balances.");
	addOperatorCommand(list, context, {
		ask: (operator) => operator.listAccounts(),
		describe: listing(
			"There is no account. Create one with its key: tollgraph keys create",
			"id",
			"status",
			"balance_usd",
			"retention",
			"label",
		),
	});
	const set = accounts
		.command("set <id>")
		.description("Decide what an account may do.")
		.option("--card-on-file <yes|no>", "lift the ceiling of free calls per day")
		.option("--zero-retention <yes|no>", "let its owner choose that no query text is kept");
	addOperatorCommand(set, context, {
		ask: (operator, flags, [account_id = ""]) =>
			operator.setAccount({
				account_id,
				has_payment_method: yesOrNo(flags, "cardOnFile"),
				zero_retention: yesOrNo(flags, "zeroRetention"),
			}),
		describe: (account) => [
			columnsOf("id", "status", "balance_usd", "retention")(account).join("   "),
		],
	});
}

function addRevocation(
	command: Command,
	context: CommandContext,
	revoke: (
		operator: Operator,
		id: string,
	) => Promise<{ readonly id: string; readonly status: string }>,
): void {
	addOperatorCommand(command, context, {
		ask: (operator, _flags, [id = ""]) => revoke(operator, id),
		describe: ({ id, status }) => [`${id} is ${status}`],
	});
}

function withScope(command: Command): Command {
	return command
		.option("--label <text>", "whom it is for")
		.option(
			"--skills <ids>",
			"skills or operations it may pay for, comma-separated; all by default",
		)
		.option("--graphs <ids>", "graphs it may pay for, comma-separated; all by default")
		.option("--expires-in-days <n>", "days until it expires; never by default");
}

function scopeOf(flags: Flags) {
	return {
		label: textOf(flags, "label"),
		skills: listOf(flags, "skills"),
		graphs: listOf(flags, "graphs"),
		expires_in_days: daysOf(flags),
	};
}

/** Days until something expires; undefined when it never does. Throws INVALID_ARGUMENT. */
function daysOf(flags: Flags): number | undefined {
	const text = textOf(flags, "expiresInDays");
	if (text === undefined) return undefined;
	const days = Number(text);
	if (days > 0 && days <= LIMITS.sptDaysMax) return days;
	throw invalidArgument(`"${text}" is no number of days from 1 to ${LIMITS.sptDaysMax}.`);
}

function secondsOf(flags: Flags): number | undefined {
	const text = textOf(flags, "overlapSeconds");
	if (text === undefined) return undefined;
	if (/^\d{1,9}$/.test(text) && Number(text) <= LIMITS.keyOverlapSecondsMax) return Number(text);
	throw invalidArgument(
		`"${text}" is no number of seconds from 0 to ${LIMITS.keyOverlapSecondsMax}.`,
	);
}

function yesOrNo(flags: Flags, key: string): boolean | undefined {
	const text = textOf(flags, key);
	if (text === undefined) return undefined;
	if (text === "yes" || text === "no") return text === "yes";
	throw invalidArgument(`"${text}" is neither yes nor no.`);
}

type Item = Readonly<Record<string, unknown>>;

/** The cells of one item by their names. */
const columnsOf =
	(...names: readonly string[]) =>
	(item: Item): string[] =>
		names.map((name) => String(item[name] ?? ""));

const listing =
	(empty: string, ...names: readonly string[]) =>
	({ items }: { readonly items: readonly Item[] }): readonly Line[] =>
		toList(names, items.map(columnsOf(...names)), empty);

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
	withExamples(issue, [
		"spt issue --usd 10 --label acme",
		"spt issue --usd 25 --max-per-call 1 --max-per-day 5 --expires-in-days 30",
		"spt issue --usd 5 --graphs handbook",
	]);
	addOperatorCommand(issue, context, {
		ask: (operator, flags) =>
			operator.issueSpt({
				...scopeOf(flags),
				usd: String(flags["usd"]),
				max_per_call_usd: textOf(flags, "maxPerCall"),
				max_per_day_usd: textOf(flags, "maxPerDay"),
			}),
		describe: ({ token, balance_usd, id }) => [`${token}   ${balance_usd} USD, ${id}; ${ONCE}`],
	});
	const list = spt
		.command("list")
		.description("List tokens with their balances, never their secrets.");
	addOperatorCommand(list, context, {
		ask: (operator) => operator.listSpts(),
		describe: listing(
			"There is no token. Issue one: tollgraph spt issue --usd 10",
			"id",
			"status",
			"balance_usd",
			"label",
		),
	});
	const revoke = spt
		.command("revoke <id>")
		.description("Stop a token by its id (tok_…); ledger refund refunds what it has left.");
	addRevocation(revoke, context, (operator, id) => operator.revokeSpt({ id }));
	const freeze = spt
		.command("freeze <id>")
		.description("Let a token pay for nothing until it is unfrozen; its balance stays.");
	addRevocation(freeze, context, (operator, token_id) => operator.freezeSpt({ token_id }));
	const unfreeze = spt.command("unfreeze <id>").description("Let a frozen token pay again.");
	addRevocation(unfreeze, context, (operator, token_id) => operator.unfreezeSpt({ token_id }));
}
