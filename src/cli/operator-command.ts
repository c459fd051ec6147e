import { resolve } from "node:path";
import type { Command } from "commander";
import { type App, createApp } from "../app/app.js";
import { createOperatorEgress } from "../delivery/delivery.js";
import { invalidArgument, unavailable } from "../kernel/kernel.js";
import { COMMAND_LINE, type Operator } from "../operator/operator.js";
import {
	planOnchain,
	readSettings,
	SETTING_ROWS,
	type SettingKey,
	type Settings,
} from "../settings/settings.js";
import { withSettings } from "./help.js";
import { createOperatorClient, findServer } from "./operator-client.js";
import { type Line, printResult, type Terminal } from "./output.js";

interface Printed<Result> {
	/** Lines for a person; `--json` prints the result itself. */
	readonly describe: (result: Result, flags: Flags) => readonly Line[];
	readonly exitCode?: (result: Result) => number;
}

/** A command with the flags of all settings that prints one result. */
export function addCommand<Result extends object>(
	command: Command,
	context: CommandContext,
	{
		run,
		describe,
		exitCode,
	}: Printed<Result> & {
		readonly run: (invocation: {
			readonly settings: Settings;
			readonly flags: Flags;
			/** In the order they are declared. */
			readonly args: readonly string[];
		}) => Promise<Result>;
	},
): void {
	const own = new Set(command.options.map((option) => option.attributeName()));
	withSettings(command)
		.option("--json", "print one JSON line")
		.action(async () => {
			const flags: Flags = command.optsWithGlobals();
			const given = Object.entries(flags).filter(([name]) => !own.has(name));
			const settings = settingsOf(context, Object.fromEntries(given));
			const result = await run({ settings, flags, args: command.args });
			const json = flags["json"] === true;
			printResult(context.terminal, result, { json, lines: describe(result, flags) });
			const code = exitCode?.(result) ?? 0;
			if (code !== 0) process.exitCode = code;
		});
}

/** A command that prints what one call of the operator returns. */
export function addOperatorCommand<Result extends object>(
	command: Command,
	context: CommandContext,
	{
		ask,
		...printed
	}: Printed<Result> & {
		readonly ask: (operator: Operator, flags: Flags, args: readonly string[]) => Promise<Result>;
	},
): void {
	addCommand(command, context, {
		...printed,
		run: ({ settings, flags, args }) =>
			withOperator(settings, (operator) => ask(operator, flags, args)),
	});
}

export interface CommandContext {
	readonly terminal: Terminal;
	readonly environment: Readonly<Record<string, string | undefined>>;
	readonly folder: string;
	/** When the work began, on the monotonic clock; a build before it does not count. */
	readonly startedMs: number;
}

/** Options as commander hands them over. */
export type Flags = Partial<Record<string, string | boolean | string[]>>;

/** The settings a command runs with. Throws INVALID_ARGUMENT. */
export function settingsOf({ environment, folder }: CommandContext, flags: Flags): Settings {
	const chosen: Partial<Record<SettingKey, string>> = {};
	for (const { key } of SETTING_ROWS) {
		const value = flags[key.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())];
		if (typeof value === "string") chosen[key] = value;
	}
	return readSettings({ flags: chosen, environment, folder });
}

/** A flag that takes a value; undefined when it was not given. */
export function textOf(flags: Flags, key: string): string | undefined {
	const value = flags[key];
	if (value === undefined || typeof value === "string") return value;
	throw invalidArgument(`--${key} wants a value.`);
}

/** A flag that takes a comma-separated list; undefined when it was not given. */
export function listOf(flags: Flags, key: string): string[] | undefined {
	return textOf(flags, key)
		?.split(",")
		.map((item) => item.trim())
		.filter((item) => item !== "");
}

/**
 * Runs one operator command: through the running server while one holds the data folder, else on the folder itself.
 * Throws UNAVAILABLE when another process holds the folder without answering.
 */
export async function withOperator<T>(
	settings: Settings,
	command: (operator: Operator) => Promise<T>,
): Promise<T> {
	const server = findServer(resolve(settings.data));
	if (server) {
		const egress = createOperatorEgress(new URL(server.admin_url).hostname);
		return command(createOperatorClient(egress, server));
	}
	const app = await createApp({ settings });
	try {
		return await command(withIndexDone(app, withoutChain(settings, app.commands.as(COMMAND_LINE))));
	} finally {
		await app.close();
	}
}

/** The next process that opens the folder finds the vectors of what a command changed. */
function withIndexDone({ ready }: Pick<App, "ready">, operator: Operator): Operator {
	const thenReady = async <T>(work: Promise<T>): Promise<T> => {
		const result = await work;
		await ready();
		return result;
	};
	return {
		...operator,
		putConcept: (request) => thenReady(operator.putConcept(request)),
		removeConcept: (request) => thenReady(operator.removeConcept(request)),
		async reportGaps(request) {
			await ready();
			return operator.reportGaps(request);
		},
		async tryWriter(request, onProgress) {
			await ready();
			return operator.tryWriter(request, onProgress);
		},
	};
}

/** Only a server opens the chain its settings name, so what needs it says that none runs, and not that none is named. */
function withoutChain(settings: Settings, operator: Operator): Operator {
	const assertNoneNamed = () => {
		const plan = planOnchain(settings.onchain, settings.profile);
		// A chain without a node to read it from is out of the reach of a server, too.
		if (plan.kind === "off" || (plan.kind === "remote" && plan.rpcUrl === undefined)) return;
		throw unavailable(
			"This needs the chain, and only a running server reaches it: start the server first (tollgraph serve, with the same settings), then run this again.",
		);
	};
	return {
		...operator,
		async payRefund(request) {
			const { items } = await operator.listRefunds();
			const row = items.find(({ id }) => id === request.id);
			const isTransfer = row !== undefined && row.destination !== null && row.state !== "paid";
			if (isTransfer && request.tx === undefined) assertNoneNamed();
			return operator.payRefund(request);
		},
		async payOwner(request) {
			if (request.to !== undefined && request.tx === undefined) assertNoneNamed();
			return operator.payOwner(request);
		},
		async reconcileLedger(...request) {
			assertNoneNamed();
			return operator.reconcileLedger(...request);
		},
	};
}
