/** The same call as an agent makes it in several ways, with this server's address. */

export interface CallSample {
	readonly name: string;
	readonly code: string;
}

export interface SampledCall {
	readonly baseUrl: string;
	readonly mcpUrl: string | null;
	readonly graphId: string;
	readonly query: string;
	readonly usd: string;
}

export function samplesOf({
	baseUrl,
	mcpUrl,
	graphId,
	query,
	usd,
}: SampledCall): readonly CallSample[] {
	const body = { query, limit: 3 };
	const address = `${baseUrl}/v1/graphs/${graphId}/search`;
	const samples = [
		{
			name: "curl",
			code: `curl -s ${address} \\
  -H "X-Pay-SPT: $TOLLGRAPH_SPT" \\
  -H 'Content-Type: application/json' \\
  -d ${inShell(JSON.stringify(body))}`,
		},
		{
			name: "TypeScript",
			code: `const reply = await fetch(${JSON.stringify(address)}, {
  method: "POST",
  headers: {
    "Content-Type": "application/json",
    "X-Pay-SPT": process.env.TOLLGRAPH_SPT,
    "Idempotency-Key": crypto.randomUUID(), // sent again it costs nothing more
  },
  body: JSON.stringify(${JSON.stringify(body)}),
});
const { rows } = await reply.json();
console.log(rows, reply.headers.get("X-Cost-USD")); // ${usd}`,
		},
		{
			name: "Python",
			code: `import os, httpx

reply = httpx.post(
    ${JSON.stringify(address)},
    headers={"X-Pay-SPT": os.environ["TOLLGRAPH_SPT"]},
    json=${JSON.stringify(body)},
)
print(reply.json()["rows"], reply.headers["X-Cost-USD"])  # ${usd}`,
		},
		{
			name: "A2A",
			code: `POST ${baseUrl}/a2a/jsonrpc
X-Pay-SPT: spt_…
A2A-Version: 1.0

${JSON.stringify(
	{
		jsonrpc: "2.0",
		id: 1,
		method: "SendMessage",
		params: {
			message: {
				role: "ROLE_USER",
				messageId: "m1",
				parts: [{ data: { skill: "graph_search", input: { graph_id: graphId, ...body } } }],
			},
		},
	},
	undefined,
	2,
)}`,
		},
	];
	const mcp = mcpUrl && {
		name: "MCP",
		code: JSON.stringify(
			{ mcpServers: { tollgraph: { url: mcpUrl, headers: { "X-API-Key": "sk_…" } } } },
			undefined,
			2,
		),
	};
	return mcp ? [...samples, mcp] : samples;
}

/** One argument of a shell, whatever is in it. */
const inShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
