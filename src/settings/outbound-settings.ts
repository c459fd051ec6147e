import {
	type TokenPrice,
	WRITER_LIMITS,
	WRITER_OUTPUTS,
	WRITER_PRESET_NAMES,
	WRITER_PRESETS,
	type WriterOutput,
	type WriterPresetName,
} from "../contract/contract.js";
import { isLoopback } from "../delivery/delivery.js";
import { invalidSetting, parseUsd } from "../kernel/kernel.js";

/** What an operator says of the language model that may draft prose; without one the graphs' own sentences are quoted. */

export interface WriterSettings {
	/** `openai` where absent. */
	readonly preset?: WriterPresetName;
	/** Base address of its interface, without a trailing slash. */
	readonly url: string;
	/** The only one that is served where absent. */
	readonly model?: string | undefined;
	readonly timeoutMs: number;
	/** That of the preset where absent. */
	readonly output?: WriterOutput | undefined;
	/** What the server says where absent. */
	readonly contextTokens?: number | undefined;
	/** What a million tokens cost the operator; not known where absent. */
	readonly price?: TokenPrice | undefined;
	/** Of TOLLGRAPH_WRITER_KEY; undefined where that is unset. */
	readonly apiKey: string | undefined;
}

export const WRITER_SETTINGS = {
	writer_preset:
		"Kind of server that drafts prose: `ollama`, `llama.cpp`, `vllm`, or `openai` for hosted ones (default where `writer_url` is set). Sets the address, how drafts are kept to a form, and how models and their context are asked for; the settings below win. None by default: answers quote their evidence.",
	writer_url:
		"Base address of the server's OpenAI-compatible interface, e.g. `http://127.0.0.1:8080/v1` (of Ollama its root); https, or http on this machine. Questions and quoted evidence are sent there. Its key is read from `TOLLGRAPH_WRITER_KEY` or from `<data>/keys/writer-key`.",
	writer_model: "Its model; with a preset, the only one that the server serves.",
	writer_output: `How drafts are kept to a form: ${WRITER_OUTPUTS.map((name) => `\`${name}\``).join(", ")}. By default that of the preset, tried once; \`lines\` where the server takes no notice of it.`,
	writer_context_tokens:
		"What the model reads and writes together, in tokens; by default what the server says, else 8192. No more evidence is sent than fits.",
	writer_usd_per_million_in:
		"What a million tokens sent cost, in USD, e.g. `0.15`: for the operator's log and `tollgraph writer test`, never for a caller's price.",
	writer_usd_per_million_out: "What a million tokens written cost, in USD.",
	writer_timeout_ms:
		"How long a draft may take, a second attempt included; then the answer quotes its evidence and says so.",
} as const;

/** Undefined where neither an address nor a preset is set. Throws INVALID_ARGUMENT; the messages hold no more of an address than its host. */
export function parseWriterSettings(
	text: (key: keyof typeof WRITER_SETTINGS) => string,
	apiKey: string | undefined,
): WriterSettings | undefined {
	const [named, model] = [text("writer_preset"), text("writer_model")];
	if (named === "" && text("writer_url") === "") {
		if (model === "") return undefined;
		throw invalidSetting("writer_model needs writer_url, the address it answers at.");
	}
	const preset = parsePreset(named);
	const url = text("writer_url") || WRITER_PRESETS[preset].url;
	assertAddress(url);
	assertModel(model, preset);
	return {
		preset,
		url: url.replace(/\/+$/, ""),
		model: model || undefined,
		timeoutMs: parseTimeout(text("writer_timeout_ms")),
		output: parseOutput(text("writer_output")),
		contextTokens: parseContext(text("writer_context_tokens")),
		price: parsePrice(text("writer_usd_per_million_in"), text("writer_usd_per_million_out")),
		apiKey: apiKey || undefined,
	};
}

function parsePreset(text: string): WriterPresetName {
	const preset = WRITER_PRESET_NAMES.find((name) => name === (text || "openai"));
	if (preset) return preset;
	throw invalidSetting(
		`"${text}" is no writer_preset; use one of ${WRITER_PRESET_NAMES.join(", ")}.`,
	);
}

/** Hosted servers serve many; of one's own the only one is asked for. */
function assertModel(model: string, preset: WriterPresetName): void {
	if (model === "" && preset === "openai") {
		throw invalidSetting("writer_url needs writer_model, the model to ask for.");
	}
	if (model !== "" && !MODEL_NAME.test(model)) {
		throw invalidSetting("writer_model holds more than the name of a model.");
	}
}

const MODEL_NAME = /^[\w.:/@+-]{1,120}$/;

function parseTimeout(text: string): number {
	const timeoutMs = /^\d{1,6}$/.test(text) ? Number(text) : 0;
	const { timeoutLeastMs: least, timeoutMostMs: most } = WRITER_LIMITS;
	if (timeoutMs >= least && timeoutMs <= most) return timeoutMs;
	throw invalidSetting(`writer_timeout_ms must be a number from ${least} to ${most}.`);
}

function parseOutput(text: string): WriterOutput | undefined {
	if (text === "") return undefined;
	const output = WRITER_OUTPUTS.find((name) => name === text);
	if (output) return output;
	throw invalidSetting(`"${text}" is no writer_output; use one of ${WRITER_OUTPUTS.join(", ")}.`);
}

function parseContext(text: string): number | undefined {
	if (text === "") return undefined;
	const { contextTokensLeast: least, contextTokensMost: most } = WRITER_LIMITS;
	const size = /^\d{1,7}$/.test(text) ? Number(text) : 0;
	if (size >= least && size <= most) return size;
	throw invalidSetting(`writer_context_tokens must be a number from ${least} to ${most}.`);
}

/** What a million tokens cost; undefined where the operator does not say. */
function parsePrice(inUsd: string, outUsd: string): TokenPrice | undefined {
	if (inUsd === "" && outUsd === "") return undefined;
	return { inMicros: parseUsd(inUsd || "0"), outMicros: parseUsd(outUsd || "0") };
}

/** Questions and a key travel on it: https, unless it never leaves the machine. */
function assertAddress(text: string): void {
	const url = URL.canParse(text) ? new URL(text) : undefined;
	const isPlain =
		url && url.username === "" && url.password === "" && url.search === "" && url.hash === "";
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

function isMailServer(text: string): boolean {
	if (!URL.canParse(text)) return false;
	const { protocol, username, password } = new URL(text);
	try {
		decodeURIComponent(username + password);
	} catch {
		return false;
	}
	return /^smtps?:$/.test(protocol);
}

/** Undefined while no mail server is set. Throws INVALID_ARGUMENT; the address of the server may be a secret and is not repeated. */
export function parseMailSettings(text: (key: keyof typeof MAIL_SETTINGS) => string) {
	const [url, from] = [text("smtp_url"), text("mail_from")];
	if (url === "") return undefined;
	if (!isMailServer(url)) {
		throw invalidSetting(
			"smtp_url must read smtp://host:port or smtps://user:password@host, with % and other signs of a password percent-encoded.",
		);
	}
	if (ADDRESS.test(from)) return { url, from };
	throw invalidSetting(
		'With smtp_url goes mail_from, the sender of mails: an address, or "Name <address>".',
	);
}
