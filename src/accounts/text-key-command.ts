import { execFile } from "node:child_process";
import { invalidSetting, unavailable } from "../kernel/kernel.js";

const TIMEOUT_MS = 30_000;
const OUTPUT_BYTES_MAX = 64 * 1024;
const KEY = /^[0-9a-f]{64}$/i;

/**
 * The keys of texts at rest that a command of the operator prints, newest first: 64 hexadecimal digits a line. It is run as it
 * is named, without a shell. Throws UNAVAILABLE where it fails or prints anything else, and quotes nothing of it.
 */
export async function runTextKeyCommand(command: readonly string[]): Promise<readonly string[]> {
	const [program = "", ...args] = command;
	const options = {
		timeout: TIMEOUT_MS,
		killSignal: "SIGKILL" as const,
		maxBuffer: OUTPUT_BYTES_MAX,
		windowsHide: true,
	};
	const output = await new Promise<string>((resolve, reject) => {
		execFile(program, args, options, (error, stdout) => {
			if (!error) resolve(stdout);
			else reject(failed(program, `it ended with ${error.code ?? error.signal ?? "a failure"}`));
		});
	});
	const lines = output.split("\n").map((line) => line.trim());
	const keys = lines.filter((line) => line !== "");
	if (keys.length > 0 && keys.every((key) => KEY.test(key)))
		return keys.map((key) => key.toLowerCase());
	throw failed(program, "it printed no key of 64 hexadecimal digits, or something beside keys");
}

function failed(program: string, problem: string) {
	return unavailable(
		`The command "${program}" of text_key_command gave no key (${problem}). Without it texts at rest cannot be read; see that it prints one key a line.`,
		{ retryable: false },
	);
}

/** A JSON list of the program and its arguments; undefined where it is empty. Throws INVALID_ARGUMENT. */
export function parseTextKeyCommand(text: string): readonly string[] | undefined {
	if (text === "") return undefined;
	try {
		const words: unknown = JSON.parse(text);
		const isList = Array.isArray(words) && words.length > 0 && words[0] !== "";
		if (isList && words.every((word) => typeof word === "string")) return words;
	} catch {
		// Said below.
	}
	throw invalidSetting(
		'text_key_command must be a JSON list of a program and its arguments, e.g. ["/usr/local/bin/print-key", "texts"].',
	);
}
