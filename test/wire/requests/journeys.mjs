/** Operations that need what an earlier one answered: each journey makes something, reads it in every form, and ends it. */
const GRAPH = "agent-payments";
const QUESTION = "Which HTTP status code asks for payment?";
const JOB = "/v1/research/deep-dive";

export async function walkJourneys(context) {
	const { account, spare, spt } = context;
	const owner = createOwner(context, { "X-API-Key": account.key });
	const holder = createOwner(context, { "X-Pay-SPT": spt });
	await keepDossier(owner);
	await consult(owner);
	await verify(owner);
	await chat(owner);
	await watchResearch(owner);
	await diveDeep(owner);
	await subscribe(owner);
	await hook(owner);
	await giveFeedback(owner);
	await quote(owner);
	await repeatCall(holder);
	await delegate(holder);
	await buyAndReadReceipt(holder);
	await manageAccount(createOwner(context, { "X-API-Key": spare.account.key }));
}

/** Sends as one owner; `made` is what a reply holds under `data`, or the reply itself. */
function createOwner({ send }, headers) {
	return async (name, method, path, { body, headers: more, unordered } = {}) => {
		const all = { ...headers, ...more };
		const request = { method, path, headers: all, unordered, ...(body && { body }) };
		const reply = await send(`journey ${name}`, request);
		return { ...reply, made: reply.body?.data ?? reply.body ?? {} };
	};
}

async function keepDossier(ask) {
	const body = { topic: "Gasless transfers with signed authorizations" };
	const { made } = await ask("dossier made", "POST", "/v1/intelligence/dossier", { body });
	const at = `/v1/intelligence/dossiers/${made.dossier_id}`;
	await ask("dossiers", "GET", "/v1/intelligence/dossiers");
	await ask("dossier", "GET", at);
	for (const format of ["md", "json", "html", "pdf", "csv"])
		await ask(`dossier as ${format}`, "GET", `${at}/export?format=${format}`);
	await ask("dossier refreshed", "POST", `${at}/refresh`);
	await ask("dossier deleted", "DELETE", at);
	await ask("dossier gone", "GET", at);
}

async function consult(ask) {
	const body = {
		agent_id: "transport-security-desk",
		question: "How should a server roll out HSTS?",
	};
	const { made } = await ask("consultation", "POST", "/v1/human-agents/consult", { body });
	const all = "/v1/human-agents/consultations";
	await ask("consultations", "GET", all);
	await ask("consultation read", "GET", `${all}/${made.consultation_id}`);
	await ask("follow-up", "POST", `${all}/${made.consultation_id}/follow-up`, {
		body: { question: "And when should it be renewed?" },
	});
	await ask("consultation with its follow-up", "GET", `${all}/${made.consultation_id}`);
}

async function verify(ask) {
	const claim = "The static table of HPACK contains 61 entries.";
	const { made } = await ask("claim", "POST", "/v1/verify/claim", { body: { claim } });
	await ask("claim read", "GET", `/v1/verify/${made.verification_id}`);
	await ask("claim review", "GET", `/v1/verify/${made.verification_id}/claim-review`);
	const claims = [claim, "HTTP/3 runs over TCP.", "Pectra was activated on mainnet in May 2025."];
	const batch = await ask("claims", "POST", "/v1/verify/claims", { body: { claims } });
	await ask("claims read", "GET", `/v1/verify/claims/${batch.made.batch_id}`);
}

async function chat(ask) {
	const sessionId = "wire-session";
	const say = (message) => ({ body: { sessionId, message } });
	await ask("chat turn", "POST", "/v1/research/chat", say(QUESTION));
	await ask("chat turn after it", "POST", "/v1/research/chat", say("Who defined it?"));
	await ask("chat turn as a stream", "POST", "/v1/research/chat/stream", say("What is x402?"));
	const at = `/v1/research/chat/sessions/${sessionId}`;
	await ask("chat sessions", "GET", "/v1/research/chat/sessions");
	await ask("chat session", "GET", at);
	await ask("chat messages", "GET", `${at}/messages`);
	await ask("chat session renamed", "PATCH", at, { body: { title: "Payment over HTTP" } });
	await ask("chat session deleted", "DELETE", at);
	await ask("chat session gone", "GET", at);
}

async function watchResearch(ask) {
	const at = `/v1/research/stream?query=${encodeURIComponent(QUESTION)}`;
	await ask("research stream", "GET", at);
	await ask("research stream that never was", "GET", `${at}&stream_id=str_x&after=1`);
}

async function diveDeep(ask) {
	const body = { query: "How do agents pay for what they call?", mode: "fast" };
	const { made } = await ask("deep dive", "POST", JOB, { body });
	const at = `${JOB}/${made.job_id}`;
	await ask("deep dive events", "GET", `${at}/events`);
	await ask("deep dive status", "GET", `${JOB}/status/${made.job_id}`);
	await ask("deep dive sources", "GET", `${at}/sources`);
	for (const format of ["md", "json", "html", "csv"])
		await ask(`deep dive as ${format}`, "GET", `${at}/export?format=${format}`);
	const next = { body: { query: "What about its risks?", mode: "fast" } };
	const followUp = await ask("deep dive follow-up", "POST", `${at}/follow-up`, next);
	await ask("deep dive follow-up events", "GET", `${JOB}/${followUp.made.job_id}/events`);
	await ask("deep dive follow-up status", "GET", `${JOB}/status/${followUp.made.job_id}`);
	await ask("deep dive cancelled too late", "POST", `${at}/cancel`);
	await ask("deep dives", "GET", JOB);
	await ask("deep dive deleted", "DELETE", at);
	await ask("deep dive gone", "GET", `${JOB}/status/${made.job_id}`);
}

async function subscribe(ask) {
	const all = "/v1/research/schedules";
	const body = {
		topic: "Payments by agents over HTTP",
		frequency: "weekly",
		timezone: "Europe/Berlin",
		hour: 8,
		weekday: "monday",
	};
	const { made } = await ask("schedule", "POST", all, { body });
	const at = `${all}/${made.schedule_id}`;
	await ask("schedules", "GET", all);
	await ask("schedule read", "GET", at);
	await ask("schedule changed", "PATCH", at, { body: { hour: 9 } });
	await ask("schedule tried", "POST", `${at}/test`);
	const run = await ask("schedule run", "POST", `${at}/run`);
	await ask("schedule runs", "GET", `${at}/runs`);
	await ask("schedule run read", "GET", `${at}/runs/${run.made.run_id}`);
	await ask("schedule cancelled", "DELETE", at);
	await ask("schedule read once cancelled", "GET", at);
}

async function hook(ask) {
	const body = { url: "https://hooks.example.invalid/research", description: "Research" };
	const { made } = await ask("webhook", "POST", "/v1/webhooks", { body });
	const at = `/v1/webhooks/${made.webhook_id ?? made.id}`;
	await ask("webhooks", "GET", "/v1/webhooks");
	await ask("webhook paused", "PATCH", at, { body: { status: "paused" } });
	await ask("webhook with a new secret", "POST", `${at}/rotate-secret`, {
		body: { overlap_seconds: 3600 },
	});
	await ask("webhook deliveries", "GET", `${at}/deliveries`);
	await ask("webhook deleted", "DELETE", at);
	for (const url of [
		"http://hooks.example.com/",
		"https://127.0.0.1/",
		"https://user:pw@a.example/",
	])
		await ask(`webhook at ${url}`, "POST", "/v1/webhooks", { body: { url } });
}

async function giveFeedback(ask) {
	const query = { query: QUESTION, limit: 1 };
	const { headers } = await ask("search to judge", "POST", `/v1/graphs/${GRAPH}/search`, {
		body: query,
	});
	const body = {
		request_id: headers["x-request-id"],
		useful: true,
		note: "It cites the proposal.",
	};
	const { made } = await ask("feedback", "POST", "/v1/feedback", { body });
	await ask("feedback list", "GET", "/v1/feedback");
	await ask("feedback deleted", "DELETE", `/v1/feedback/${made.feedback_id ?? made.id}`);
}

async function quote(ask) {
	const input = { query: QUESTION, limit: 3 };
	const { made } = await ask("quote", "POST", "/v1/quotes", {
		body: { operation: "search.domain", input },
	});
	await ask("quote read", "GET", `/v1/quotes/${made.quote_id}`);
	const headers = { "X-Quote-Id": made.quote_id };
	await ask("quoted call", "POST", "/v1/search/domain", { body: input, headers });
}

async function repeatCall(ask) {
	const call = { body: { query: QUESTION, limit: 1 }, headers: { "Idempotency-Key": "wire-1" } };
	await ask("call with a key", "POST", "/v1/search", call);
	await ask("the same call again", "POST", "/v1/search", call);
	const other = { ...call, body: { query: "What is a facilitator?" } };
	await ask("another call with that key", "POST", "/v1/search", other);
	const nothing = { body: { query: "zzzzqx vvwwkj" } };
	await ask("call that nothing answers", "POST", "/v1/search", nothing);
}

async function delegate(ask) {
	const body = {
		amount_usd: "2.00",
		label: "summarizer",
		skills: ["graph_search"],
		graphs: [GRAPH],
	};
	await ask("balance", "GET", "/v1/spt/balance");
	const { made } = await ask("delegation", "POST", "/v1/spt/delegations", { body });
	const headers = { "X-Pay-SPT": made.token };
	const query = { body: { query: QUESTION, limit: 1 }, headers };
	await ask("call by delegation", "POST", `/v1/graphs/${GRAPH}/search`, query);
	await ask("call the delegation does not cover", "POST", "/v1/search/domain", query);
	await ask("balance of the delegation", "GET", "/v1/spt/balance", { headers });
	await ask("delegations", "GET", "/v1/spt/delegations");
	await ask("token valid", "GET", "/v1/spt/validate");
	await ask("ledger", "GET", "/v1/spt/ledger?limit=100", { unordered: true });
	await ask("delegation revoked", "DELETE", `/v1/spt/delegations/${made.token_id ?? made.id}`);
	await ask("balance at the end", "GET", "/v1/spt/balance");
	await ask("revoked delegation", "GET", "/v1/spt/balance", { headers });
}

async function buyAndReadReceipt(ask) {
	const body = { query: QUESTION, limit: 1 };
	const { headers } = await ask("search with a receipt", "POST", "/v1/search", { body });
	const at = `/v1/receipts/${headers["x-receipt-id"]}`;
	const { made } = await ask("receipt", "GET", at);
	await ask("receipt verified", "POST", "/v1/receipts/verify", { body: { jws: made.jws ?? "" } });
}

async function manageAccount(ask) {
	const all = "/v1/account/keys";
	await ask("account", "GET", "/v1/account");
	await ask("account renamed", "PATCH", "/v1/account", { body: { label: "research crew" } });
	await ask("budget", "PUT", "/v1/account/budget", {
		body: { limit_usd: "50.00", alert_percent: [50, 80, 100] },
	});
	const { made: key } = await ask("key", "POST", all, {
		body: {
			label: "crew",
			skills: ["graph_search"],
			max_per_month_usd: "1.00",
			expires_in_days: 30,
		},
	});
	const at = `${all}/${key.key_id ?? key.id}`;
	const byKey = { headers: { "X-API-Key": key.key } };
	const query = { ...byKey, body: { query: QUESTION, limit: 1 } };
	for (const count of ["first", "second", "third"])
		await ask(`${count} call by the key`, "POST", `/v1/graphs/${GRAPH}/search`, query);
	await ask("call out of the key's scope", "POST", "/v1/search", query);
	await ask("account by a key without that right", "GET", "/v1/account", byKey);
	await ask("key changed", "PATCH", at, { body: { max_per_month_usd: "20.00", graphs: null } });
	await ask("key rotated", "POST", `${at}/rotate`, { body: { overlap_seconds: 3600 } });
	await ask("keys", "GET", all);
	const tokens = "/v1/account/connection-tokens";
	const { made: token } = await ask("connection token", "POST", tokens, {
		body: { label: "desk" },
	});
	await ask("connection tokens", "GET", tokens);
	await ask("connection token revoked", "DELETE", `${tokens}/${token.token_id ?? token.id}`);
	await ask("key revoked", "DELETE", at);
	for (const name of ["quota", "usage", "calls", "export"])
		await ask(`account ${name}`, "GET", `/v1/account/${name}`);
	await ask("account usage by operation", "GET", "/v1/account/usage?by=operation");
	await ask("account not erased", "DELETE", "/v1/account?confirm=1.00");
}
