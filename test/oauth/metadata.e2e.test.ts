import t from "tap";
import { ISSUER_NOW, startIssuer } from "../auth/local-issuer.js";
import { manualClock } from "../support/manual-clock.js";
import { openOAuthShop } from "./oauth-shop.js";

const SERVER = "/.well-known/oauth-authorization-server";
const OPENID = "/.well-known/openid-configuration";
const RESOURCE = "/.well-known/oauth-protected-resource";
const AT = ["/mcp", "/chatgpt", "/copilot"];

/** Nothing is sold in these tests. */
const catalog = "none";
const shop = await openOAuthShop(t, { settings: { catalog } });

t.test("what there is can be found at every address clients try", async (t) => {
	const { send, baseUrl } = shop;
	const { body: server, headers } = await send(SERVER);
	t.equal(headers.get("access-control-allow-origin"), "*");
	t.match(headers.get("content-type"), "application/json");
	t.match(server, {
		issuer: baseUrl,
		authorization_endpoint: `${baseUrl}/oauth/authorize`,
		token_endpoint: `${baseUrl}/oauth/token`,
		registration_endpoint: `${baseUrl}/oauth/register`,
		revocation_endpoint: `${baseUrl}/oauth/revoke`,
		response_types_supported: ["code"],
		grant_types_supported: ["authorization_code", "refresh_token"],
		code_challenge_methods_supported: ["S256"],
		token_endpoint_auth_methods_supported: ["none"],
		client_id_metadata_document_supported: true,
	});
	const places = [
		OPENID,
		...AT.flatMap((at) => [`${SERVER}${at}`, `${OPENID}${at}`, `${at}${OPENID}`]),
	];
	for (const place of places) t.same((await send(place)).body, server, place);
	for (const at of AT) {
		const { body } = await send(`${RESOURCE}${at}`);
		t.match(body, { resource: `${baseUrl}${at}`, authorization_servers: [baseUrl] });
	}
	t.equal((await send(RESOURCE)).body.resource, `${baseUrl}/mcp`);
	t.equal((await send(`${RESOURCE}/elsewhere`)).status, 404);
	const { body: keys } = await send("/oauth/jwks");
	t.match(keys, { keys: [{ kty: "EC", crv: "P-256", alg: "ES256", d: undefined }] });
	t.equal((await send("/.well-known/oauth-authorization-server", { method: "POST" })).status, 404);
});

t.test("a browser on another site may read metadata and fetch tokens", async (t) => {
	const { send, baseUrl } = shop;
	const headers = {
		Origin: "https://inspector.example",
		"Access-Control-Request-Method": "POST",
		"Access-Control-Request-Headers": "content-type,mcp-protocol-version",
	};
	for (const path of ["/oauth/token", "/oauth/register", "/oauth/revoke", SERVER]) {
		const { status, headers: allowed } = await send(path, { method: "OPTIONS", headers });
		t.equal(status, 204, path);
		t.equal(allowed.get("access-control-allow-origin"), "*");
		t.match(allowed.get("access-control-allow-headers"), "content-type");
	}
	const form = new URLSearchParams({ grant_type: "authorization_code", client_id: "nobody" });
	const answer = await fetch(`${baseUrl}/oauth/token`, {
		method: "POST",
		body: form,
		headers: { Origin: "https://inspector.example" },
	});
	t.equal(answer.status, 401);
	t.equal(answer.headers.get("access-control-allow-origin"), "*");
	t.match(await answer.json(), { error: "invalid_client" });
});

t.test("no access is given where it is switched off, or would travel in the open", async (t) => {
	const off = await openOAuthShop(t, { settings: { catalog, oauth: "off" } });
	for (const path of [SERVER, OPENID, `${RESOURCE}/mcp`, "/oauth/authorize", "/oauth/jwks"]) {
		t.equal((await off.send(path)).status, 404, path);
	}
	const resource = `${off.baseUrl}/mcp`;
	const shown = off.app.service.identify({ scheme: "oauth", token: "eyJ.e.e", resource });
	await t.rejects(shown, { code: "UNAUTHENTICATED" });

	const open = await openOAuthShop(t, { settings: { catalog, publicUrl: "http://shop.example" } });
	for (const path of [SERVER, `${RESOURCE}/mcp`, "/oauth/authorize"]) {
		t.equal((await open.send(path)).status, 503, path);
	}
	for (const shop of [off, open]) {
		const ask = (path: string) => shop.send(path, { method: "POST", body: "{}" });
		const { status, headers } = await ask("/mcp");
		t.equal(status, 401);
		t.equal(headers.get("www-authenticate"), 'Bearer realm="tollgraph"', "it names no metadata");
		t.equal((await ask("/chatgpt")).status, 404, "no call could go there");
	}
});

t.test("tokens of another authorization server open the account they name", async (t) => {
	const issuer = await startIssuer(t);
	const { send, baseUrl, app } = await openOAuthShop(t, {
		clock: manualClock(new Date(ISSUER_NOW * 1000).toISOString()),
		settings: {
			catalog,
			oauth: {
				issuer: issuer.url,
				jwksUri: undefined,
				algorithms: ["ES256"],
				accountClaim: "sub",
				scopeClaim: undefined,
				maxTokenAgeSeconds: 3_600,
			},
		},
	});
	const { body } = await send(`${RESOURCE}/mcp`);
	t.same(body.authorization_servers, [issuer.url]);
	t.equal((await send(SERVER)).status, 404, "we are none ourselves");

	const resource = `${baseUrl}/mcp`;
	const show = (token: string, opens = true, at = resource) =>
		app.service.identify({ scheme: "oauth", token, resource: at }, { opens });
	const token = await issuer.token({ claims: { aud: resource } });
	await t.rejects(show(token, false), { code: "NOT_FOUND" }, "a look opens no account");
	const { access } = await show(token);
	t.match(access, { accountId: /^acc_/, isManager: false });
	t.equal((await show(token, false)).access?.accountId, access?.accountId);
	const wrong = [
		await issuer.token(),
		await issuer.token({ claims: { aud: `${baseUrl}/chatgpt` } }),
		await issuer.token({ claims: { aud: resource, iss: "https://elsewhere.example" } }),
		await issuer.token({ claims: { aud: resource, exp: ISSUER_NOW - 60 } }),
		await issuer.token({ claims: { aud: resource }, algorithm: "RS256" }),
	];
	for (const refused of wrong) await t.rejects(show(refused), { code: "UNAUTHENTICATED" });
	await t.rejects(show(token, true, `${baseUrl}/chatgpt`), { code: "UNAUTHENTICATED" });
});
