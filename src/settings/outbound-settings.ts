import { WRITER_LIMITS } from "../contract/contract.js";
import { isLoopback } from "../delivery/delivery.js";
import { invalidSetting } from "../kernel/kernel.js";

/** What an operator says of the language model that may draft prose; without one the graphs' own sentences are quoted. */

export type WriterSettings = NonNullable<ReturnType<typeof parseWriterSettings>>;

export const WRITER_SETTINGS = {
	writer_url:
		"Language model that drafts prose: base address of an OpenAI-compatible interface, e.g. `http://127.0.0.1:11434/v1`; https, or http on this machine. Questions and quoted evidence are sent there. Its key is read from `TOLLGRAPH_WRITER_KEY` or from `<data>/keys/writer-key`. None by default: answers quote their evidence.",
	writer_model: "Its model; needed with `writer_url`.",
	writer_timeout_ms:
		"How long a draft may take, a second attempt included; then the answer quotes its evidence and says so.",
} as const;

/** Undefined where no address is set. Throws INVALID_ARGUMENT; the messages hold no more of an address than its host. */
export function parseWriterSettings(
	text: (key: keyof typeof WRITER_SETTINGS) => string,
	apiKey: string | undefined,
) {
	const [url, model] = [text("writer_url"), text("writer_model")];
	if (url === "") {
		if (model === "") return undefined;
		throw invalidSetting("writer_model needs writer_url, the address it answers at.");
	}
	assertAddress(url);
	if (model === "") throw invalidSetting("writer_url needs writer_model, the model to ask for.");
	if (!MODEL_NAME.test(model)) {
		throw invalidSetting("writer_model holds more than the name of a model.");
	}
	const timeoutMs = parseTimeout(text("writer_timeout_ms"));
	return {
		/** Base address of an OpenAI-compatible interface, without a trailing slash. */
		url: url.replace(/\/+$/, ""),
		model,
		timeoutMs,
		/** Of TOLLGRAPH_WRITER_KEY; undefined where that is unset. */
		apiKey: apiKey || undefined,
	};
}

const MODEL_NAME = /^[\w.:/@+-]{1,120}$/;

function parseTimeout(text: string): number {
	const timeoutMs = /^\d{1,6}$/.test(text) ? Number(text) : 0;
	const { timeoutLeastMs: least, timeoutMostMs: most } = WRITER_LIMITS;
	if (timeoutMs >= least && timeoutMs <= most) return timeoutMs;
	throw invalidSetting(`writer_timeout_ms must be a number from ${least} to ${most}.`);
}

/** Questions and a key travel on it: https, unless it never leaves the machine. */
function assertAddress(text: string): void {
	const url = URL.canParse(text) ? new URL(text) : undefined;
	const isPlain = url && url.username === "" && url.search === "" && url.hash === "";
	const isLocal = url?.protocol === "http:" && isLoopback(url.hostname);
	if (isPlain && (url.protocol === "https:" || isLocal)) return;
	const host = url?.host ? ` ("${url.host}")` : "";
	throw invalidSetting(
		`The setting writer_url${host} must be an https address, or http on this machine, without name, password or query.`,
	);
}

/** Where mails go out: an `smtp://` or `smtps://` address with user name and password where needed, and their sender. */
export type MailSettings = NonNullable<ReturnType<typeof parseMailSettings>>;

export const MAIL_SETTINGS = {
	smtp_url:
		"Mail server that briefings are sent through, e.g. `smtps://user:password@mail.example.org`; without one none are mailed.",
	mail_from: "Sender of those mails: an address, or `Name <address>`.",
} as const;

const ADDRESS = /^(?:[^<>@\r\n]{1,100}\s)?<?[^\s<>@]{1,64}@[A-Za-z0-9.-]{1,255}>?$/;

/** Undefined while no mail server is set. Throws INVALID_ARGUMENT; the address of the server may be a secret and is not repeated. */
export function parseMailSettings(text: (key: keyof typeof MAIL_SETTINGS) => string) {
	const [url, from] = [text("smtp_url"), text("mail_from")];
	if (url === "") return undefined;
	const isAddress = URL.canParse(url) && /^smtps?:$/.test(new URL(url).protocol);
	if (!isAddress) {
		throw invalidSetting("smtp_url must read smtp://host:port or smtps://user:password@host.");
	}
	if (ADDRESS.test(from)) return { url, from };
	throw invalidSetting(
		'With smtp_url goes mail_from, the sender of mails: an address, or "Name <address>".',
	);
}
