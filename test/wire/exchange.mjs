/** One request and its reply as a plain value: status, headers, and the body in the form its type announces. */
import { createHash } from "node:crypto";
import { unzipSync } from "fflate";

/** These differ from run to run, or follow from the body. */
const UNRECORDED_HEADERS = new Set([
	"connection",
	"content-length",
	"date",
	"keep-alive",
	"server-timing",
	"transfer-encoding",
]);
const REPLY_MS = 120_000;

export async function exchange(baseUrl, { method = "GET", path, headers = {}, body, text }) {
	const sent = {
		method,
		headers: { ...(body !== undefined && { "Content-Type": "application/json" }), ...headers },
		redirect: "manual",
		signal: AbortSignal.timeout(REPLY_MS),
		...((body ?? text) !== undefined && { body: text ?? JSON.stringify(body) }),
	};
	const response = await fetch(new URL(path, baseUrl), sent);
	const bytes = Buffer.from(await response.arrayBuffer());
	const recorded = [...response.headers].filter(([name]) => !UNRECORDED_HEADERS.has(name));
	const cookies = response.headers.getSetCookie();
	return {
		status: response.status,
		headers: {
			...Object.fromEntries(recorded),
			...(cookies.length > 0 && { "set-cookie": cookies }),
		},
		body: readBody(response.headers.get("content-type") ?? "", bytes),
	};
}

export function readBody(type, bytes) {
	if (bytes.length === 0) return null;
	if (/^text\/event-stream/.test(type)) return readEvents(bytes.toString());
	if (/[/+]json/.test(type)) return readJson(bytes.toString());
	if (/^text\/|xml|javascript|yaml|ndjson/.test(type)) return bytes.toString().split("\n");
	if (/zip/.test(type)) return readArchive(bytes);
	return { bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
}

/** Texts of the files; how they are packed depends on the moment. */
function readArchive(bytes) {
	const files = Object.entries(unzipSync(bytes));
	return Object.fromEntries(
		files.map(([name, content]) => [name, Buffer.from(content).toString().split("\n")]),
	);
}

/** Comments are left out: they keep a connection open, as often as it takes. */
function readEvents(text) {
	return text
		.split(/\r?\n\r?\n/)
		.map((block) => block.split(/\r?\n/).filter((line) => line !== "" && !line.startsWith(":")))
		.filter((lines) => lines.length > 0)
		.map(readEvent);
}

function readEvent(lines) {
	const event = {};
	for (const line of lines) {
		const [, name, value] = /^([^:]*):? ?(.*)$/.exec(line);
		event[name] = name in event ? `${event[name]}\n${value}` : value;
	}
	return "data" in event ? { ...event, data: readJson(event.data) } : event;
}

/** Text that is no JSON stays text. */
function readJson(text) {
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}
