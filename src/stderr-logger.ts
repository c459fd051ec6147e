import { type Logger, scrubSecrets } from "./core/logger.js";

/** One JSON line per message on stderr; stdout belongs to data. */
export const stderrLogger: Logger = {
	info: (message, fields) => write("info", message, fields),
	error: (message, fields) => write("error", message, fields),
};

function write(
	level: string,
	message: string,
	fields: Readonly<Record<string, unknown>> = {},
): void {
	process.stderr.write(`${scrubSecrets(JSON.stringify({ level, message, ...fields }))}\n`);
}
