import type { Command } from "commander";
import { SECRET_NAMES } from "../../accounts/accounts.js";
import { invalidArgument, ServiceError } from "../../kernel/kernel.js";
import { OPERATOR_ROLES, type Operator } from "../../operator/operator.js";
import { addOperatorCommand, type CommandContext, textOf } from "../operator-command.js";
import { toColumns } from "../output.js";

export function addOperators(program: Command, context: CommandContext): void {
	const operators = program
		.command("operators")
		.description("Who may give commands over HTTP, and with which role.");
	const add = operators
		.command("add <name>")
		.description("A key for the admin API, shown once.")
		.option("--role <role>", `${OPERATOR_ROLES.join(", ")}`, "reader");
	addOperatorCommand(add, context, {
		ask: (operator, flags, [name = ""]) =>
			operator.addOperator({ name, role: roleOf(flags["role"]) }),
		describe: ({ key, id, name, role }) => [
			`${key}   ${id}, ${name}, ${role}; shown once, keep it safe`,
		],
	});
	const list = operators.command("list").description("List operators, never their keys.");
	addOperatorCommand(list, context, {
		ask: (operator) => operator.listOperators(),
		describe: ({ items }) =>
			items.length === 0
				? ["No operator has a key; the admin token of the data folder opens the admin API."]
				: toColumns(items.map(({ id, role, status, name }) => [id, role, status, name])),
	});
	const revoke = operators.command("revoke <id>").description("End a key by its id (opr_…).");
	addOperatorCommand(revoke, context, {
		ask: (operator, _flags, [id = ""]) => operator.revokeOperator({ id }),
		describe: ({ id, status }) => [`${id} ${status}`],
	});
}

export function addSecrets(program: Command, context: CommandContext): void {
	const secrets = program
		.command("secrets")
		.description(`The service's own keys: ${SECRET_NAMES.join(", ")}.`);
	const list = secrets.command("list").description("How many there are of each; never a key.");
	addOperatorCommand(list, context, {
		ask: (operator) => operator.listSecrets(),
		describe: ({ items }) => items.flatMap(describeSecret),
	});
	const rotate = secrets
		.command("rotate <name>")
		.description(
			"A new key for all that is made from now on; older ones still know what they made.",
		);
	addOperatorCommand(rotate, context, {
		ask: (operator, _flags, [name = ""]) => operator.rotateSecret({ name: secretOf(name) }),
		describe: describeSecret,
	});
	const retire = secrets
		.command("retire <name>")
		.description("End all keys but the newest; says before what is lost with them.")
		.option("--yes", "do not ask");
	addOperatorCommand(retire, context, {
		async ask(operator, flags, [text = ""]) {
			const name = secretOf(text);
			if (flags["yes"] === true) return operator.retireSecret({ name, confirm: true });
			return operator.retireSecret({ name }).catch(async (error: unknown) => {
				if (!(error instanceof ServiceError) || error.code !== "CONFLICT") throw error;
				const isMeant = await context.terminal.confirm?.(`${error.message} Do it now?`);
				if (isMeant) return operator.retireSecret({ name, confirm: true });
				throw new ServiceError("CONFLICT", `${error.message} On the command line that is --yes.`);
			});
		},
		describe: describeSecret,
	});
}

function describeSecret(secret: Awaited<ReturnType<Operator["getSecret"]>>): readonly string[] {
	const { name, in_force, retired, rotated_at, older } = secret;
	const counts = Object.entries(older ?? {}).filter(([, count]) => count > 0);
	return [
		`${name}: ${in_force} in force, ${retired} retired${rotated_at === null ? "" : `, rotated ${rotated_at}`}`,
		...counts.map(([kind, count]) => `  known by an older one alone: ${count} ${kind}`),
	];
}

function secretOf(text: string) {
	const name = SECRET_NAMES.find((known) => known === text);
	if (name) return name;
	throw invalidArgument(`"${text}" is none of our keys; use ${SECRET_NAMES.join(", ")}.`);
}

function roleOf(text: unknown) {
	const role = OPERATOR_ROLES.find((known) => known === text);
	if (role) return role;
	throw invalidArgument(`"${String(text)}" is no role; use ${OPERATOR_ROLES.join(", ")}.`);
}

export function addAudit(program: Command, context: CommandContext): void {
	const audit = program
		.command("audit")
		.description("What operators changed, newest first.")
		.option("--target <target>", "of this thing only, e.g. account/acc_…")
		.option("--actor <name>", "by this operator only")
		.option("--command <name>", "of this command only, e.g. issueSpt")
		.option("--from <time>", "not before, e.g. 2026-03-31T08:00:00Z")
		.option("--to <time>", "not after")
		.option("--limit <n>", "entries on a page, up to 500")
		.option("--cursor <cursor>", "next page");
	addOperatorCommand(audit, context, {
		ask: (operator, flags) =>
			operator.listAudit({
				target: textOf(flags, "target"),
				actor: textOf(flags, "actor"),
				command: textOf(flags, "command"),
				from: textOf(flags, "from"),
				to: textOf(flags, "to"),
				limit: textOf(flags, "limit"),
				cursor: textOf(flags, "cursor"),
			}),
		describe: ({ items, next }) => [
			...toColumns(
				items.map((line) => [
					line.at,
					line.actor,
					line.command,
					line.target,
					line.code === null ? line.outcome : `${line.outcome} (${line.code})`,
				]),
			),
			...(items.length === 0 ? ["No change is on the audit log that this asks for."] : []),
			...(next === null ? [] : [`more with --cursor ${next}`]),
		],
	});
	const verify = audit
		.command("verify")
		.description("Check that every entry is there and as it was written; exit code 3 if not.");
	addOperatorCommand(verify, context, {
		ask: (operator) => operator.verifyAudit(),
		describe: ({ status, entries, problem }) => [
			problem === null ? `${status}: ${entries} entries` : `${status}: ${problem}`,
		],
		exitCode: ({ status }) => (status === "ok" ? 0 : 3),
	});
}
