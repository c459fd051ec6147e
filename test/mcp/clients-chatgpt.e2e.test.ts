import { auth as authV2 } from "@modelcontextprotocol/client";
import { auth as authV1, type OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import t from "tap";
import { formatUsd } from "../../src/kernel/money.js";
import { submitBudget, submitKey } from "../oauth/access-pages.js";
import { createBrowser } from "../oauth/cookie-browser.js";
import { openOAuthShop } from "../oauth/oauth-shop.js";
import { KNOWN_QUERY } from "../support/start-app.js";
import { handJudge } from "../support/word-judge.js";
import { type ClientName, connectMcp, type ListedByClient } from "./mcp-clients.js";
import { argumentsOf, FREE_CALLS, flawsOf, OF_MODELS, priceOf } from "./tool-calls.js";

const REDIRECT = "http://127.0.0.1:3333/callback";
const MAKERS = { "sdk 1": authV1, "sdk 2, 2026": authV2 } as const;

const shop = await openOAuthShop(t, { judge: handJudge() });
const { service, operator, store } = shop.app;
const url = `${shop.baseUrl}/chatgpt`;
const balance = () => store.read((reader) => reader.balance(`cust:${shop.accountId}`));

t.before(async () => {
	await operator.creditAccount({ account_id: shop.accountId, usd: "280.00" });
	const node = "/v1/graphs/agent-payments/nodes/http.http-402";
	for (let call = 0; call < FREE_CALLS; call += 1) await shop.ask("GET", node);
});

for (const [name, auth] of Object.entries(MAKERS)) {
	t.test(`${name} finds its way from a 401 to a token, and calls every tool`, async (t) => {
		const provider = createProvider();
		const place = { url, authProvider: provider };
		await t.rejects(connectMcp(t, name as ClientName, place), /Unauthorized/);
		const back = await agree(provider.asked());
		t.equal(await auth(provider as never, { serverUrl: url, ...back }), "AUTHORIZED");

		const client = await connectMcp(t, name as ClientName, place);
		const { tools } = await client.listTools();
		t.same(
			tools.slice(0, 2).map((tool) => tool.name),
			["search", "fetch"],
		);
		const answers = new Map<string, object>();
		const call = async (tool: ListedByClient, args: object) => {
			const before = await balance();
			const answer = await client.callTool({ name: tool.name, arguments: args });
			const charged = formatUsd(before - (await balance()));
			t.same([flawsOf(tool, answer), charged], [[], priceOf(tool, args)], tool.name);
			t.equal(answer.content.length, 1);
			// A long answer is told in short, and what was left out is said behind that.
			const told = (answer.content[0]?.text ?? "").split("\n\n").at(-1) ?? "";
			answers.set(tool.name, JSON.parse(told));
			return answer.structuredContent;
		};
		const { search, fetch, others, status } = sorted(tools);

		const { results } = await call(search, { query: KNOWN_QUERY });
		t.same(Object.keys(results[0]), ["id", "title", "url"]);
		t.same(answers.get("search"), { results }, "the text says the same");
		const document = await call(fetch, { id: results[0].id });
		t.same(Object.keys(document), ["id", "title", "text", "url", "metadata"]);
		t.same(answers.get("fetch"), document);
		t.match(document.text, /402/);
		for (const tool of others) await call(tool, argumentsOf(service, tool));

		const { data } = (await shop.ask("POST", "/v1/research/deep-dive", { query: KNOWN_QUERY }))
			.body;
		const other = await client.callTool({ name: status.name, arguments: { job_id: data.job_id } });
		t.match(other, { isError: true }, "what another key began is not told");
		t.match(other.content[0]?.text, "NOT_FOUND");
		await shop.ask("POST", `/v1/research/deep-dive/${data.job_id}/cancel`);
	});
}

t.test("nothing but an access token opens this address", async (t) => {
	for (const headers of [{ "X-API-Key": shop.key }, { Authorization: `Bearer ${shop.key}` }]) {
		await t.rejects(connectMcp(t, "sdk 1", { url, headers }), /access tokens of OAuth 2\.1 only/);
	}
});

function sorted(tools: readonly ListedByClient[]) {
	const get = (name: string) => {
		const found = tools.find((tool) => tool.name === name);
		if (!found) throw new Error(`${name} is not listed.`);
		return found;
	};
	const special = ["search", "fetch", "get_deep_dive", ...OF_MODELS];
	const others = tools.filter((tool) => !special.includes(tool.name));
	return { search: get("search"), fetch: get("fetch"), status: get("get_deep_dive"), others };
}

/** What the owner does in a browser; what they come back with. */
async function agree(asked: URL): Promise<{ authorizationCode: string; iss: string }> {
	const browser = createBrowser(shop.baseUrl);
	const login = await browser.get(`${asked.pathname}${asked.search}`);
	const consent = await submitKey(browser, login, shop.key);
	const { left, text } = await submitBudget(browser, consent, "140.00");
	if (!left) throw new Error(text);
	const get = (name: string) => left.searchParams.get(name) ?? "";
	return { authorizationCode: get("code"), iss: get("iss") };
}

/** A client's memory, as its SDK wants it. */
function createProvider(): OAuthClientProvider & { asked(): URL } {
	const kept: { client?: object; tokens?: object; verifier?: string; asked?: URL; found?: object } =
		{};
	return {
		redirectUrl: REDIRECT,
		clientMetadata: { client_name: "Stock client", redirect_uris: [REDIRECT] },
		clientInformation: () => kept.client as never,
		saveClientInformation: (client) => {
			kept.client = client;
		},
		tokens: () => kept.tokens as never,
		saveTokens: (tokens) => {
			kept.tokens = tokens;
		},
		redirectToAuthorization: (asked) => {
			kept.asked = asked;
		},
		saveCodeVerifier: (verifier) => {
			kept.verifier = verifier;
		},
		codeVerifier: () => kept.verifier ?? "",
		saveDiscoveryState: (found) => {
			kept.found = found;
		},
		discoveryState: () => kept.found as never,
		asked: () => kept.asked ?? new URL(url),
	};
}
