/** What an operator can set: one table that the CLI, the environment, the configuration file and the README are made from. */
import { IDENTITY_ROWS, MCP_ROWS, OAUTH_ROWS } from "./identity-settings.js";
import { MAIL_ROWS, WRITER_ROWS } from "./outbound-settings.js";

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
			"Proxies beside those on the server's own machine whose `X-Forwarded-For` says who calls: addresses or networks, separated by commas, e.g. `172.18.0.0/16`. Callers from there can name any address, so name your proxies and no one else.",
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
