import t from "tap";
import { IDENTITY_ALGORITHMS } from "../../src/accounts/identity-token.js";
import type { IdentitySettings } from "../../src/settings/identity-settings.js";
import { KNOWN_QUERY } from "../support/start-app.js";
import { times } from "../support/times.js";
import { AUDIENCE, type LocalIssuer, startIssuer } from "./local-issuer.js";
import { openAccount } from "./open-account.js";

function settingsFor({ url }: LocalIssuer, changes: Partial<IdentitySettings> = {}) {
	const identity: IdentitySettings = {
		issuer: url,
		audience: AUDIENCE,
		algorithms: IDENTITY_ALGORITHMS,
		jwksUri: undefined,
		accountClaim: "sub",
		scopeClaim: undefined,
		maxTokenAgeSeconds: 3_600,
		...changes,
	};
	return { identity };
}

const body = { query: KNOWN_QUERY, limit: 1 };
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

t.test("an identity token opens one account for its subject, which then pays", async (t) => {
	const issuer = await startIssuer(t);
	const { app, search, send } = await openAccount(t, { settings: settingsFor(issuer) });
	const accounts = async () => (await app.store.read((reader) => reader.list("accounts"))).length;
	const before = await accounts();
	const token = await issuer.token();
	const answers = await Promise.all(times(8, () => search({ body, headers: bearer(token) })));
	t.same(new Set(answers.map(({ status }) => status)), new Set([200]));
	t.match(answers[0]?.body.meta.cost, { rail: "plan", amount_usd: "0.00" });
	t.equal(await accounts(), before + 1);
	const again = await issuer.token({ claims: { jti: "another token" } });
	t.equal((await search({ body, headers: bearer(again) })).status, 200);
	t.equal(await accounts(), before + 1);
	const other = await issuer.token({ claims: { sub: "user-2" } });
	t.equal((await search({ body, headers: bearer(other) })).status, 200);
	t.equal(await accounts(), before + 2);

	const made = await send("/v1/account/keys", {
		method: "POST",
		headers: { ...bearer(token), "Content-Type": "application/json" },
		body: JSON.stringify({ label: "from a browser" }),
	});
	t.equal(made.status, 201);
	const { key } = made.body.data;
	t.equal((await search({ body, headers: { "X-API-Key": key } })).status, 200);
	const both = await search({ body, headers: { ...bearer(token), "X-API-Key": key } });
	t.same([both.status, both.body.error.code], [400, "INVALID_ARGUMENT"]);
});

t.test("an erased account takes its free calls along, and a look opens no new one", async (t) => {
	const issuer = await startIssuer(t);
	const { app, search, send, clock } = await openAccount(t, { settings: settingsFor(issuer) });
	const open = async () => {
		const rows = await app.store.read((reader) => reader.list("accounts"));
		return rows.filter(({ closedAt }) => closedAt === undefined).length;
	};
	const before = await open();
	const headers = bearer(await issuer.token());
	const look = await send("/v1/account", { headers });
	t.same([look.status, look.body.error.code], [404, "NOT_FOUND"]);
	t.equal((await search({ body, headers })).status, 200);
	await app.store.transaction(async (tx) => {
		for (const row of await tx.list("quotas")) {
			t.notMatch(row.id, /^acc_|user-1/, "counted for the subject, by a hash");
			await tx.put("quotas", { ...row, used: 50 });
		}
	});
	t.equal((await send("/v1/account", { headers })).status, 200);
	t.equal((await send("/v1/account", { method: "DELETE", headers })).status, 200);
	for (const path of ["/v1/account", "/v1/account/keys", "/v1/account/quota", "/v1/feedback"]) {
		t.equal((await send(path, { headers })).status, 404, path);
	}
	t.equal((await send("/v1/account", { method: "DELETE", headers })).status, 404);
	t.equal(await open(), before);
	const refused = await search({ body, headers });
	t.same([refused.status, refused.body.error.code], [429, "QUOTA_EXCEEDED"]);
	const quota = (await send("/v1/account/quota", { headers })).body.data;
	t.match(quota, { remaining: 0, month: { used: 50 }, day: { used: 50 } });
	const other = bearer(await issuer.token({ claims: { sub: "user-2" } }));
	const init = { method: "PATCH", headers: { ...other, "Content-Type": "application/json" } };
	t.equal((await send("/v1/account", { ...init, body: "{}" })).status, 200, "opened on purpose");
	t.equal(await open(), before + 2);
	clock.set("2026-04-02T00:00:01Z");
	await app.money.sweeper.forgetExpired();
	t.same(await app.store.read((reader) => reader.list("quotas")), [], "gone with its month");
});

t.test("a bad identity token is a 401 on every rail, and costs nothing", async (t) => {
	const issuer = await startIssuer(t);
	const { search, app } = await openAccount(t, { settings: settingsFor(issuer) });
	for (const token of [
		await issuer.token({ claims: { aud: "elsewhere" } }),
		await issuer.token({ claims: { padding: "x".repeat(8_192) } }),
		`${await issuer.token()}x`,
		"eyJ.eyJ.",
	]) {
		const { status, body: reply, headers } = await search({ body, headers: bearer(token) });
		t.same([status, reply.error.code], [401, "UNAUTHENTICATED"]);
		t.match(headers.get("WWW-Authenticate"), /Bearer/);
	}
	t.equal((await app.store.read((reader) => reader.list("accounts"))).length, 1);
});

t.test("a configured claim says what a token may do; without it, nothing", async (t) => {
	const issuer = await startIssuer(t);
	const settings = settingsFor(issuer, { scopeClaim: "scope", accountClaim: "org" });
	const { search, send } = await openAccount(t, { settings });
	const call = async (scope: unknown, graph = "agent-payments") => {
		const token = await issuer.token({ claims: { scope, org: "acme" } });
		return (await search({ graph, body, headers: bearer(token) })).status;
	};
	t.equal(await call(undefined), 403);
	t.equal(await call("openid profile"), 403);
	t.equal(await call("openid call"), 200);
	t.equal(await call(["skill:graph_search"]), 200);
	t.equal(await call("skill:domain_search"), 403);
	t.equal(await call("graph:agent-payments"), 200);
	t.equal(await call("graph:another"), 403);
	const keysOf = async (scope: string) => {
		const token = await issuer.token({ claims: { scope, org: "acme" } });
		return (await send("/v1/account/keys", { headers: bearer(token) })).status;
	};
	t.same([await keysOf("call"), await keysOf("account")], [403, 200]);
	const nameless = await issuer.token({ claims: { scope: "call" } });
	t.equal((await search({ body, headers: bearer(nameless) })).status, 401);
});

t.test("tokens that grant the same are one grant, whatever else they say", async (t) => {
	const issuer = await startIssuer(t);
	const settings = settingsFor(issuer, { scopeClaim: "scope", accountClaim: "org" });
	const { send } = await openAccount(t, { settings });
	const ask = async (method: string, scope: unknown, order?: object, sub = "user-1") => {
		const token = await issuer.token({ claims: { scope, org: "acme", sub } });
		const headers = { ...bearer(token), "Content-Type": "application/json" };
		const init = { method, headers, ...(order && { body: JSON.stringify(order) }) };
		return (await send("/v1/feedback", init)).body.data;
	};
	const order = { request_id: "req_1", useful: true };
	const seen = async (scope: unknown, sub?: string) =>
		(await ask("GET", scope, undefined, sub)).items.length;
	await ask("POST", "call", order);
	await ask("POST", "skill:graph_search graph:a skill:domain_search", order);
	for (const same of ["call", "openid profile call", "call call", ["call", "email"]]) {
		t.equal(await seen(same), 1, `${same}`);
	}
	t.equal(await seen(["skill:domain_search", "skill:graph_search", "graph:a", "graph:a"]), 1);
	t.equal(await seen("skill:graph_search graph:a"), 0, "grants less");
	t.equal(await seen("call", "user-2"), 0, "another subject");
	t.equal(await seen("account"), 2, "manages the account");
});

t.test("where no provider is configured an identity token is a clear 401", async (t) => {
	const issuer = await startIssuer(t);
	const { search } = await openAccount(t);
	const reply = await search({ body, headers: bearer(await issuer.token()) });
	t.equal(reply.status, 401);
	t.match(reply.body.error.message, /not taken here/);
	t.equal(issuer.asked(), 0);
});
