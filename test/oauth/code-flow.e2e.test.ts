import t from "tap";
import { KNOWN_QUERY } from "../support/start-app.js";
import { connect, createPkce, obtainCode, type Tokens } from "./oauth-client.js";
import { type OAuthShop, openOAuthShop, REDIRECT, spendFreeCalls } from "./oauth-shop.js";

const REFUSED = { code: "UNAUTHENTICATED" };

const shop = await openOAuthShop(t);

t.test("a client gets from nothing to a token for a key with a budget", async (t) => {
	const clientId = await shop.register();
	const { verifier, challenge } = createPkce();

	const { code, consent, left } = await obtainCode(shop, { clientId, challenge, budget: "1.00" });
	t.match(consent.text, /<dd>client\.example<\/dd>/, "where it leads is shown");
	t.match(consent.text, /0\.0001 to 30\.00 USD/, "and what it will cost");
	t.match(consent.text, /<dd>20\.00 USD<\/dd>/, "and what there is");
	t.match(consent.text, /value="5\.00"/, "a budget is proposed");
	t.equal(left.searchParams.get("state"), "the-state");
	t.equal(left.searchParams.get("iss"), shop.baseUrl);

	const { status, body, headers } = await shop.token({
		grant_type: "authorization_code",
		client_id: clientId,
		code,
		code_verifier: verifier,
		redirect_uri: REDIRECT,
	});
	t.equal(status, 200);
	t.equal(headers.get("cache-control"), "no-store");
	t.match(body, { token_type: "Bearer", expires_in: 900, scope: "call" });
	const claims = JSON.parse(Buffer.from(body.access_token.split(".")[1], "base64url").toString());
	t.match(claims, { iss: shop.baseUrl, aud: `${shop.baseUrl}/mcp`, sub: shop.accountId });

	const { keyId } = await shop.identify(body.access_token);
	const keys = await shop.ask("GET", "/v1/account/keys");
	t.match(keys.body.data.items.at(-1), {
		id: keyId,
		label: "Example Agent (OAuth)",
		manages_account: false,
		max_per_month_usd: "1.00",
	});

	await t.test("which pays until its budget is spent, and no further", async (t) => {
		await spendFreeCalls(shop);
		const buy = () => buySearch(shop, body.access_token);
		t.match(await buy(), { cost: { charged: true } });
		t.match(await buy(), { cost: { charged: true } });
		await t.rejects(buy(), { code: "SPENDING_LIMIT" });
		const after = await shop.ask("GET", "/v1/account/keys");
		t.match(after.body.data.items.at(-1), { spent_this_month_usd: "1.00" });
	});
});

t.test("an old refresh token that comes back ends the grant and its key", async (t) => {
	const { access, refresh, clientId } = await connect(shop);
	const { keyId } = await shop.identify(access);

	const first = await refreshWith(shop, clientId, refresh);
	t.equal(first.status, 200);
	t.not(first.body.refresh_token, refresh);
	t.ok((await shop.identify(first.body.access_token)).keyId === keyId, "the key stays the same");

	const reused = await refreshWith(shop, clientId, refresh);
	t.match(reused, { status: 400, body: { error: "invalid_grant" } });
	await t.rejects(shop.identify(first.body.access_token), REFUSED);
	await t.rejects(shop.identify(access), REFUSED);
	const next = await refreshWith(shop, clientId, first.body.refresh_token);
	t.match(next, { status: 400, body: { error: "invalid_grant" } }, "the new one is dead as well");
	const keys = await shop.ask("GET", "/v1/account/keys");
	t.match(keys.body.data.items.at(-1), { id: keyId, status: "revoked" });
});

t.test("of all refresh tokens of a grant one is kept, and every older one is known", async (t) => {
	const { access, refresh, clientId } = await connect(shop);
	const { keyId = "" } = await shop.identify(access);
	const kept = () =>
		shop.app.store.read(async (reader) =>
			(await reader.findBy("oauth_records", "keyId", keyId)).filter(
				({ kind }) => kind === "refresh_token",
			),
		);
	let current = refresh;
	for (let use = 0; use < 5; use++) {
		current = (await refreshWith(shop, clientId, current)).body.refresh_token;
		t.equal((await kept()).length, 1);
	}
	const [name, secret, proof] = refresh.split(".");
	for (const forged of [
		`${name}.${"A".repeat(43)}.${proof}`,
		`${name}.${secret}.${"A".repeat(22)}`,
		"",
	]) {
		t.equal((await refreshWith(shop, clientId, forged)).status, 400);
		t.ok((await shop.identify(access)).keyId, "who makes one up ends nothing");
	}
	t.equal((await refreshWith(shop, clientId, refresh)).status, 400);
	await t.rejects(shop.identify(access), REFUSED, "the first of all ends the grant");
	t.same(await kept(), []);
});

t.test("of several who use one refresh token at once, none keeps anything", async (t) => {
	const { access, refresh, clientId } = await connect(shop);

	const answers = await Promise.all([1, 2, 3, 4].map(() => refreshWith(shop, clientId, refresh)));

	t.ok(answers.filter(({ status }) => status === 200).length <= 1);
	await t.rejects(shop.identify(access), REFUSED);
	for (const { body } of answers.filter(({ status }) => status === 200)) {
		await t.rejects(shop.identify(body.access_token), REFUSED);
		t.equal((await refreshWith(shop, clientId, body.refresh_token)).status, 400);
	}
});

t.test("revoking the refresh token or the key ends both at once", async (t) => {
	const [byClient, byOwner] = [await connect(shop), await connect(shop)];

	const form = { token: byClient.refresh, client_id: byClient.clientId };
	const answer = await shop.send("/oauth/revoke", {
		method: "POST",
		body: new URLSearchParams(form),
	});
	t.equal(answer.status, 200);
	await t.rejects(shop.identify(byClient.access), REFUSED);
	t.equal((await refreshWith(shop, byClient.clientId, byClient.refresh)).status, 400);

	const { keyId } = await shop.identify(byOwner.access);
	t.equal((await shop.ask("DELETE", `/v1/account/keys/${keyId}`)).status, 200);
	await t.rejects(shop.identify(byOwner.access), REFUSED);
	const refreshed = await refreshWith(shop, byOwner.clientId, byOwner.refresh);
	t.match(refreshed, { status: 400, body: { error: "invalid_grant" } });
});

t.test("the export of an account names who was given access", async (t) => {
	const { access, clientId } = await connect(shop);
	const { keyId } = await shop.identify(access);
	const { body } = await shop.ask("GET", "/v1/account/export");
	const named = body.data.granted_access.find(
		(grant: { key_id: string }) => grant.key_id === keyId,
	);
	t.match(named, { client_id: clientId, resources: [`${shop.baseUrl}/mcp`] });
});

t.test("another client can neither use nor revoke a refresh token", async (t) => {
	const { access, refresh } = await connect(shop);
	const other = await shop.register();

	t.match(await refreshWith(shop, other, refresh), {
		status: 400,
		body: { error: "invalid_grant" },
	});
	const form = new URLSearchParams({ token: refresh, client_id: other });
	await shop.send("/oauth/revoke", { method: "POST", body: form });
	t.ok((await shop.identify(access)).keyId, "it is still good");
});

t.test("nothing is left of an erased account's grants", async (t) => {
	const { access, refresh, clientId } = await connect(shop);
	const { status } = await shop.ask("DELETE", "/v1/account?confirm=19.00");
	t.equal(status, 200);

	await t.rejects(shop.identify(access), REFUSED);
	t.equal((await refreshWith(shop, clientId, refresh)).status, 400);
	const rows = await shop.app.store.read((reader) => reader.list("oauth_records"));
	t.ok(rows.length > 0);
	t.ok(
		rows.every(({ kind }) => kind === "client"),
		"clients have no owner",
	);
});

function refreshWith(shop: OAuthShop, clientId: Tokens["clientId"], refresh: string) {
	return shop.token({ grant_type: "refresh_token", client_id: clientId, refresh_token: refresh });
}

function buySearch(shop: OAuthShop, token: string) {
	return shop.app.service.invoke({
		operationId: "graphs.search",
		rawInput: { graph_id: "agent-payments", query: KNOWN_QUERY, limit: 1 },
		credential: { scheme: "oauth", token, resource: `${shop.baseUrl}/mcp` },
		idempotencyKey: undefined,
		requestId: "req_0000000000",
		transport: "mcp",
		resourceUrl: `${shop.baseUrl}/mcp`,
		signal: new AbortController().signal,
	});
}
