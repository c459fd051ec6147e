import t from "tap";
import { manualClock } from "../support/manual-clock.js";
import { csrfOf, submitKey } from "./access-pages.js";
import { createBrowser } from "./cookie-browser.js";
import { authorizeUrl, createPkce } from "./oauth-client.js";
import { openOAuthShop, REDIRECT } from "./oauth-shop.js";

// The provider reads the system's clock, so ours starts where that is.
const clock = manualClock(new Date().toISOString());
const shop = await openOAuthShop(t, { clock, settings: { catalog: "none" } });

t.test("what was agreed to last holds, and nothing is left of the rest", async (t) => {
	const { browser, url, fields } = await openConsent(await shop.register());
	const before = await keysOf();

	await browser.press(url, { ...fields, budget: "15" });
	const { left } = await browser.post(url, { ...fields, budget: "1" });
	t.ok(left?.searchParams.has("code"));
	t.same(await keysSince(before), ["active 1.00", "revoked 15.00"]);
});

t.test("who allows and then declines has given nothing", async (t) => {
	const { browser, url, fields } = await openConsent(await shop.register());
	const before = await keysOf();

	await browser.press(url, fields);
	const { left } = await browser.post(url, { ...fields, step: "decline" });
	t.equal(left?.searchParams.get("error"), "access_denied");
	t.same(await keysSince(before), ["revoked 5.00"]);
});

t.test(
	"a client that asks again gets new access instead of its old, unless its user keeps both",
	async (t) => {
		const clientId = await shop.register();
		const before = await keysOf();
		const first = await connectBy(clientId);
		const elsewhere = await connectBy(clientId, "/chatgpt");
		const second = await connectBy(clientId);
		await t.rejects(shop.identify(first), { code: "UNAUTHENTICATED" });
		t.ok((await shop.identify(elsewhere, "/chatgpt")).keyId, "another address is another access");
		t.same(await keysSince(before), ["active 5.00", "active 5.00", "revoked 5.00"]);

		const declined = await openConsent(clientId);
		await declined.browser.press(declined.url, declined.fields);
		await declined.browser.post(declined.url, { ...declined.fields, step: "decline" });
		t.ok((await shop.identify(second)).keyId, "what it has ends when the new access is taken up");

		const { browser, url, fields, text } = await openConsent(clientId);
		t.match(text, /It has this access already, by a key of your account/);
		const wrong = await browser.post(url, { ...fields, keep: "yes", budget: "none" });
		t.match(wrong.text, /name="keep" value="yes" checked\/?>/, "what was chosen stays chosen");
		await browser.post(url, { ...fields, keep: "yes" });
		t.ok((await shop.identify(second)).keyId);
		t.equal((await keysSince(before)).length, 5);
		t.notMatch((await openConsent(await shop.register())).text, /access already/);
	},
);

t.test("a code that is refused leaves the access alone that its client has", async (t) => {
	const clientId = await shop.register();
	const earlier = await connectBy(clientId);
	const refused = await redeem(clientId, { resource: `${shop.baseUrl}/chatgpt` });
	t.equal(refused.status, 400);
	t.ok((await shop.identify(earlier)).keyId);
	t.equal((await redeem(clientId)).status, 200);
	await t.rejects(shop.identify(earlier), { code: "UNAUTHENTICATED" });
});

t.test("without a refresh token a key lasts as long as the access token", async (t) => {
	const clientId = await shop.register({ grant_types: ["authorization_code"] });
	const before = await keysOf();
	const token = await connectBy(clientId);
	clock.advance(14 * 60_000);
	t.ok((await shop.identify(token)).keyId);
	clock.advance(2 * 60_000);
	t.same(await keysSince(before), ["expired 5.00"]);
});

t.test("access that is not claimed expires, and can be agreed to again", async (t) => {
	const { browser, url, fields } = await openConsent(await shop.register());
	const before = await keysOf();

	await browser.press(url, fields);
	t.same(await keysSince(before), ["active 5.00"]);
	clock.advance(121_000);
	t.same(await keysSince(before), ["expired 5.00"]);
	const { left } = await browser.post(url, fields);
	t.ok(left?.searchParams.has("code"));
	t.same(await keysSince(before), ["active 5.00", "revoked 5.00"]);
});

t.test("of a change of mind, and of access that is over, nothing is kept", async (t) => {
	const clientId = await shop.register();
	await connectBy(clientId);
	const before = await grantsOf();
	const { browser, url, fields } = await openConsent(clientId);
	const seen = new Set<string>();
	for (let budget = 1; budget <= 20; budget++) {
		await browser.press(url, { ...fields, budget: `${budget}` });
		const [made, ...others] = (await grantsOf()).filter((id) => !before.includes(id));
		t.ok(made);
		t.same(others, [], "one grant, whatever was pressed");
		seen.add(made ?? "");
	}
	t.equal(seen.size, 20);
	const texts = await Promise.all([...seen].map((id) => shop.app.store.documents.get(id)));
	t.equal(texts.filter(Boolean).length, 1);
	await browser.post(url, { ...fields, step: "decline" });
	t.same(await grantsOf(), before);

	const left = await openConsent(clientId);
	await left.browser.press(left.url, left.fields);
	const [unclaimed = ""] = (await grantsOf()).filter((id) => !before.includes(id));
	t.ok(unclaimed);
	clock.advance(121_000);
	await connectBy(clientId);
	t.notOk((await grantsOf()).includes(unclaimed), "nor of access that was not claimed");
	t.notOk(await shop.app.store.documents.get(unclaimed));
});

async function openConsent(clientId: string, challenge = createPkce().challenge, at = "/mcp") {
	const browser = createBrowser(shop.baseUrl);
	const resource = `${shop.baseUrl}${at}`;
	const asked = { client_id: clientId, code_challenge: challenge, resource };
	const login = await browser.get(authorizeUrl(shop, asked));
	const { url, text } = await submitKey(browser, login, shop.key);
	return { browser, url, text, fields: { csrf: csrfOf(text), budget: "5", step: "agree" } };
}

/** The access token. */
async function connectBy(clientId: string, at = "/mcp"): Promise<string> {
	return (await redeem(clientId, {}, at)).body.access_token;
}

async function redeem(clientId: string, changes: Record<string, string> = {}, at = "/mcp") {
	const { verifier, challenge } = createPkce();
	const { browser, url, fields } = await openConsent(clientId, challenge, at);
	const { left } = await browser.post(url, fields);
	return shop.token({
		grant_type: "authorization_code",
		client_id: clientId,
		code: left?.searchParams.get("code") ?? "",
		code_verifier: verifier,
		redirect_uri: REDIRECT,
		...changes,
	});
}

async function grantsOf(): Promise<string[]> {
	const rows = await shop.app.store.read((reader) =>
		reader.findBy("oauth_records", "owner", shop.accountId),
	);
	return rows.filter(({ kind }) => kind === "grant").map(({ id }) => id);
}

async function keysOf(): Promise<Key[]> {
	return (await shop.ask("GET", "/v1/account/keys")).body.data.items;
}

/** Those made within one millisecond are in no order. */
async function keysSince(before: readonly Key[]): Promise<string[]> {
	const known = before.map(({ id }) => id);
	const made = (await keysOf()).filter(({ id }) => !known.includes(id));
	return made.map((key) => `${key.status} ${key.max_per_month_usd}`).sort();
}

interface Key {
	readonly id: string;
	readonly status: string;
	readonly max_per_month_usd: string;
}
