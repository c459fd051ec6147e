import { listOperations, toRequest } from "./examples.mjs";

const SEARCH = "/v1/graphs/agent-payments/search";
const QUERY = { query: "Which HTTP status code asks for payment?", limit: 2 };
/** Two a minute are taken from one address; the example is sent as it stands, elsewhere. */
const RARE = new Set(["accounts_open"]);
const TOO_LONG = 70_000;

/** What is refused, and in which words. */
export async function provokeRefusals(context) {
	await sendBadRequests(context);
	await sendBadCredentials(context);
	await sendBadInputs(context);
}

async function sendBadRequests({ send }) {
	const post = (given) => ({ method: "POST", path: SEARCH, ...given });
	const json = { "Content-Type": "application/json" };
	const requests = {
		"unknown path": { path: "/v1/no-such-thing" },
		"path in capitals": { path: "/V1/health" },
		"slash at the end": { path: "/v1/health/" },
		"unknown graph": { method: "POST", path: "/v1/graphs/no-such-graph/search", body: QUERY },
		"graph with a bad name": { path: "/v1/graphs/%2e%2e%2fetc" },
		"unknown schema": { path: "/v1/schemas/NoSuchSchema" },
		"wrong method": { method: "DELETE", path: SEARCH },
		"wrong method on a free path": { method: "POST", path: "/v1/offerings", body: {} },
		"HEAD of a paid path": { method: "HEAD", path: "/v1/graphs/agent-payments/nodes" },
		"body too long": post({ body: { query: "a".repeat(TOO_LONG) } }),
		"body that is no JSON": post({ text: "{", headers: json }),
		"body of another type": post({ text: "query=x", headers: { "Content-Type": "text/plain" } }),
		"body that is a list": post({ body: [] }),
		"no body": post({ headers: json }),
		"unknown parameter": { path: "/v1/graphs/catalog?no_such=1" },
		"parameter twice": { path: "/v1/graphs/catalog?limit=1&limit=2" },
		"bad cursor": { path: "/v1/graphs/catalog?cursor=garbage" },
		"bad limit": { path: "/v1/graphs/catalog?limit=0" },
		"origin of a page at an MCP address": {
			method: "POST",
			path: "/mcp",
			headers: { Origin: "https://elsewhere.example" },
			body: {},
		},
	};
	for (const [name, request] of Object.entries(requests)) await send(`refusal ${name}`, request);
}

async function sendBadCredentials({ send, spt, account }) {
	const credentials = {
		"unknown token": { "X-Pay-SPT": `spt_test_${"x".repeat(36)}` },
		"unknown key": { "X-API-Key": `sk_live_${"x".repeat(36)}` },
		"token that is none": { "X-Pay-SPT": "hello" },
		"unknown bearer": { Authorization: "Bearer hello" },
		"bearer that is a JWT": { Authorization: "Bearer eyJhbGciOiJFUzI1NiJ9.e30.c2ln" },
		"two credentials": { "X-Pay-SPT": spt, "X-API-Key": account.key },
		"basic credential": { Authorization: "Basic aGVsbG86d29ybGQ=" },
		"broken payment of x402 version 2": { "PAYMENT-SIGNATURE": "e30=" },
		"broken payment of x402 version 1": { "X-PAYMENT": "e30=" },
		"broken payment of MPP": { Authorization: "Payment e30" },
		"bad idempotency key": { "X-Pay-SPT": spt, "Idempotency-Key": " " },
		"unknown quote": { "X-Pay-SPT": spt, "X-Quote-Id": "qte_hello" },
	};
	for (const [name, headers] of Object.entries(credentials)) {
		const request = { method: "POST", path: SEARCH, headers, body: QUERY };
		await send(`refusal ${name}`, request);
	}
	const bearer = { Authorization: `Bearer ${spt}` };
	await send("token as a bearer", { method: "POST", path: SEARCH, headers: bearer, body: QUERY });
	for (const path of ["/v1/account", "/v1/spt/balance", "/v1/webhooks"]) {
		const headers = { "X-API-Key": `sk_live_${"x".repeat(36)}` };
		await send(`refusal unknown key at ${path}`, { path, headers });
		await send(`refusal token at ${path}`, { path, headers: { "X-Pay-SPT": "hello" } });
	}
}

/** Every operation with a body, with one member it does not know and without any. */
async function sendBadInputs({ send, openapi, spt }) {
	const withBody = listOperations(openapi).filter(
		({ id, body }) => body !== undefined && !RARE.has(id),
	);
	const headers = { "X-Pay-SPT": spt };
	for (const operation of withBody) {
		const { id, body } = operation;
		const unknown = toRequest(operation, { headers, body: { ...body, no_such_member: 1 } });
		await send(`refusal ${id} with an unknown member`, unknown);
		const wrong = Object.fromEntries(Object.keys(body).map((key) => [key, { no: "value" }]));
		await send(`refusal ${id} with wrong types`, toRequest(operation, { headers, body: wrong }));
	}
}
