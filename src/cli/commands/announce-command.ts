import type { Command } from "commander";
import { createConfiguredEgress, isLoopback } from "../../delivery/delivery.js";
import type { Egress } from "../../kernel/kernel.js";
import type { CommandContext, Flags } from "../operator-command.js";
import { printResult } from "../output.js";
import { parseOrigin } from "./probe-command.js";

const TIMEOUT_MS = 10_000;
const DESCRIPTION_CHARS_MAX = 100;

// biome-ignore lint/suspicious/noExplicitAny: another server's document may hold anything; each check reads it with care.
type Document = any;

interface Asked {
	readonly origin: string;
	/** Undefined for whatever is no JSON object answered with 200. */
	readonly read: (path: string, headers?: Record<string, string>) => Promise<Document>;
	readonly request: (method: "GET" | "POST", url: string) => Promise<Response>;
}

interface Registry {
	readonly name: string;
	/** What the operator does, once nothing is missing. */
	readonly how: string;
	readonly missing: (asked: Asked) => Promise<readonly string[]>;
}

const REGISTRIES: readonly Registry[] = [
	{
		name: "x402 Bazaar",
		how: "Nothing is sent: a facilitator with a catalog lists a resource when it has settled a payment for it.",
		missing: missingOfResources,
	},
	{
		name: "x402scan",
		how: "Register the origin at https://www.x402scan.com/resources/register; it asks each resource for its 402.",
		missing: missingOfResources,
	},
	{
		name: "MCP registry",
		how: "Save /server.json as server.json, log in with mcp-publisher for the domain (dns or http), and run mcp-publisher publish.",
		missing: missingOfServer,
	},
	{
		name: "A2A catalogs",
		how: "Send them the address of /.well-known/agent-card.json.",
		missing: missingOfAgent,
	},
];

export function addAnnounce(program: Command, { terminal }: CommandContext): void {
	program
		.command("announce <url>")
		.description(
			"Check what registries of agents and paid resources ask of a server, and say how to be listed.",
		)
		.option("--json", "print one JSON line")
		.action(async (url: string, flags: Flags) => {
			const origin = parseOrigin(url);
			const report = await checkRegistries(createConfiguredEgress({ urls: [origin] }), origin);
			const lines = report.flatMap(({ name, how, missing }) => [
				`${name}: ${missing.length === 0 ? how : "not ready"}`,
				...missing.map((problem) => `  ${problem}`),
			]);
			printResult(terminal, { registries: report }, { json: flags["json"] === true, lines });
			if (report.some(({ missing }) => missing.length > 0)) process.exitCode = 3;
		});
}

async function checkRegistries(egress: Egress, origin: string) {
	const asked: Asked = {
		origin,
		request: (method, url) => egress.request({ method, url, timeoutMs: TIMEOUT_MS }),
		async read(path, headers = {}) {
			const url = `${origin}${path}`;
			const reply = await egress.request({ method: "GET", url, headers, timeoutMs: TIMEOUT_MS });
			const text = await reply.text();
			return reply.status === 200 ? parseObject(text) : undefined;
		},
	};
	const isPublic = new URL(origin).protocol === "https:" && !isLoopback(new URL(origin).hostname);
	const local = isPublic ? [] : ["Registries reach https addresses on the internet alone."];
	const report = [];
	for (const { name, how, missing } of REGISTRIES) {
		report.push({ name, how, missing: [...local, ...(await missing(asked))] });
	}
	return report;
}

/** Every listed resource must answer a request with nothing but its address with a 402 that describes it. */
async function missingOfResources({ origin, read, request }: Asked): Promise<readonly string[]> {
	const listing = await read("/.well-known/x402");
	const items: readonly Document[] = Array.isArray(listing?.items) ? listing.items : [];
	const paid = items.filter((item) => String(item?.url).startsWith(`${origin}/`));
	if (paid.length === 0) return ["/.well-known/x402 lists nothing at this address that x402 pays."];
	const missing: string[] = [];
	for (const { url, method } of paid) {
		const { pathname } = new URL(url);
		const reply = await request(method === "GET" ? "GET" : "POST", `${origin}${pathname}`);
		await reply.arrayBuffer();
		const header = reply.headers.get("PAYMENT-REQUIRED") ?? "";
		const required = parseObject(Buffer.from(header, "base64").toString());
		if (reply.status !== 402) missing.push(`${pathname} answers ${reply.status}, not 402.`);
		else if (!required) missing.push(`${pathname} has no PAYMENT-REQUIRED that can be read.`);
		else if (!required.extensions?.bazaar?.info)
			missing.push(`${pathname} has no extensions.bazaar.`);
	}
	return missing;
}

async function missingOfServer({ read }: Asked): Promise<readonly string[]> {
	const server = await read("/server.json");
	if (!server) return ["/server.json is not served."];
	const { name, description, version, remotes } = server;
	const isShort = typeof description === "string" && description.length <= DESCRIPTION_CHARS_MAX;
	return [
		...(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/.test(String(name))
			? []
			: ["Its name is not namespace/name."]),
		...(isShort
			? []
			: [`Its description is not a text of ${DESCRIPTION_CHARS_MAX} characters or less.`]),
		...(typeof version === "string" ? [] : ["It has no version."]),
		...(Array.isArray(remotes) && remotes[0]?.url ? [] : ["It has no remote."]),
	];
}

async function missingOfAgent({ read }: Asked): Promise<readonly string[]> {
	const card = await read("/.well-known/agent-card.json", { "A2A-Version": "1.0" });
	if (!card) return ["/.well-known/agent-card.json is not served."];
	return Array.isArray(card.skills) && card.skills.length > 0
		? []
		: ["The agent card names no skill."];
}

function parseObject(text: string): Document {
	try {
		const value: unknown = JSON.parse(text);
		return typeof value === "object" && value !== null ? value : undefined;
	} catch {
		return undefined;
	}
}
