import type { Command } from "commander";
import { ServiceError } from "../kernel/kernel.js";
import {
	readSettings,
	SETTING_ROWS,
	type SettingKey,
	type Settings,
} from "../settings/settings.js";
import type { Terminal } from "./output.js";

export interface CommandContext {
	readonly terminal: Terminal;
	readonly environment: Readonly<Record<string, string | undefined>>;
	readonly folder: string;
	/** When the work began, on the monotonic clock; a build before it does not count. */
	readonly startedMs: number;
}

/** Options as commander hands them over. */
export type Flags = Partial<Record<string, string | boolean | string[]>>;

/** Gives a command a flag for every setting. */
export function withSettings(command: Command): Command {
	for (const row of SETTING_ROWS) {
		const flag = row.key.replaceAll("_", "-");
		command.option(
			`--${flag} <value>`,
			row.default ? `${row.description} Default: ${row.default}` : row.description,
		);
	}
	return command;
}

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
	throw new ServiceError("INVALID_ARGUMENT", `--${key} wants a value.`);
}

/** A flag that takes a comma-separated list; undefined when it was not given. */
export function listOf(flags: Flags, key: string): string[] | undefined {
	return textOf(flags, key)
		?.split(",")
		.map((item) => item.trim())
		.filter((item) => item !== "");
}
