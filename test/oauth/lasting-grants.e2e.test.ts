import { join } from "node:path";
import t from "tap";
import { filesWith } from "../support/files-below.js";
import { manualClock } from "../support/manual-clock.js";
import { connect, createPkce, obtainCode } from "./oauth-client.js";
import { openOAuthShop, REDIRECT } from "./oauth-shop.js";

const DAY_MS = 24 * 3_600_000;
const REFUSED = { code: "UNAUTHENTICATED" };

t.test("grants outlive the process; codes and tokens are in no file", async (t) => {
	const folder = join(t.testdir({}), "data");
	const known = { catalog: "none", publicUrl: "https://shop.example/graphs" };
	const first = await openOAuthShop(t, { folder, settings: known });
	const { key, accountId } = first;
	// The address it is known by is another one than its own, as behind a proxy.
	const resource = `${known.publicUrl}/mcp`;
	const tokens = await connect(first, { resource });
	const clientId = await first.register();
	const { verifier, challenge } = createPkce();
	const { code } = await obtainCode(first, { clientId, challenge, fields: { resource } });
	await first.close();

	for (const secret of [tokens.refresh, tokens.access, code, key]) {
		t.same(filesWith(folder, secret), [], secret.slice(0, 6));
	}

	const second = await openOAuthShop(t, { folder, key, accountId, settings: known });
	t.ok(await opens(second, tokens.access, resource), "an access token is good until its end");
	const refreshed = await second.token({
		grant_type: "refresh_token",
		client_id: tokens.clientId,
		refresh_token: tokens.refresh,
	});
	t.equal(refreshed.status, 200);
	const exchanged = await second.token({
		grant_type: "authorization_code",
		client_id: clientId,
		code,
		code_verifier: verifier,
		redirect_uri: REDIRECT,
	});
	t.equal(exchanged.status, 200, "even a code is, within its minute");
});

t.test("what an older pepper and an older key made goes on until both are retired", async (t) => {
	const shop = await openOAuthShop(t, { settings: { catalog: "none" } });
	const { operator, store } = shop.app;
	const [tokens, idle] = [await connect(shop), await connect(shop)];
	const clientId = await shop.register();
	const { verifier, challenge } = createPkce();
	const { code } = await obtainCode(shop, { clientId, challenge });
	await operator.rotateSecret({ name: "pepper" });
	await operator.rotateSecret({ name: "access-tokens" });
	t.ok((await shop.identify(tokens.access)).keyId, "an access token is good until its end");
	const exchanged = await shop.token({
		grant_type: "authorization_code",
		client_id: clientId,
		code,
		code_verifier: verifier,
		redirect_uri: REDIRECT,
	});
	t.equal(exchanged.status, 200, "a code from before the rotation");
	const use = async ({ clientId: client_id }: typeof tokens, refresh_token: string) =>
		shop.token({ grant_type: "refresh_token", client_id, refresh_token });
	const refreshed = await use(tokens, tokens.refresh);
	t.equal(refreshed.status, 200);
	t.ok((await shop.identify(refreshed.body.access_token)).keyId, "signed with the new key");
	t.match(await operator.getSecret({ name: "pepper" }), { older: { applications: 1 } });
	await operator.retireSecret({ name: "pepper", confirm: true });
	await operator.retireSecret({ name: "access-tokens", confirm: true });
	await t.rejects(shop.identify(tokens.access), REFUSED);
	t.ok((await shop.identify(refreshed.body.access_token)).keyId);
	t.equal((await use(tokens, refreshed.body.refresh_token)).status, 200, "its client is known");
	t.equal((await use(idle, idle.refresh)).status, 400, "what no one had shown is not");
	const clients = (await store.read((reader) => reader.list("oauth_records"))).filter(
		({ kind }) => kind === "client",
	);
	t.equal(clients.length, 3, "and no client is there twice");
});

t.test("what is not used expires; what is used lasts", async (t) => {
	// The provider reads the system's clock, so ours starts where that is.
	const clock = manualClock(new Date().toISOString());
	const shop = await openOAuthShop(t, { clock, settings: { catalog: "none" } });
	const { access, refresh, clientId } = await connect(shop);
	const { keyId = "" } = await shop.identify(access);
	const expiryOf = async () =>
		(await shop.app.store.read((reader) => reader.get("keys", keyId)))?.expiresAt ?? 0;
	const began = await expiryOf();
	const use = (refresh_token: string) =>
		shop.token({ grant_type: "refresh_token", client_id: clientId, refresh_token });

	clock.advance(14 * 60_000);
	t.ok((await shop.identify(access)).keyId);
	clock.advance(2 * 60_000);
	await t.rejects(shop.identify(access), REFUSED, "an access token lasts a quarter of an hour");

	clock.advance(20 * DAY_MS);
	const used = await use(refresh);
	t.equal(used.status, 200);
	t.ok((await expiryOf()) - began > 19 * DAY_MS, "its key lasts as long as the new refresh token");

	t.equal(
		(await shop.ask("PATCH", `/v1/account/keys/${keyId}`, { expires_in_days: 2 })).status,
		200,
	);
	const limited = await expiryOf();
	clock.advance(DAY_MS);
	const again = await use(used.body.refresh_token);
	t.equal(again.status, 200);
	t.equal(await expiryOf(), limited, "an end that its owner has set stays");
	clock.advance(2 * DAY_MS);
	t.equal((await use(again.body.refresh_token)).status, 400);
});

t.test("records whose time is over are swept", async (t) => {
	const clock = manualClock(new Date().toISOString());
	const shop = await openOAuthShop(t, { clock, settings: { catalog: "none" } });
	const { refresh, clientId } = await connect(shop);
	const count = async () =>
		(await shop.app.store.read((reader) => reader.list("oauth_records"))).map(({ kind }) => kind);
	t.same((await count()).sort(), ["client", "code", "grant", "refresh_token"]);
	clock.advance(31 * DAY_MS);
	const late = await shop.token({
		grant_type: "refresh_token",
		client_id: clientId,
		refresh_token: refresh,
	});
	t.equal(late.status, 400, "a month without use is the end");
	await shop.app.operator.purge();
	t.same((await count()).sort(), ["client"]);
});

t.test("a grant that lapsed is ended without another request for it", async (t) => {
	const clock = manualClock(new Date().toISOString());
	const shop = await openOAuthShop(t, { clock, settings: { catalog: "none" } });
	const { access } = await connect(shop);
	const used = await connect(shop);
	const { keyId = "" } = await shop.identify(access);
	const { keyId: usedKeyId = "" } = await shop.identify(used.access);
	clock.advance(20 * DAY_MS);
	const form = { grant_type: "refresh_token", client_id: used.clientId };
	t.equal((await shop.token({ ...form, refresh_token: used.refresh })).status, 200);
	clock.advance(11 * DAY_MS);

	await shop.app.operator.purge();

	const { store } = shop.app;
	const rows = await store.read((reader) => reader.list("oauth_records"));
	const kept = rows.filter(({ kind }) => kind !== "client");
	t.same(
		kept.map(({ keyId: owner, kind }) => [owner, kind]).sort(),
		[
			[usedKeyId, "grant"],
			[usedKeyId, "refresh_token"],
		],
		"nothing but what is still used",
	);
	const statusOf = async (id: string) =>
		(await store.read((reader) => reader.get("keys", id)))?.status;
	t.equal(await statusOf(keyId), "revoked");
	t.equal(await statusOf(usedKeyId), "active");
	const late = await shop.ask("PATCH", `/v1/account/keys/${keyId}`, { expires_in_days: 2 });
	t.equal(late.status, 400, "a key that nothing can use is not prolonged");
});

async function opens(
	shop: Awaited<ReturnType<typeof openOAuthShop>>,
	token: string,
	resource: string,
) {
	const { access } = await shop.app.service.identify({ scheme: "oauth", token, resource });
	return access?.keyId !== undefined;
}
