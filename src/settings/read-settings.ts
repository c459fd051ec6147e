import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parse } from "yaml";
import { DEFAULT_PRICE_BOOK } from "../../payments/payments.js";
import { parseTextKeyCommand } from "../accounts/accounts.js";
import { LIMITS, type PriceBook, type PricedOperationId } from "../contract/contract.js";
import { parseTrustedProxies } from "../http/http.js";
import { invalidSetting, parseUsd } from "../kernel/kernel.js";
import { parseModelName } from "../search/search.js";
import { type GrpcSettings, parseGrpcSettings } from "./grpc-settings.js";
import {
	type IdentitySettings,
	type McpSettings,
	type OAuthSettings,
	parseIdentitySettings,
	parseMcpSettings,
	parseOAuthSettings,
} from "./identity-settings.js";
import { type OnchainSettings, parseOnchainSettings } from "./onchain-settings.js";
import {
	type MailSettings,
	parseMailSettings,
	parseWriterSettings,
	type WriterSettings,
} from "./outbound-settings.js";
import { parseSellerSettings, type SellerSettings } from "./seller-settings.js";
import { DEFAULTS, SETTING_ROWS, type SettingKey } from "./setting-rows.js";

/** What a server runs with, read and checked. */
export interface Settings {
	readonly profile: "demo" | "production";
	readonly host: string;
	readonly port: number;
	readonly data: string;
	readonly catalog: string;
	readonly model: string;
	readonly judge: "bundled" | "none";
	readonly publicUrl: string | undefined;
	/** Not offered where absent. */
	readonly grpc?: GrpcSettings | undefined;
	/** `mailto:` or `https:`. */
	readonly contact?: string | undefined;
	readonly requestsPerMinute?: number;
	/** Addresses and networks; those of this machine where absent, and beside them. */
	readonly trustedProxies?: readonly string[];
	readonly onchain: OnchainSettings;
	/** Whose tokens open accounts beside our own keys; none where absent. */
	readonly identity?: IdentitySettings | undefined;
	/** Who gives MCP clients access to accounts; this server where absent. */
	readonly oauth?: OAuthSettings | undefined;
	/** No calls without an account where absent. */
	readonly mcp?: McpSettings | undefined;
	/** The language model that drafts prose; none where absent. */
	readonly writer?: WriterSettings | undefined;
	/** `bundled` where absent: then no source of supplemental data is ever asked. */
	readonly feeds?: "bundled" | "live" | undefined;
	/** Where mails go out; none are sent where absent. */
	readonly mail?: MailSettings | undefined;
	/** Who issues invoices; they name no one where absent. */
	readonly seller?: SellerSettings | undefined;
	/** The database that holds the books; the data folder's journal does where absent. */
	readonly storeUrl?: string | undefined;
	readonly storeSchema?: string | undefined;
	/** Folder of the keys, which processes share; in the data folder where absent. */
	readonly keysFolder?: string | undefined;
	/** Program and arguments that print the keys of texts at rest; they are kept in the data folder where absent. */
	readonly textKeyCommand?: readonly string[] | undefined;
	/** Versions kept of each imported graph; ten where absent. */
	readonly graphVersions?: number;
	/** From one comparison of the ledger with the chain to the next; none where 0 or absent. */
	readonly reconcileHours?: number;
	/** Who may open an account; closed where absent. */
	readonly accounts?: "open" | "closed";
	/** From where operators' keys open the admin API; this machine alone where absent, and always for the admin token. */
	readonly adminFrom?: "loopback" | "anywhere";
	readonly prices: Partial<PriceBook>;
}

/** Where the keys are. */
export function keysFolderOf({ data, keysFolder }: Pick<Settings, "data" | "keysFolder">): string {
	return resolve(keysFolder ?? join(data, "keys"));
}

interface SettingSources {
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
		(DEFAULTS[key] ?? "");
	const profile = parseChoice(text("profile"), "profile", ["demo", "production"]);
	const host = text("host");
	const publicUrl = parsePublicUrl(text("public_url"), { host, profile });
	return {
		profile,
		host,
		port: parsePort(text("port")),
		data: text("data"),
		catalog: text("catalog") || (profile === "demo" ? "sample" : "none"),
		model: parseModel(text("model")),
		judge: parseChoice(text("judge"), "judge", ["bundled", "none"]),
		publicUrl,
		grpc: parseGrpcSettings(text, { host, publicUrl }, parsePort),
		requestsPerMinute: parseRate(text("requests_per_minute"), profile),
		trustedProxies: parseTrustedProxies(text("trusted_proxies")),
		contact: parseContact(text("contact")),
		onchain: parseOnchainSettings(text),
		identity: parseIdentitySettings(text),
		oauth: parseOAuthSettings(text),
		mcp: parseMcpSettings(text),
		writer: parseWriterSettings(text, environment["TOLLGRAPH_WRITER_KEY"]),
		accounts: parseChoice(text("accounts"), "value of accounts", ["open", "closed"]),
		mail: parseMailSettings(text),
		seller: parseSellerSettings(text),
		feeds: parseChoice(text("feeds"), "value of feeds", ["bundled", "live"]),
		textKeyCommand: parseTextKeyCommand(text("text_key_command")),
		storeUrl: parseStoreUrl(text("store_url")),
		storeSchema: parseStoreSchema(text("store_schema")),
		keysFolder: parseKeysFolder(text("keys"), text("store_url")),
		graphVersions: parseVersions(text("graph_versions")),
		reconcileHours: parseHours(text("reconcile_hours")),
		adminFrom: parseChoice(text("admin_from"), "value of admin_from", ["loopback", "anywhere"]),
		prices: parsePrices(file["prices"]),
	};
}

function parseChoice<const T extends string>(text: string, what: string, choices: readonly T[]): T {
	const chosen = choices.find((choice) => choice === text);
	if (chosen !== undefined) return chosen;
	throw invalidSetting(`"${text}" is no ${what}; use ${choices.join(" or ")}.`);
}

function parseKeysFolder(keys: string, storeUrl: string): string | undefined {
	if (keys === "") return undefined;
	if (storeUrl !== "") return keys;
	throw invalidSetting(
		"keys is for processes that share the books in a database; without store_url the keys are in the data folder.",
	);
}

/** Never quoted in an error: it may hold a password. */
function parseStoreUrl(text: string): string | undefined {
	if (text === "") return undefined;
	if (/^postgres(ql)?:\/\/[^\s]+$/.test(text) && URL.canParse(text)) return text;
	throw invalidSetting(
		"store_url is no address of a PostgreSQL database; use postgres://user:password@host:port/database.",
	);
}

function parseStoreSchema(text: string): string | undefined {
	if (text === "") return undefined;
	if (/^[a-z][a-z0-9_]{0,40}$/.test(text)) return text;
	throw invalidSetting(
		`"${text}" cannot be the name of a schema; use up to 41 lower-case letters, digits and "_".`,
	);
}

function parseHours(text: string): number {
	if (/^\d{1,4}$/.test(text)) return Number(text);
	throw invalidSetting(`"${text}" is no number of hours; use 0 for none, or up to 9999.`);
}

function parseVersions(text: string): number {
	const versions = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
	if (versions >= 1 && versions <= 1_000) return versions;
	throw invalidSetting(`"${text}" is no number of versions; use a number from 1 to 1000.`);
}

function parsePort(text: string): number {
	const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
	if (port <= 65_535) return port;
	throw invalidSetting(`"${text}" is no port; use a number from 0 to 65535.`);
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
		throw invalidSetting(
			`Listening on every interface ("${host}") needs public_url, the address callers use.`,
		);
	}
	if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
		throw invalidSetting(`"${text}" is no http address for public_url.`);
	}
	return text.replace(/\/+$/, "");
}

function parseRate(text: string, profile: Settings["profile"]): number {
	if (text === "") {
		return profile === "demo" ? LIMITS.localRequestsPerMinute : LIMITS.requestsPerMinute;
	}
	if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
	throw invalidSetting(`"${text}" is no number of requests a minute.`);
}

/** An e-mail address becomes a mailto address, as RFC 9116 wants it. */
function parseContact(text: string): string | undefined {
	if (text === "") return undefined;
	if (/^[^\s@:]+@[^\s@:]+\.[^\s@:]+$/.test(text)) return `mailto:${text}`;
	if (/^(mailto:[^\s@]+@|https:\/\/)[^\s]+$/.test(text)) return text;
	throw invalidSetting(`"${text}" is no contact; use an e-mail address or an https address.`);
}

function parsePrices(value: unknown): Partial<PriceBook> {
	if (value === undefined || value === null) return {};
	if (typeof value !== "object") {
		throw invalidSetting('The setting "prices" must map operations to USD.');
	}
	const entries = Object.entries(value).map(([operation, usd]) => {
		if (!Object.hasOwn(DEFAULT_PRICE_BOOK, operation)) {
			throw invalidSetting(`"prices" names the unknown operation "${operation}".`);
		}
		const id = operation as PricedOperationId;
		return [id, { ...DEFAULT_PRICE_BOOK[id], amountMicros: parseUsd(String(usd)) }] as const;
	});
	return Object.fromEntries(entries);
}

/** Settings and prices as an operator's `tollgraph.config.yaml` has them. */
type ConfigFile = Readonly<Record<string, unknown>>;

/** Empty where there is no file. Throws INVALID_ARGUMENT for unknown keys. */
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
		throw invalidSetting(`${path} must hold keys and values.`);
	}
	const known = new Set<string>([...SETTING_ROWS.map((row) => row.key), "prices"]);
	const unknown = Object.keys(file as ConfigFile).find((key) => !known.has(key));
	if (unknown) throw invalidSetting(`${path} has the unknown key "${unknown}".`);
	return file as ConfigFile;
}

/** Undefined where the file says nothing of it. Throws INVALID_ARGUMENT for lists and maps. */
function scalarOf(file: ConfigFile, key: SettingKey): string | undefined {
	const value = file[key];
	if (value === undefined || value === null) return undefined;
	if (typeof value === "string" || typeof value === "number") return String(value);
	throw invalidSetting(`The setting "${key}" must be text or a number.`);
}
