import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ServiceError } from "../kernel/kernel.js";
import type { Settings } from "../settings/settings.js";

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

/**
 * Keeps half a copy of a data folder from being served with empty books. A first start makes the journal, then profile and
 * pepper: where one of these is and no journal, it was lost. Keys that an operator puts there beforehand say nothing.
 */
export function assertBooksKept(folder: string): void {
	const remnant = ["profile", "keys/pepper"].find((path) => existsSync(join(folder, path)));
	if (remnant === undefined || hasJournal(join(folder, "journal"))) return;
	throw new ServiceError(
		"UNAVAILABLE",
		`The folder "${folder}" has been in use (it holds "${remnant}"), but its journal is missing: every balance would be zero. Restore it from a backup with tollgraph restore into a new folder, or start with empty books in another one.`,
		{ retryable: false },
	);
}

/** Whatever is left of it is for the store to judge. */
function hasJournal(folder: string): boolean {
	if (existsSync(join(folder, "mark"))) return true;
	const segments = join(folder, "segments");
	return existsSync(segments) && readdirSync(segments).length > 0;
}
