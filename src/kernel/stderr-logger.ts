import { toLogLine } from "./log-line.js";
import type { Logger } from "./logger.js";

/** One JSON line per message on stderr; stdout belongs to data. */
export const stderrLogger: Logger = {
	info: (message, fields) => void process.stderr.write(`${toLogLine("info", message, fields)}\n`),
	error: (message, fields) => void process.stderr.write(`${toLogLine("error", message, fields)}\n`),
};
