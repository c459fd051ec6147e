import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import t from "tap";
import { OAUTH_LIMITS } from "../../src/accounts/oauth-limits.js";
import { ServiceError } from "../../src/kernel/errors.js";
import { acceptAccessTokens } from "../../src/oauth/provider.js";
import { manualClock } from "../support/manual-clock.js";
import { connect } from "./oauth-client.js";
import { openOAuthShop, REDIRECT } from "./oauth-shop.js";

const REFUSED = { code: "UNAUTHENTICATED" };
const HOUR_MS = 3_600_000;

// The provider reads the system's clock, so ours starts where that is.
const clock = manualClock(new Date().toISOString());
const shop = await openOAuthShop(t, { clock, settings: { catalog: "none" } });
const { store } = shop.app;
const revoke = (token: string, clientId?: string, headers: Record<string, string> = {}) =>
	shop.send("/oauth/revoke", {
		method: "POST",
		headers,
		body: new URLSearchParams({ token, ...(clientId !== undefined && { client_id: clientId }) }),
	});
const refresh = (clientId: string, refresh_token: string) =>
	shop.token({ grant_type: "refresh_token", client_id: clientId, refresh_token });

t.test("an access token is revoked by itself; its grant goes on", async (t) => {
	const first = await connect(shop);
	const { keyId } = await shop.identify(first.access);

	for (const again of [false, true]) {
		t.equal((await revoke(first.access, first.clientId)).status, 200, `again: ${again}`);
		await t.rejects(shop.identify(first.access), REFUSED);
	}

	const { status, body } = await refresh(first.clientId, first.refresh);
	t.equal(status, 200);
	t.same(await shop.identify(body.access_token), { keyId });
	t.equal((await revoke(body.access_token, first.clientId, { Accept: "text/html" })).status, 200);
	await t.rejects(shop.identify(body.access_token), REFUSED, "whatever the client likes to read");
});

t.test("another client, a forger and a stranger revoke nothing", async (t) => {
	const { access, clientId } = await connect(shop);
	const [head, body, signature = ""] = access.split(".");
	const forged = `${head}.${body}.${"A".repeat(signature.length)}`;

	t.equal((await revoke(access, await shop.register())).status, 200, "and learn nothing");
	t.equal((await revoke(forged, clientId)).status, 200);
	t.equal((await revoke("eyJhbGciOiJub25lIn0.e30.", clientId)).status, 200);
	t.match(await revoke(access, "nobody"), { status: 401, body: { error: "invalid_client" } });
	t.match(await revoke(access), { status: 400, body: { error: "invalid_request" } });
	t.ok((await shop.identify(access)).keyId, "it is still good");
});

t.test("who revokes more than are remembered loses the grant", async (t) => {
	const tokens = await connect(shop);
	const { keyId = "" } = await shop.identify(tokens.access);
	const times = { createdAt: clock.now(), expiresAt: clock.now() + HOUR_MS };
	await store.transaction(async (tx) => {
		for (let at = 0; at < OAUTH_LIMITS.revokedTokensPerGrant; at++) {
			const row = { id: `oauth-full-${at}`, owner: shop.accountId, keyId, ...times };
			await tx.put("oauth_records", { ...row, kind: "revoked_access" });
		}
	});

	t.equal((await revoke(tokens.access, tokens.clientId)).status, 200);

	await t.rejects(shop.identify(tokens.access), REFUSED);
	t.equal((await refresh(tokens.clientId, tokens.refresh)).status, 400);
	const rows = await store.read((reader) => reader.findBy("oauth_records", "keyId", keyId));
	t.same(rows, [], "and nothing is kept of it");
});

t.test("a revoked token is forgotten once it would have ended", async (t) => {
	const { access, clientId } = await connect(shop);
	await revoke(access, clientId);
	const revoked = async () => {
		const rows = await store.read((reader) => reader.list("oauth_records"));
		return rows.filter(({ kind }) => kind === "revoked_access").length;
	};
	t.ok((await revoked()) > 0);

	await shop.app.operator.purge();
	t.ok((await revoked()) > 0);
	await t.rejects(shop.identify(access), REFUSED);

	clock.advance(HOUR_MS);
	await shop.app.operator.purge();
	t.equal(await revoked(), 0);
	await t.rejects(shop.identify(access), REFUSED);
});

t.test("what cannot be decided now is to be asked again", async (t) => {
	const client = { client_id: "a-client", redirect_uris: [REDIRECT] };
	const { Provider } = await import("oidc-provider");
	const provider = new Provider("http://127.0.0.1", {
		clients: [{ ...client, token_endpoint_auth_method: "none" }],
		features: { devInteractions: { enabled: false }, revocation: { enabled: true } },
	});
	const asked: string[] = [];
	acceptAccessTokens(provider, async (token, clientId) => {
		asked.push(token, clientId);
		throw new ServiceError("RATE_LIMITED", "Too many wait.", { retryAfterSeconds: 1.5 });
	});
	const server = createServer(provider.callback()).listen(0, "127.0.0.1");
	t.teardown(() => server.close());
	await once(server, "listening");
	const { port } = server.address() as AddressInfo;

	const token = "eyJhbGciOiJub25lIn0.e30.";
	const answer = await fetch(`http://127.0.0.1:${port}/token/revocation`, {
		method: "POST",
		body: new URLSearchParams({ token, client_id: client.client_id }),
	});

	t.same(asked, [token, client.client_id]);
	t.equal(answer.status, 503);
	t.equal(answer.headers.get("retry-after"), "2");
	t.match(await answer.json(), { error: "temporarily_unavailable" });
});
