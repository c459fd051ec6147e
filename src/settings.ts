/** What an operator can set: one table that the CLI, the environment, the configuration file and the README are made from. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { DEFAULT_PRICE_BOOK, type PriceBook } from "../payments/price-list.js";
import { ServiceError } from "./core/errors.js";
import { LIMITS } from "./core/limits.js";
import { parseUsd } from "./core/money.js";
import type { PricedOperationId } from "./core/operations.js";
import {
	IDENTITY_ROWS,
	type IdentitySettings,
	parseIdentitySettings,
} from "./identity-settings.js";
import { MAIL_ROWS, type MailSettings, parseMailSettings } from "./mail-settings.js";
import { MCP_ROWS, type McpSettings, parseMcpSettings } from "./mcp-settings.js";
import { OAUTH_ROWS, type OAuthSettings, parseOAuthSettings } from "./oauth-settings.js";
import { type OnchainSettings, parseOnchainSettings } from "./onchain-settings.js";
import { parseModelName } from "./search/model-name.js";
import { parseTrustedProxies } from "./trusted-proxies.js";
import { parseWriterSettings, WRITER_ROWS, type WriterSettings } from "./writer-settings.js";

interface SettingRow {
	/** Key in `tollgraph.config.yaml`; the flag is `--key` with hyphens, the variable TOLLGRAPH_KEY in capitals. */
	readonly key: string;
	readonly default: string;
	readonly description: string;
}

export const SETTING_ROWS = [
	{
		key: "profile",
		default: "demo",
		description:
			"`demo` sells for paper money on loopback only; `production` sells for real money.",
	},
	{
		key: "host",
		default: "127.0.0.1",
		description: "Address to listen on; the demo profile accepts loopback only.",
	},
	{ key: "port", default: "8402", description: "Port to listen on; 0 takes any free one." },
	{
		key: "data",
		default: "./.tollgraph",
		description: "Folder for the journal, keys, imported graphs and indexes.",
	},
	{
		key: "catalog",
		default: "",
		description:
			"Graphs on sale beside the imported ones: `sample` (default of the demo profile), `none` (default in production), or a folder of OKF bundles.",
	},
	{
		key: "model",
		default: "bundled",
		description:
			"Embedding model: `bundled`, `local:<folder>`, `hub:<owner>/<name>` (fetched before with `tollgraph models fetch`), or `none` for keyword search only.",
	},
	{
		key: "public_url",
		default: "",
		description: "Address under which callers reach the server; by default the one it listens on.",
	},
	{
		key: "requests_per_minute",
		default: "",
		description:
			"Requests that one address, and one credential, may make: 6000 in production, 600000 in the demo profile. Credentials that are refused are limited by themselves.",
	},
	{
		key: "trusted_proxies",
		default: "",
		description:
			"Proxies beside those on the server's own machine whose `X-Forwarded-For` says who calls: addresses or networks, separated by commas, e.g. `172.18.0.0/16`. Whoever calls from there can name any address, so name your proxies and nobody else.",
	},
	{
		key: "contact",
		default: "",
		description:
			"Where security reports go, for `/.well-known/security.txt`: an e-mail address or an https address.",
	},
	{
		key: "facilitator",
		default: "",
		description:
			"Who verifies and settles payments on a chain: `demo` (a local chain, default of the demo profile), the https address of a facilitator, `local` (this process, with `<data>/keys/settler-key` and `rpc_url`), or `off`. Production must say.",
	},
	{ key: "pay_to", default: "", description: "Address that payments on a chain go to." },
	{
		key: "network",
		default: "",
		description:
			"Chain that payments are made on, e.g. `eip155:8453` or `base`: a main one in production, a test network in the demo profile.",
	},
	{
		key: "asset",
		default: "",
		description:
			"Token that payments are made in, with EIP-3009 and six decimals: by default the network's USDC, else `address/name/version`.",
	},
	{
		key: "accounts",
		default: "closed",
		description:
			"Who may open an account with `POST /v1/accounts`: `closed` (the operator alone) or `open` (anybody, with the free plan).",
	},
	{
		key: "feeds",
		default: "bundled",
		description:
			"Where supplemental data comes from: `bundled` (observations that come with the software; no source is ever asked) or `live` (the sources of the registry, by https; topics of callers go to those that search).",
	},
	...IDENTITY_ROWS,
	...OAUTH_ROWS,
	...MCP_ROWS,
	...WRITER_ROWS,
	...MAIL_ROWS,
	{
		key: "rpc_url",
		default: "",
		description:
			"Node of that chain: needed by the local facilitator; with another one, payments are checked against the chain itself.",
	},
] as const satisfies readonly SettingRow[];

export type SettingKey = (typeof SETTING_ROWS)[number]["key"];

export interface Settings {
	readonly profile: "demo" | "production";
	readonly host: string;
	readonly port: number;
	readonly data: string;
	readonly catalog: string;
	readonly model: string;
	readonly publicUrl: string | undefined;
	/** `mailto:` or `https:`. */
	readonly contact?: string | undefined;
	readonly requestsPerMinute?: number;
	/** Addresses and networks; those of this machine where absent, and beside them. */
	readonly trustedProxies?: readonly string[];
	readonly onchain: OnchainSettings;
	/** Whose tokens open accounts beside our own keys; nobody's where absent. */
	readonly identity?: IdentitySettings | undefined;
	/** Who gives MCP clients access to accounts; this server where absent. */
	readonly oauth?: OAuthSettings | undefined;
	/** Nobody calls without an account where absent. */
	readonly mcp?: McpSettings | undefined;
	/** The language model that drafts prose; none where absent. */
	readonly writer?: WriterSettings | undefined;
	/** `bundled` where absent: then no source of supplemental data is ever asked. */
	readonly feeds?: "bundled" | "live" | undefined;
	/** Where mails go out; none are sent where absent. */
	readonly mail?: MailSettings | undefined;
	/** Who may open an account; closed where absent. */
	readonly accounts?: "open" | "closed";
	readonly prices: Partial<PriceBook>;
}

export interface SettingSources {
	readonly flags: Partial<Record<SettingKey, string>>;
	readonly environment: Readonly<Record<string, string | undefined>>;
	/** Folder that may hold `tollgraph.config.yaml`. */
	readonly folder: string;
}

/** Flags win over TOLLGRAPH_* variables, those over the configuration file, that over defaults. Throws INVALID_ARGUMENT. */
export function readSettings({ flags, environment, folder }: SettingSources): Settings {
	const file = readConfigFile(join(folder, "tollgraph.config.yaml"));
	// An empty value is an unset one: compose files and shells pass those along.
	const text = (key: SettingKey): string =>
		flags[key] ||
		environment[`TOLLGRAPH_${key.toUpperCase()}`] ||
		scalarOf(file, key) ||
		defaultOf(key);
	const profile = parseProfile(text("profile"));
	return {
		profile,
		host: text("host"),
		port: parsePort(text("port")),
		data: text("data"),
		catalog: text("catalog") || (profile === "demo" ? "sample" : "none"),
		model: parseModel(text("model")),
		publicUrl: parsePublicUrl(text("public_url"), { host: text("host"), profile }),
		requestsPerMinute: parseRate(text("requests_per_minute"), profile),
		trustedProxies: parseTrustedProxies(text("trusted_proxies")),
		contact: parseContact(text("contact")),
		onchain: parseOnchainSettings(text),
		identity: parseIdentitySettings(text),
		oauth: parseOAuthSettings(text),
		mcp: parseMcpSettings(text),
		writer: parseWriterSettings(text, environment["TOLLGRAPH_WRITER_KEY"]),
		accounts: parseAccounts(text("accounts")),
		mail: parseMailSettings(text),
		feeds: parseFeeds(text("feeds")),
		prices: parsePrices(file["prices"]),
	};
}

/** The configuration table of the README. */
export function renderSettingsTable(): string {
	const rows = SETTING_ROWS.map(({ key, default: value, description }) => {
		const flag = `--${key.replaceAll("_", "-")}`;
		return `| \`${key}\` | \`${flag}\` | \`TOLLGRAPH_${key.toUpperCase()}\` | ${value ? `\`${value}\`` : "–"} | ${description} |`;
	});
	return [
		"| key in `tollgraph.config.yaml` | flag | environment | default | meaning |",
		"|---|---|---|---|---|",
		...rows,
		'| `prices` | – | – | the price book | USD by operation, e.g. `graphs.search: "0.25"`; `"0"` makes an operation free. |',
	].join("\n");
}

function defaultOf(key: SettingKey): string {
	return SETTING_ROWS.find((row) => row.key === key)?.default ?? "";
}

type ConfigFile = Readonly<Record<string, unknown>>;

function readConfigFile(path: string): ConfigFile {
	let text: string;
	try {
		text = readFileSync(path, "utf8");
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
		throw error;
	}
	const file: unknown = parse(text) ?? {};
	if (typeof file !== "object" || Array.isArray(file)) {
		throw invalid(`${path} must hold keys and values.`);
	}
	const known = new Set<string>([...SETTING_ROWS.map((row) => row.key), "prices"]);
	const unknown = Object.keys(file as ConfigFile).find((key) => !known.has(key));
	if (unknown) throw invalid(`${path} has the unknown key "${unknown}".`);
	return file as ConfigFile;
}

function scalarOf(file: ConfigFile, key: SettingKey): string | undefined {
	const value = file[key];
	if (value === undefined || value === null) return undefined;
	if (typeof value === "string" || typeof value === "number") return String(value);
	throw invalid(`The setting "${key}" must be text or a number.`);
}

function parseProfile(text: string): Settings["profile"] {
	if (text === "demo" || text === "production") return text;
	throw invalid(`"${text}" is no profile; use demo or production.`);
}

function parseAccounts(text: string): "open" | "closed" {
	if (text === "open" || text === "closed") return text;
	throw invalid(`"${text}" is no value of accounts; use open or closed.`);
}

function parseFeeds(text: string): "bundled" | "live" {
	if (text === "bundled" || text === "live") return text;
	throw invalid(`"${text}" is no value of feeds; use bundled or live.`);
}

function parsePort(text: string): number {
	const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
	if (port <= 65_535) return port;
	throw invalid(`"${text}" is no port; use a number from 0 to 65535.`);
}

/** Read again where the model is opened; a wrong word is refused before anything is. */
function parseModel(text: string): string {
	parseModelName(text);
	return text;
}

/** Cards and links must name an address that callers can reach; "every interface" is none. */
function parsePublicUrl(
	text: string,
	{ host, profile }: Pick<Settings, "host" | "profile">,
): string | undefined {
	if (text === "") {
		// The demo refuses such a host itself, for a reason of its own.
		if (profile === "demo" || (host !== "0.0.0.0" && host !== "::")) return undefined;
		throw invalid(
			`Listening on every interface ("${host}") needs public_url, the address callers use.`,
		);
	}
	if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
		throw invalid(`"${text}" is no http address for public_url.`);
	}
	return text.replace(/\/+$/, "");
}

function parseRate(text: string, profile: Settings["profile"]): number {
	if (text === "") {
		return profile === "demo" ? LIMITS.localRequestsPerMinute : LIMITS.requestsPerMinute;
	}
	if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
	throw invalid(`"${text}" is no number of requests a minute.`);
}

/** An e-mail address becomes a mailto address, as RFC 9116 wants it. */
function parseContact(text: string): string | undefined {
	if (text === "") return undefined;
	if (/^[^\s@:]+@[^\s@:]+\.[^\s@:]+$/.test(text)) return `mailto:${text}`;
	if (/^(mailto:[^\s@]+@|https:\/\/)[^\s]+$/.test(text)) return text;
	throw invalid(`"${text}" is no contact; use an e-mail address or an https address.`);
}

function parsePrices(value: unknown): Partial<PriceBook> {
	if (value === undefined || value === null) return {};
	if (typeof value !== "object") throw invalid('The setting "prices" must map operations to USD.');
	const entries = Object.entries(value).map(([operation, usd]) => {
		if (!Object.hasOwn(DEFAULT_PRICE_BOOK, operation)) {
			throw invalid(`"prices" names the unknown operation "${operation}".`);
		}
		const id = operation as PricedOperationId;
		return [id, { ...DEFAULT_PRICE_BOOK[id], amountMicros: parseUsd(String(usd)) }] as const;
	});
	return Object.fromEntries(entries);
}

function invalid(message: string): ServiceError {
	return new ServiceError("INVALID_ARGUMENT", message);
}
