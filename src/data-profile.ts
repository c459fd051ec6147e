import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ServiceError } from "./core/errors.js";
import type { Settings } from "./settings.js";

/**
 * Binds a data folder to the profile that first used it, so that balances of paper money are never spent in production.
 * Throws INVALID_ARGUMENT for the other profile.
 */
export function bindProfile(folder: string, profile: Settings["profile"]): void {
	const path = join(folder, "profile");
	if (!existsSync(path)) writeFileSync(path, profile, { mode: 0o600, flag: "wx" });
	const bound = readFileSync(path, "utf8");
	if (bound === profile) return;
	throw new ServiceError(
		"INVALID_ARGUMENT",
		`The folder "${folder}" holds the money of the ${bound} profile; give the ${profile} profile a folder of its own with --data.`,
	);
}
