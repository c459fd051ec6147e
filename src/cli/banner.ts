import type { DemoWallet } from "../../payments/onchain/onchain.js";
import type { App } from "../app/app.js";
import type { RunningServer } from "../http/http.js";
import type { Settings } from "../settings/settings.js";

export interface StartFacts {
	readonly app: App;
	readonly server: RunningServer;
	readonly settings: Settings;
	/** Undefined in production: nobody is given money there. */
	readonly demoSpt: string | undefined;
	/** Undefined in production, and where there is no local chain. */
	readonly demoWallet: DemoWallet | undefined;
	readonly readyMs: number;
}

/** The one JSON line of `serve --json`. */
export function toReadyLine({ app, demoSpt, demoWallet, readyMs }: StartFacts): object {
	const { info } = app.service;
	const baseUrl = info.baseUrl();
	return {
		base_url: baseUrl,
		agent_card_url: `${baseUrl}/.well-known/agent-card.json`,
		mcp_url: info.mcpUrl(),
		docs_url: `${baseUrl}/openapi.json`,
		admin_token: app.adminToken,
		demo_spt: demoSpt ?? null,
		demo_wallet: demoWallet ?? null,
		graph_ids: app.catalog.list().map((graph) => graph.record.id),
		ready_ms: Math.round(readyMs),
	};
}

/** What a person reads on stderr: where things are, and one line that pays and answers. */
export function renderBanner({ app, settings, demoSpt, demoWallet, readyMs }: StartFacts): string {
	const { info } = app.service;
	const baseUrl = info.baseUrl();
	const graphs = app.catalog.list();
	const concepts = graphs.reduce((sum, graph) => sum + graph.concepts.length, 0);
	const lines = [
		`tollgraph ${info.version}, ${info.profile} profile, ready in ${Math.round(readyMs)} ms`,
		"",
		`  REST         ${baseUrl}/v1`,
		`  Agent card   ${baseUrl}/.well-known/agent-card.json`,
		`  OpenAPI      ${baseUrl}/openapi.json`,
		`  MCP          ${info.mcpUrl()}/mcp`,
		`  Catalog      ${baseUrl}/v1/graphs/catalog   ${graphs.length} graphs, ${concepts} concepts`,
	];
	if (graphs.length === 0) {
		lines.push("", "  Nothing is on sale yet: tollgraph import ./folder --as my-graph");
	}
	if (demoSpt === undefined) lines.push(`  Payments     ${renderRails(settings)}`);
	else lines.push("", ...renderWallet(demoWallet, settings), ...renderDemo(app, demoSpt));
	return lines.join("\n");
}

/** Where production's money goes, for the operator to compare. */
function renderRails({ onchain }: Settings): string {
	const { payTo, network } = onchain;
	if (onchain.facilitator === "off") return "tokens and keys only";
	return `x402 on ${network} to ${payTo}, tokens and keys`;
}

function renderWallet(wallet: DemoWallet | undefined, { onchain }: Settings): string[] {
	if (wallet) {
		return [
			`  Demo wallet  ${wallet.address}   100 USDC on a local chain, worth nothing off this machine`,
			`               ${wallet.network} at ${wallet.rpc_url}; its key is in <data>/keys/demo-wallet.json`,
			"               any x402 client pays with it: see Pay with a wallet in the README",
		];
	}
	if ((onchain.facilitator ?? "demo") !== "demo") return [];
	return ["  No local chain (anvil is not installed): tokens and keys only"];
}

function renderDemo(app: App, demoSpt: string): string[] {
	const { exampleInput } = app.service.skills["graphs.search"];
	const { graph_id: suggested, ...body } = exampleInput;
	const graph = app.catalog.find(String(suggested)) ?? app.catalog.list()[0];
	const lines = [
		`  Demo SPT     ${demoSpt}   25 USD of paper money, worth nothing off this machine`,
	];
	if (!graph) return lines;
	const query =
		graph.record.id === suggested
			? body
			: { query: graph.record.exampleQueries[0] ?? graph.record.title };
	return [
		...lines,
		"",
		"  A paid call:",
		`  curl -s ${app.service.info.baseUrl()}/v1/graphs/${graph.record.id}/search -H 'X-Pay-SPT: ${demoSpt}' -H 'Content-Type: application/json' -d '${JSON.stringify(query).replaceAll("'", "")}'`,
	];
}
