import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { invalidInput, LIMITS } from "../contract/contract.js";
import { ServiceError } from "../kernel/kernel.js";

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

/** Names that mean something to JavaScript's objects; no field of ours has them. */
const UNSAFE_NAMES: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);
const SHOWN_NAME_CHARS = 80;

/**
 * Reads JSON that is bounded in depth, names no field twice and none that JavaScript gives a meaning of its own. Judged as
 * text, before there are objects: parsers differ on which of two fields counts, and a reader before us must not see another
 * request than we do. Throws INVALID_ARGUMENT, with the SyntaxError as its cause where the text is no JSON.
 */
export function parsePlainJson(text: string, levelsMax: number): unknown {
	assertPlain(text, levelsMax);
	try {
		return JSON.parse(text);
	} catch (cause) {
		throw new ServiceError("INVALID_ARGUMENT", "The body is not valid JSON.", { cause });
	}
}

/** An object or array whose end has not come yet. */
interface Open {
	/** The names an object has so far; undefined for an array. */
	readonly names: Set<string> | undefined;
	/** Name or number of the latest element. */
	at: string | number;
}

/** Looks at brackets and names alone; whatever else is wrong, the parser finds. */
function assertPlain(text: string, levelsMax: number): void {
	const open: Open[] = [];
	let isNameNext = false;
	for (let index = 0; index < text.length; index++) {
		switch (text[index]) {
			case '"': {
				const end = endOfString(text, index);
				if (isNameNext) addName(open, text.slice(index, end + 1));
				isNameNext = false;
				index = end;
				break;
			}
			case "{":
			case "[":
				isNameNext = text[index] === "{";
				open.push({ names: isNameNext ? new Set() : undefined, at: 0 });
				if (open.length > levelsMax) throw tooDeep(levelsMax);
				break;
			case "}":
			case "]":
				open.pop();
				isNameNext = false;
				break;
			case ",":
				isNameNext = goOn(open.at(-1));
				break;
		}
	}
}

function endOfString(text: string, start: number): number {
	let index = start + 1;
	while (index < text.length && text[index] !== '"') index += text[index] === "\\" ? 2 : 1;
	return index;
}

/** After a comma comes the next element; true where that begins with a name. */
function goOn(inside: Open | undefined): boolean {
	if (typeof inside?.at === "number") inside.at += 1;
	return inside?.names !== undefined;
}

function addName(open: readonly Open[], quoted: string): void {
	const inside = open.at(-1);
	const name = quoted.includes("\\") ? readEscapes(quoted) : quoted.slice(1, -1);
	if (name === undefined || !inside?.names) return;
	inside.at = name.slice(0, SHOWN_NAME_CHARS);
	const path = () => open.map(({ at }) => at).join(".");
	if (UNSAFE_NAMES.has(name)) {
		throw invalidInput([{ path: path(), message: "is not a known field" }]);
	}
	if (inside.names.has(name)) throw invalidInput([{ path: path(), message: "stands there twice" }]);
	inside.names.add(name);
}

function readEscapes(quoted: string): string | undefined {
	try {
		return String(JSON.parse(quoted));
	} catch {
		return undefined;
	}
}

function tooDeep(levelsMax: number): ServiceError {
	return new ServiceError(
		"INVALID_ARGUMENT",
		`The body is nested deeper than ${levelsMax} levels.`,
	);
}
