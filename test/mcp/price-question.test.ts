import t from "tap";
import { KNOWN_QUERY } from "../support/start-app.js";
import { ASKS, rpc2026 } from "./requests-2026.js";
import { startMcp } from "./start-mcp.js";
import { SEARCH, startPaidMcp } from "./start-paid-mcp.js";
import { FREE_CALLS } from "./tool-calls.js";

const CALL = {
	name: "search_graph",
	arguments: { graph_id: "agent-payments", query: KNOWN_QUERY },
};
const MOST = "tollgraph/max-price-usd";
const PRICE = 500_000n;

const shop = await startMcp(t);
const JSON_BODY = { "Content-Type": "application/json" };
const headers = { "X-API-Key": shop.key, ...JSON_BODY };
const spentSince = async (before: bigint) => before - (await shop.balance());
const change = (id: string, body: object) =>
	shop.send(`/v1/account/keys/${id}`, { method: "PATCH", headers, body: JSON.stringify(body) });

/** The account pays: its free calls are used up. */
t.before(async () => {
	const node = "/v1/graphs/agent-payments/nodes/http.http-402";
	for (let call = 0; call < FREE_CALLS; call += 1) await shop.send(node, { headers });
});

t.test("a price above what the call allows is asked about, and charged once agreed", async (t) => {
	const ask = rpc2026(shop.baseUrl, { headers, capabilities: ASKS });
	const before = await shop.balance();
	const spent = () => spentSince(before);

	const within = await ask("tools/call", { ...CALL, _meta: { [MOST]: "0.50" } });
	t.match(within.result, { resultType: "complete", structuredContent: { ok: true } });
	t.equal(await spent(), PRICE, "no question where the price is within it");

	const limited = { ...CALL, _meta: { [MOST]: "0.10" } };
	const asked = (await ask("tools/call", limited)).result;
	t.match(asked, {
		resultType: "input_required",
		requestState: /^qte_/,
		inputRequests: {
			price: {
				method: "elicitation/create",
				params: { message: /0\.50 USD.*search_graph.*0\.10/ },
			},
		},
	});
	t.equal(await spent(), PRICE, "nothing is held while the user thinks");
	const { requestState } = asked;
	const answer = (action: string, more: object = {}) =>
		ask("tools/call", { ...limited, ...more, requestState, inputResponses: { price: { action } } });

	for (const action of ["decline", "cancel"]) {
		const refused = (await answer(action)).result;
		t.match(refused, { resultType: "complete", isError: true });
		t.match(JSON.parse(refused.content[0].text), {
			error: {
				code: "SPENDING_LIMIT",
				message: /did not agree.*0\.50.*Nothing was run or charged/,
			},
		});
		t.equal(await spent(), PRICE, `${action}: nothing is charged`);
	}

	const other = await answer("accept", { arguments: { ...CALL.arguments, query: "x402" } });
	t.equal(other.result.resultType, "input_required", "agreement to one call buys no other");
	t.equal(await spent(), PRICE);

	const forged = ask("tools/call", {
		...limited,
		requestState: "qte_forged",
		inputResponses: { price: { action: "accept" } },
	});
	t.match((await forged).message.error, { code: -32602, message: /request state/ });
	t.equal(await spent(), PRICE);

	const agreed = (await answer("accept")).result;
	t.match(agreed, { resultType: "complete", structuredContent: { ok: true } });
	t.equal(await spent(), 2n * PRICE, "charged once");
});

t.test("an answer that comes too late is asked for again, and nothing is charged", async (t) => {
	const ask = rpc2026(shop.baseUrl, { headers, capabilities: ASKS });
	const before = await shop.balance();
	const limited = { ...CALL, _meta: { [MOST]: "0.10" } };
	const { requestState } = (await ask("tools/call", limited)).result;
	shop.clock.advance(3_600_000);
	const late = await ask("tools/call", {
		...limited,
		requestState,
		inputResponses: { price: { action: "accept" } },
	});
	t.equal(late.result.resultType, "input_required");
	t.not(late.result.requestState, requestState);
	t.equal(await shop.balance(), before);
});

t.test("a key's owner is asked above the price they set, on every transport", async (t) => {
	const created = await shop.send("/v1/account/keys", {
		method: "POST",
		headers,
		body: JSON.stringify({ label: "crew", ask_above_usd: "0.25" }),
	});
	const { key, id, ask_above_usd } = created.body.data;
	t.equal(ask_above_usd, "0.25");
	const ofKey = { "X-API-Key": key, ...JSON_BODY };
	const before = await shop.balance();
	const ask = rpc2026(shop.baseUrl, { headers: ofKey, capabilities: ASKS });

	const asked = (await ask("tools/call", CALL)).result;
	t.equal(asked.resultType, "input_required");
	t.match(asked.inputRequests.price.params.message, /owner of this key.*0\.25 USD/);

	// Who cannot be asked is refused: clients of 2025, those without a user, and callers over HTTP.
	const silent = rpc2026(shop.baseUrl, {
		headers: ofKey,
		capabilities: { elicitation: { url: {} } },
	});
	const refusals = [
		(await silent("tools/call", CALL)).result,
		(await shop.rpc("/mcp", "tools/call", CALL, ofKey)).result,
	].map(({ content }) => JSON.parse(content[0].text));
	const rest = await shop.send("/v1/graphs/agent-payments/search", {
		method: "POST",
		headers: ofKey,
		body: JSON.stringify({ query: KNOWN_QUERY }),
	});
	t.equal(rest.status, 402);
	for (const refusal of [...refusals, rest.body]) {
		t.match(refusal, {
			error: { code: "SPENDING_LIMIT", message: /Nothing was run or charged/ },
			continuations: [{ type: "confirm_price", amount_usd: "0.50" }],
		});
	}
	t.equal(await shop.balance(), before);

	const agreed = await ask("tools/call", {
		...CALL,
		requestState: asked.requestState,
		inputResponses: { price: { action: "accept" } },
	});
	t.match(agreed.result, { structuredContent: { ok: true } });
	t.equal(await spentSince(before), PRICE);

	t.match((await change(id, { ask_above_usd: null })).body.data, { ask_above_usd: null });
	t.match((await ask("tools/call", CALL)).result, { structuredContent: { ok: true } });
});

t.test("a deep dive becomes a task once its price is agreed to", async (t) => {
	const capabilities = { ...ASKS, extensions: { "io.modelcontextprotocol/tasks": {} } };
	const ask = rpc2026(shop.baseUrl, { headers, capabilities });
	const dive = {
		name: "start_deep_dive",
		arguments: { query: KNOWN_QUERY },
		_meta: { [MOST]: "1.00" },
	};
	const asked = (await ask("tools/call", dive)).result;
	t.equal(asked.resultType, "input_required");
	const { requestState } = asked;
	const inputResponses = { price: { action: "accept" } };
	const created = await ask("tools/call", { ...dive, requestState, inputResponses });
	t.match(created.result, { resultType: "task", taskId: /^job_/ });
	t.notOk("requestState" in created.result);
});

t.test("a payment above what the call allows is not sent on", async (t) => {
	const shop = await startPaidMcp(t);
	const { required } = await shop.call({});
	const meta = { "x402/payment": shop.pay(required), [MOST]: "0.10" };
	const { refusal } = await shop.call({ args: SEARCH, meta });
	t.match(refusal, { error: { code: "SPENDING_LIMIT" } });
	t.equal(await shop.funds(), 50_000_000n);
	const wrong = await shop.call({ meta: { [MOST]: 1 } });
	t.match(wrong.refusal, { error: { code: "INVALID_ARGUMENT", message: /max-price-usd/ } });
});
