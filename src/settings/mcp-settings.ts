/** What an operator says of the Model Context Protocol's addresses. */

import { invalidSetting } from "../kernel/kernel.js";
export interface McpSettings {
	/** Anonymous agents are let in at `/mcp`, and pay call by call. */
	readonly payPerCall: boolean;
	/** Hosts, without scheme and port, whose pages may call from a browser. */
	readonly allowedOrigins: readonly string[];
}

export const MCP_ROWS = [
	{
		key: "mcp_pay_per_call",
		default: "off",
		description:
			"`on` lets agents without an account call tools at `/mcp` and pay call by call (x402, MPP), where payments on a chain are configured.",
	},
	{
		key: "mcp_allowed_origins",
		default: "",
		description:
			"Hosts whose pages may call the MCP addresses from a browser, separated by commas, e.g. `inspector.example.org`; beside this server's own and loopback. Clients that are no browser need none.",
	},
] as const;

const HOST = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;

/** Throws INVALID_ARGUMENT. */
export function parseMcpSettings(
	text: (key: (typeof MCP_ROWS)[number]["key"]) => string,
): McpSettings {
	const payPerCall = text("mcp_pay_per_call");
	if (payPerCall !== "on" && payPerCall !== "off") {
		throw invalidSetting(`"${payPerCall}" is no value of mcp_pay_per_call; use on or off.`);
	}
	const listed = text("mcp_allowed_origins").split(",");
	const allowedOrigins = listed.map((host) => host.trim().toLowerCase()).filter(Boolean);
	const wrong = allowedOrigins.find((host) => !HOST.test(host));
	if (wrong !== undefined) {
		throw invalidSetting(
			`"${wrong}" in mcp_allowed_origins is no host; write e.g. inspector.example.org.`,
		);
	}
	return { payPerCall: payPerCall === "on", allowedOrigins };
}
