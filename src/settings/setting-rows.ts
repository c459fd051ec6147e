/** What an operator can set: one table that the CLI, the environment, the configuration file and the README are made from. */
import { IDENTITY_ALGORITHMS } from "../accounts/accounts.js";
import { WRITER_LIMITS } from "../contract/contract.js";
import { GRPC_SETTINGS } from "./grpc-settings.js";
import { IDENTITY_SETTINGS, MCP_SETTINGS, OAUTH_SETTINGS } from "./identity-settings.js";
import { MAIL_SETTINGS, WRITER_SETTINGS } from "./outbound-settings.js";
import { SELLER_SETTINGS } from "./seller-settings.js";
import { TELEMETRY_SETTINGS } from "./telemetry-settings.js";

/** What each setting says, by its key in `tollgraph.config.yaml`; the flag is `--key` with hyphens, the variable TOLLGRAPH_KEY in capitals. */
const DESCRIPTIONS = {
	profile: "`demo` sells for paper money on loopback only; `production` sells for real money.",
	host: "Address to listen on; the demo profile accepts loopback only.",
	port: "Port to listen on; 0 takes any free one.",
	data: "Folder for the journal, keys, imported graphs and indexes.",
	store_url:
		"Database that the books are kept in instead of the data folder's journal, e.g. `postgres://user:password@host/database?sslmode=verify-full` (PostgreSQL 15 or newer). Several processes may share it, each with a data folder of its own and all with the same `keys`. Better set as TOLLGRAPH_STORE_URL than as a flag, which others on the machine can read.",
	keys: "Folder of the service's keys, `<data>/keys` by default; with `store_url` only, where all processes that share the database name the same.",
	store_schema: "Schema of the tables in that database, `tollgraph` by default.",
	catalog:
		"Graphs on sale beside the imported ones: `sample` (default of the demo profile), `none` (default in production), or a folder of OKF bundles.",
	model:
		"Embedding model: `bundled`, `table` (6 MB, a static table: less is found, in less time), `local:<folder>`, `hub:<owner>/<name>` (fetched before with `tollgraph models fetch`), or `none` for keyword search only.",
	judge:
		"Model that reads questions and claims beside passages: `bundled`, or `none`: then searches go by words and vectors alone, and neither claims nor drafts are judged.",
	public_url: "Address under which callers reach the server; by default the one it listens on.",
	...GRPC_SETTINGS,
	requests_per_minute:
		"Requests that one address, and one credential, may make: 6000 in production, 600000 in the demo profile. Credentials that are refused are limited by themselves.",
	trusted_proxies:
		"Proxies beside those on the server's own machine whose `X-Forwarded-For` says who calls: addresses or networks, separated by commas, e.g. `172.18.0.0/16`. Callers from there can name any address, so name your proxies and no one else.",
	contact:
		"Where security reports go, for `/.well-known/security.txt`: an e-mail address or an https address.",
	facilitator:
		"Who verifies and settles payments on a chain: `demo` (a local chain, default of the demo profile), the https address of a facilitator, `local` (this process, with `<data>/keys/settler-key` and `rpc_url`), or `off`. Production must say.",
	pay_to: "Address that payments on a chain go to.",
	network:
		"Chain that payments are made on, e.g. `eip155:8453` or `base`: a main one in production, a test network in the demo profile.",
	asset:
		"Token that payments are made in, with EIP-3009 and six decimals: by default the network's USDC, else `address/name/version`.",
	text_key_command:
		'Command that prints the keys of texts at rest, in place of `<data>/keys/text-key`: a JSON list of a program and its arguments, e.g. `["/usr/local/bin/print-key", "texts"]`. It is run at the start, without a shell; it prints 64 hexadecimal digits a line, the newest key first.',
	graph_versions:
		"Versions kept of each imported graph, the one on sale included: what `tollgraph graphs rollback` can bring back. Of changes of single concepts, a hundred count as one.",
	accounts:
		"Who may open an account with `POST /v1/accounts`: `closed` (the operator alone) or `open` (anybody, with the free plan).",
	admin_from:
		"From where the keys of operators (`tollgraph operators add`) open the admin API: `loopback`, or `anywhere`, behind TLS. The data folder's own admin token opens it on this machine alone.",
	feeds:
		"Where supplemental data comes from: `bundled` (observations that come with the software; no source is ever asked) or `live` (the sources of the registry, by https; topics of callers go to those that search).",
	...IDENTITY_SETTINGS,
	...OAUTH_SETTINGS,
	...MCP_SETTINGS,
	...WRITER_SETTINGS,
	...MAIL_SETTINGS,
	...SELLER_SETTINGS,
	...TELEMETRY_SETTINGS,
	rpc_url:
		"Node of that chain, which proves that payments came: needed in production, and by the local facilitator everywhere.",
	reconcile_hours:
		"Hours from one comparison of the ledger with the chain to the next while the server runs, 0 for none; the first is at the start. It reads every transfer since the first payment from the node.",
	unproven_settlements:
		"Without `rpc_url` in production: `refuse` to start, or `accept` what the facilitator says, so that one that lies or errs is paid with your answers.",
} as const;

export type SettingKey = keyof typeof DESCRIPTIONS;

/** Enough for some weeks of imports; each holds what the next one replaced. */
export const GRAPH_VERSIONS = 10;

/** Settings that are not listed are empty where nothing sets them. */
export const DEFAULTS: Partial<Record<SettingKey, string>> = {
	profile: "demo",
	host: "127.0.0.1",
	port: "8402",
	data: "./.tollgraph",
	model: "bundled",
	judge: "bundled",
	accounts: "closed",
	admin_from: "loopback",
	feeds: "bundled",
	graph_versions: String(GRAPH_VERSIONS),
	reconcile_hours: "24",
	oidc_algorithms: IDENTITY_ALGORITHMS.join(","),
	oidc_account_claim: "sub",
	oidc_max_token_age_seconds: "86400",
	oauth: "own",
	mcp_pay_per_call: "off",
	metrics_host: "127.0.0.1",
	otlp_trace_percent: "100",
	writer_timeout_ms: String(WRITER_LIMITS.timeoutMs),
};

export const SETTING_ROWS = (Object.entries(DESCRIPTIONS) as [SettingKey, string][]).map(
	([key, description]) => ({ key, default: DEFAULTS[key] ?? "", description }),
);

/** Secrets are no settings: they come from a variable, which goes first, or from a file that the data folder keeps with its keys. */
export const SECRET_ROWS = [
	{
		variable: "TOLLGRAPH_FACILITATOR_TOKEN",
		file: "facilitator-token",
		description: "Bearer token that `facilitator` asks for.",
	},
	{
		variable: "TOLLGRAPH_WRITER_KEY",
		file: "writer-key",
		description: "Key of the interface at `writer_url`.",
	},
	{
		variable: "TOLLGRAPH_OTLP_HEADERS",
		file: "otlp-headers",
		description:
			"Headers that `otlp_endpoint` asks for, e.g. `authorization=Bearer%20…`, separated by commas.",
	},
] as const;

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
		"",
		"| secret, from the environment | or the file | meaning |",
		"|---|---|---|",
		...SECRET_ROWS.map(
			({ variable, file, description }) =>
				`| \`${variable}\` | \`<data>/keys/${file}\` | ${description} |`,
		),
	].join("\n");
}

/** A `tollgraph.config.yaml` that sets nothing yet: every setting with its meaning and default, behind `#`. */
export function renderSettingsFile(): string {
	const settings = SETTING_ROWS.map(({ key, default: value, description }) =>
		[
			`# ${description}`,
			`# --${key.replaceAll("_", "-")}, TOLLGRAPH_${key.toUpperCase()}`,
			`#${key}: ${JSON.stringify(value)}`,
		].join("\n"),
	);
	const secrets = SECRET_ROWS.map(
		({ variable, file, description }) => `# ${variable}, or <data>/keys/${file}: ${description}`,
	);
	return [
		"# Settings of tollgraph. Flags win over environment variables, those over this file, in the working folder as tollgraph.config.yaml.",
		...settings,
		'# USD by operation; "0" makes an operation free.\n#prices: { graphs.search: "0.25" }',
		`# Secrets do not belong here:\n${secrets.join("\n")}`,
	].join("\n\n");
}
