import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { LIMITS } from "../contract/contract.js";
import { ServiceError } from "../kernel/kernel.js";
import { parsePlainJson } from "./json-text.js";

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
