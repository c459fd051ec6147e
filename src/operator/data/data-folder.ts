import {
	accessSync,
	constants,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { messageOf } from "../../../store/journal/journal.js";
import type { Store } from "../../../store/store.js";
import { invalidArgument, ServiceError, unavailable } from "../../kernel/kernel.js";
import type { Settings } from "../../settings/settings.js";
/**
 * Binds a data folder to the profile that first used it, so that balances of paper money are never spent in production.
 * Throws INVALID_ARGUMENT for the other profile.
 */
export function bindProfile(folder: string, profile: Settings["profile"]): void {
	const path = join(folder, "profile");
	if (!existsSync(path)) writeFileSync(path, profile, { mode: 0o600, flag: "wx" });
	const bound = readFileSync(path, "utf8");
	if (bound === profile) return;
	throw invalidArgument(
		`The folder "${folder}" holds the money of the ${bound} profile; give the ${profile} profile a folder of its own with --data.`,
	);
}

/**
 * Keeps half a copy of a data folder from being served with empty books. A first start makes the journal, then profile and
 * pepper: where one of these is and no journal, it was lost. Keys that an operator puts there beforehand say nothing.
 */
export function assertBooksKept(folder: string): void {
	const remnant = remnantIn(folder);
	if (remnant === undefined || hasJournal(folder)) return;
	throw unavailable(
		`The folder "${folder}" has been in use (it holds "${remnant}"), but its journal is missing: every balance would be zero. Restore it from a backup with tollgraph restore into a new folder, or start with empty books in another one.`,
		{ retryable: false },
	);
}

function remnantIn(folder: string): string | undefined {
	return ["profile", "keys/pepper"].find((path) => existsSync(join(folder, path)));
}

/** Whether a start has made something there. */
export function wasInUse(folder: string): boolean {
	return remnantIn(folder) !== undefined;
}

/** Whatever is left of it is for the store to judge. Throws INVALID_ARGUMENT where it may not be looked at: that is not missing. */
export function hasJournal(data: string): boolean {
	const folder = join(data, "journal");
	try {
		if (existsSync(folder)) accessSync(folder, constants.R_OK | constants.X_OK);
	} catch (error) {
		throw toStartRefusal(error, { folder: data });
	}
	if (existsSync(join(folder, "mark"))) return true;
	const segments = join(folder, "segments");
	return existsSync(segments) && readdirSync(segments).length > 0;
}

/**
 * Makes the data folder where it is missing. Throws INVALID_ARGUMENT, at once and in one sentence, for a place that is no
 * folder and for one that may not be written to.
 */
export function makeDataFolder(folder: string): void {
	try {
		makeFolders(folder);
		accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
	} catch (cause) {
		throw invalidArgument(
			`The data folder "${folder}" cannot be used (${messageOf(cause)}). Name a folder that you may write to with --data.`,
			{ cause },
		);
	}
	if (statSync(folder).isDirectory()) return;
	throw invalidArgument(`"${folder}" is a file; name a folder with --data.`);
}

/**
 * What a start on this folder failed with. Where the system refused a file of it, or the disk took no more, it is for the
 * operator to mend: INVALID_ARGUMENT, in one sentence.
 */
export function toStartRefusal(
	error: unknown,
	{
		folder,
		store,
	}: { readonly folder: string; readonly store?: Pick<Store, "health"> | undefined },
): unknown {
	const cause = error instanceof ServiceError ? error.cause : error;
	const stopReason = store?.health().reason;
	const code = (cause as NodeJS.ErrnoException | undefined)?.code ?? "";
	const isRefused = cause instanceof Error && REFUSALS.has(code) && cause.message.includes(folder);
	if (!isRefused && stopReason === undefined) return error;
	return invalidArgument(
		`The data folder "${folder}" cannot be used (${stopReason ?? messageOf(cause)}). See that its disk has room and that this user may read and write all of it, then start again.`,
		{ cause: error },
	);
}

/** The system lets this user not at a file, or takes no more. */
const REFUSALS = new Set("EACCES EPERM EROFS ENOSPC EDQUOT EIO EFBIG".split(" "));

/** One by one: where the system refuses every name, as in /proc, a recursive mkdir of Node never returns. */
function makeFolders(folder: string): void {
	if (existsSync(folder)) return;
	const above = dirname(folder);
	if (above !== folder) makeFolders(above);
	mkdirSync(folder, { mode: 0o700 });
}
