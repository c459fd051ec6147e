/** The same call as an agent makes it in several ways. It runs in the pages, too, and so imports nothing. */

export interface CallSample {
	readonly name: string;
	readonly code: string;
}

export interface SampledCall {
	readonly baseUrl: string;
	/** Null where there is no MCP. */
	readonly mcpUrl: string | null;
	readonly method: string;
	/** With its parameters filled in, and its query. */
	readonly path: string;
	readonly body?: Readonly<Record<string, unknown>> | undefined;
	/** Undefined where nothing has to be shown. */
	readonly credential: "token" | "key" | undefined;
	/** What it costs, such as "0.50"; undefined where it is free. */
	readonly usd?: string | undefined;
	/** As A2A and MCP know it, with its whole input; undefined where they do not. */
	readonly agent?:
		| { readonly name: string; readonly input: Readonly<Record<string, unknown>> }
		| undefined;
}

/** A path with its parameters filled in, and its query behind it. */
export function toAddress(
	template: string,
	{
		params = {},
		query = {},
	}: {
		readonly params?: Readonly<Record<string, string>> | undefined;
		readonly query?: Readonly<Record<string, string>> | undefined;
	},
): string {
	const path = template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name] ?? ""));
	const search = new URLSearchParams(query).toString();
	return search === "" ? path : `${path}?${search}`;
}

export function samplesOf(call: SampledCall): readonly CallSample[] {
	const { mcpUrl, agent } = call;
	return [
		{ name: "curl", code: toCurl(call) },
		{ name: "TypeScript", code: toTypeScript(call) },
		{ name: "Python", code: toPython(call) },
		...(agent && mcpUrl ? [{ name: "MCP", code: toMcp(mcpUrl, agent) }] : []),
		...(agent ? [{ name: "A2A", code: toA2a(call.baseUrl, agent) }] : []),
	];
}

const HEADERS = {
	token: ["X-Pay-SPT", "TOLLGRAPH_SPT"],
	key: ["X-API-Key", "TOLLGRAPH_KEY"],
} as const;

function toCurl({ baseUrl, method, path, body, credential }: SampledCall): string {
	const shown = credential && HEADERS[credential];
	return [
		`curl -s ${method === "GET" || (method === "POST" && body) ? "" : `-X ${method} `}${inShell(baseUrl + path)}`,
		...(shown ? [`-H "${shown[0]}: $${shown[1]}"`] : []),
		...(body ? ["-H 'Content-Type: application/json'", `-d ${inShell(JSON.stringify(body))}`] : []),
	].join(" \\\n  ");
}

/** One argument of a shell, whatever is in it. */
function inShell(text: string): string {
	return /^[\w:/.@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function toTypeScript({ baseUrl, method, path, body, credential, usd }: SampledCall): string {
	const shown = credential && HEADERS[credential];
	const headers = [
		...(body ? ['    "Content-Type": "application/json",'] : []),
		...(shown ? [`    "${shown[0]}": process.env.${shown[1]},`] : []),
		...(usd
			? ['    "Idempotency-Key": crypto.randomUUID(), // sent again it costs nothing more']
			: []),
	];
	return [
		`const reply = await fetch(${JSON.stringify(baseUrl + path)}, {`,
		`  method: "${method}",`,
		...(headers.length > 0 ? ["  headers: {", ...headers, "  },"] : []),
		...(body ? [`  body: JSON.stringify(${JSON.stringify(body)}),`] : []),
		"});",
		`console.log(await reply.json()${usd ? ', reply.headers.get("X-Cost-USD")' : ""});${usd ? ` // ${usd}` : ""}`,
	].join("\n");
}

function toPython({ baseUrl, method, path, body, credential, usd }: SampledCall): string {
	const shown = credential && HEADERS[credential];
	return [
		shown ? "import os, httpx" : "import httpx",
		"",
		"reply = httpx.request(",
		`    "${method}", ${JSON.stringify(baseUrl + path)},`,
		...(shown ? [`    headers={"${shown[0]}": os.environ["${shown[1]}"]},`] : []),
		...(body ? [`    json=${inPython(body)},`] : []),
		")",
		`print(reply.json()${usd ? ', reply.headers["X-Cost-USD"]' : ""})${usd ? `  # ${usd}` : ""}`,
	].join("\n");
}

function inPython(value: unknown): string {
	if (value === null || value === undefined) return "None";
	if (typeof value === "boolean") return value ? "True" : "False";
	if (Array.isArray(value)) return `[${value.map(inPython).join(", ")}]`;
	if (typeof value !== "object") return JSON.stringify(value);
	const entries = Object.entries(value).map(
		([key, one]) => `${JSON.stringify(key)}: ${inPython(one)}`,
	);
	return `{${entries.join(", ")}}`;
}

function toMcp(url: string, { name, input }: NonNullable<SampledCall["agent"]>): string {
	const server = { url, headers: { "X-API-Key": "sk_…" } };
	return `${JSON.stringify({ mcpServers: { tollgraph: server } }, undefined, 2)}

then call the tool ${name} with

${JSON.stringify(input, undefined, 2)}`;
}

function toA2a(baseUrl: string, { name, input }: NonNullable<SampledCall["agent"]>): string {
	const message = {
		role: "ROLE_USER",
		messageId: "m1",
		parts: [{ data: { skill: name, input } }],
	};
	const request = { jsonrpc: "2.0", id: 1, method: "SendMessage", params: { message } };
	return `POST ${baseUrl}/a2a/jsonrpc
X-Pay-SPT: spt_…
A2A-Version: 1.0

${JSON.stringify(request, undefined, 2)}`;
}
