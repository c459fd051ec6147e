import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { invalidInput, LIMITS } from "../contract/contract.js";
import { findJsonFault, ServiceError } from "../kernel/kernel.js";

/**
 * The JSON that was sent, undefined where nothing was; see parsePlainJson. A body that is too long is refused when that
 * is known, and not read to its end first. Throws INVALID_ARGUMENT.
 */
export async function readJsonBody(
	req: IncomingMessage,
	levelsMax: number,
	bytesMax: number = LIMITS.bodyBytes,
): Promise<unknown> {
	if (!hasBody(req)) return undefined;
	const { "content-encoding": coding, "content-length": length } = req.headers;
	if (coding !== undefined && !/^identity$/i.test(coding)) {
		throw invalid("A compressed body is not accepted; send it as it is.");
	}
	if (Number(length) > bytesMax) throw tooLong(bytesMax);
	const bytes = await readBytes(req, bytesMax);
	if (!isUtf8(bytes)) throw invalid("The body must be encoded in UTF-8.");
	const text = bytes.toString("utf8").replace(/^\uFEFF/, "");
	return text === "" ? undefined : parsePlainJson(text, levelsMax);
}

/** True when the request announces a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
	const length = headers["content-length"];
	return headers["transfer-encoding"] !== undefined || (length !== undefined && length !== "0");
}

/** True for JSON that is no JSON at all, as opposed to too large, too deep or wrongly encoded. */
export function isNoJson(error: unknown): boolean {
	return error instanceof ServiceError && error.cause instanceof SyntaxError;
}

// Leaving an iterator would destroy the connection, and the refusal with it.
function readBytes(req: IncomingMessage, bytesMax: number): Promise<Buffer> {
	return new Promise((resolve, reject) => {
		const chunks: Buffer[] = [];
		let length = 0;
		const onData = (chunk: Buffer) => {
			length += chunk.length;
			chunks.push(chunk);
			if (length > bytesMax) end(() => reject(tooLong(bytesMax)));
		};
		const onEnd = () => end(() => resolve(Buffer.concat(chunks)));
		const onClose = () => end(() => reject(invalid("The request ended before its body did.")));
		const end = (settle: () => void) => {
			req.off("data", onData).off("end", onEnd).off("close", onClose);
			settle();
		};
		// Without a listener its end would be an exception; after an error comes a close.
		req.on("error", () => undefined);
		req.on("data", onData).on("end", onEnd).on("close", onClose);
	});
}

function tooLong(bytesMax: number): ServiceError {
	return invalid(`The body is larger than ${bytesMax} bytes.`);
}

function invalid(message: string): ServiceError {
	return new ServiceError("INVALID_ARGUMENT", message);
}

/** Names that JavaScript gives a meaning of its own; no field of ours has them. */
const UNSAFE_NAMES: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/**
 * Reads JSON that is bounded in depth, and names no field twice and none that JavaScript gives a meaning of its own: parsers
 * differ on which of two fields counts, and a proxy must not see another request than we do. Throws INVALID_ARGUMENT, with
 * the SyntaxError as its cause where the text is no JSON.
 */
export function parsePlainJson(text: string, levelsMax: number): unknown {
	const fault = findJsonFault(text, levelsMax, UNSAFE_NAMES);
	if (fault?.kind === "depth") {
		throw invalid(`The body is nested deeper than ${levelsMax} levels.`);
	}
	if (fault) {
		const message = fault.kind === "refused" ? "is not a known field" : "stands there twice";
		throw invalidInput([{ path: fault.path, message }]);
	}
	try {
		return JSON.parse(text);
	} catch (cause) {
		throw new ServiceError("INVALID_ARGUMENT", "The body is not valid JSON.", { cause });
	}
}
