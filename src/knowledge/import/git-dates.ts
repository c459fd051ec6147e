import { execFile } from "node:child_process";
import { invalidArgument } from "../../kernel/kernel.js";

const TIMEOUT_MS = 60_000;
const OUTPUT_BYTES = 256 * 1024 * 1024;

/** A repository's own settings may name programs; none of them is to run. */
const SAFE_SETTINGS = [
	"core.fsmonitor=false",
	"core.hooksPath=/dev/null",
	"log.showSignature=false",
];

/**
 * The day of the last commit of every file below a folder, by path. Throws INVALID_ARGUMENT where the folder belongs to no
 * repository, and where its history is too long to be read.
 */
export async function readGitDates(folder: string): Promise<ReadonlyMap<string, string>> {
	const log = await runGit(folder, [
		"log",
		"--no-show-signature",
		"--no-renames",
		"--no-ext-diff",
		"--relative",
		"--name-only",
		"-z",
		"--format=%x01%cs",
		"--",
		".",
	]);
	const dates = new Map<string, string>();
	for (const commit of log.split("\u0001")) {
		const [day = "", ...names] = commit.split("\0");
		for (const name of names) {
			const path = name.replace(/^\n/, "");
			// The newest commit comes first.
			if (path !== "" && !dates.has(path)) dates.set(path, day);
		}
	}
	return dates;
}

function runGit(folder: string, args: readonly string[]): Promise<string> {
	const settings = SAFE_SETTINGS.flatMap((setting) => ["-c", setting]);
	const options = {
		cwd: folder,
		timeout: TIMEOUT_MS,
		maxBuffer: OUTPUT_BYTES,
		env: {
			PATH: process.env["PATH"],
			LC_ALL: "C",
			GIT_TERMINAL_PROMPT: "0",
			GIT_OPTIONAL_LOCKS: "0",
			GIT_NO_LAZY_FETCH: "1",
		},
	};
	return new Promise((resolve, reject) => {
		execFile("git", [...settings, ...args], options, (error, stdout, stderr) => {
			if (!error) return resolve(stdout);
			const [why = ""] = (stderr || error.message).trim().split("\n").slice(-1);
			reject(invalidArgument(`The history of "${folder}" cannot be read by git: ${why}`));
		});
	});
}
