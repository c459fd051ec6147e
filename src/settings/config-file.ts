import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { invalidSetting } from "../kernel/kernel.js";
import { SETTING_ROWS, type SettingKey } from "./setting-rows.js";

/** Settings and prices as an operator's `tollgraph.config.yaml` has them. */
type ConfigFile = Readonly<Record<string, unknown>>;

/** Empty where there is no file. Throws INVALID_ARGUMENT for keys nobody knows. */
export function readConfigFile(path: string): ConfigFile {
	let text: string;
	try {
		text = readFileSync(path, "utf8");
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
		throw error;
	}
	const file: unknown = parse(text) ?? {};
	if (typeof file !== "object" || Array.isArray(file)) {
		throw invalidSetting(`${path} must hold keys and values.`);
	}
	const known = new Set<string>([...SETTING_ROWS.map((row) => row.key), "prices"]);
	const unknown = Object.keys(file as ConfigFile).find((key) => !known.has(key));
	if (unknown) throw invalidSetting(`${path} has the unknown key "${unknown}".`);
	return file as ConfigFile;
}

/** Undefined where the file says nothing of it. Throws INVALID_ARGUMENT for lists and maps. */
export function scalarOf(file: ConfigFile, key: SettingKey): string | undefined {
	const value = file[key];
	if (value === undefined || value === null) return undefined;
	if (typeof value === "string" || typeof value === "number") return String(value);
	throw invalidSetting(`The setting "${key}" must be text or a number.`);
}
