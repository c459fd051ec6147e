import type { Browser, Page } from "playwright-core";
import t, { type Test } from "tap";
import { assertUsable, findChromium, openBrowser, openWindow } from "../support/browser.js";
import { KNOWN_QUERY } from "../support/start-app.js";
import { keepLook, violationsOf } from "../web/watched-pages.js";
import { authorizeUrl, createPkce } from "./oauth-client.js";
import { type OAuthShop, openOAuthShop, spendFreeCalls } from "./oauth-shop.js";
import { type Maker, type StockApplication, startApplication } from "./stock-application.js";

/** What the console says of every page that comes with such a status. */
const SENT_WITH_401 = /status of 401/;
const SENT_WITH_400 = /status of 400/;
const WRONG_KEY = "sk_live_thisKeyIsNobodysThisKeyIsNobodysThisKeyIsN";
const QUESTION = { name: "search", arguments: { query: KNOWN_QUERY } };

const executablePath = findChromium();
const browser = executablePath === undefined ? undefined : await openBrowser(t, executablePath);
if (browser) {
	const shop = await openOAuthShop(t);
	await spendFreeCalls(shop);
	testConsent(shop, browser);
} else {
	t.plan(0, "No Chromium in PATH that starts here; Debian's package chromium brings one.");
}

function testConsent(shop: OAuthShop, browser: Browser): void {
	const chatgpt = `${shop.baseUrl}/chatgpt`;
	const start = (t: Test, { maker = "sdk 2", name = "Helper" }: { maker?: Maker; name?: string }) =>
		startApplication(t, { maker, url: chatgpt, name });

	t.test("a user lets a stock client spend one dollar, and no more", async (t) => {
		const application = await start(t, { name: "Reading Room" });
		const { page, complaints } = await openWindow(t, browser);

		await page.goto(await application.ask());
		t.strictSame(application.requests, [
			"POST /chatgpt 401",
			"GET /.well-known/oauth-protected-resource/chatgpt 200",
			"GET /.well-known/oauth-authorization-server 200",
			"POST /oauth/register 201",
		]);
		await t.test("a wrong key is reported on the page", async (t) => {
			await assertUsable(t, page);
			t.same(await violationsOf(page), []);
			await keepLook(page, "oauth-login");
			t.match(
				await page.getByRole("main").textContent(),
				`Reading Room asks for access to ${chatgpt}`,
			);
			await signIn(page, WRONG_KEY);
			t.match(await page.getByRole("alert").textContent(), /This key is not known here/);
			t.equal(await keyField(page).inputValue(), "");
			t.notMatch(await page.content(), WRONG_KEY, "what was typed does not come back");
			await assertUsable(t, page);
			t.match(complaints.splice(0), [SENT_WITH_401]);
		});
		await t.test("the page says who asks, what it costs and what there is", async (t) => {
			await signIn(page, shop.key);
			await page.getByRole("heading", { name: "Allow access?" }).waitFor();
			await assertUsable(t, page);
			t.same(await violationsOf(page), []);
			await keepLook(page, "oauth-consent");
			t.strictSame(await page.getByRole("definition").allInnerTexts(), [
				"Reading Room (it named itself; nobody has checked that)",
				"an application on this computer",
				"the shop",
				"20.00 USD",
				"0.0001 to 30.00 USD; a call without an answer costs nothing",
			]);
			t.equal(await page.getByRole("row", { name: "Search every graph 0.50" }).count(), 1);
			t.equal(await budgetField(page).inputValue(), "5.00");
		});
		await t.test("a budget that is no amount can be put right", async (t) => {
			await allow(page, "a dollar");
			t.match(await page.getByRole("alert").textContent(), /\S/);
			t.equal(await budgetField(page).inputValue(), "a dollar");
			t.match(complaints.splice(0), [SENT_WITH_400]);
			await allow(page, "1.00");
			await page.getByRole("heading", { name: "Done" }).waitFor();
		});
		const client = await application.connect();
		const { structuredContent: found } = await client.callTool(QUESTION);
		const [{ id, title, url }] = found.results;
		const read = await client.callTool({ name: "fetch", arguments: { id } });
		t.match(read.structuredContent, { id, title, url, text: /402/ });
		const refused = await client.callTool(QUESTION);
		t.ok(refused.isError);
		t.match(refused.content[0]?.text, /This key spends at most 1\.00 USD a month/);
		const key = await lastKey(shop);
		t.match(key, {
			label: "Reading Room (OAuth)",
			max_per_month_usd: "1.00",
			spent_this_month_usd: "1.00",
		});
		const { body } = await shop.ask("GET", "/v1/account/usage?by=key");
		const used = body.data.items.find((item: { key: string }) => item.key === key.id);
		t.match(used, { calls: 2, spent_usd: "1.00" });
		t.strictSame(complaints, []);
	});

	t.test("on a phone without scripts, with the keyboard alone", async (t) => {
		const application = await start(t, { maker: "sdk 1", name: `Pocket${"Reader".repeat(30)}` });
		const { page, complaints } = await openWindow(t, browser, { width: 360, hasScripts: false });

		await page.goto(await application.ask());
		await assertUsable(t, page);
		await keyField(page).fill(shop.key);
		await keyField(page).press("Enter");
		await page.getByRole("heading", { name: "Allow access?" }).waitFor();
		await assertUsable(t, page);
		await budgetField(page).press("Enter");
		await page.getByRole("heading", { name: "Done" }).waitFor();
		t.strictSame(complaints, []);

		const client = await application.connect();
		t.notOk((await client.callTool(QUESTION)).isError);
		t.match(await lastKey(shop), { max_per_month_usd: "5.00", spent_this_month_usd: "0.50" });

		await t.test("and nothing more comes of going back", async (t) => {
			const before = await keysOf(shop);
			await page.goBack();
			t.match(await page.getByRole("main").textContent(), /no longer open/);
			await assertUsable(t, page);
			t.strictSame(await keysOf(shop), before);
		});
	});

	for (const target of [
		"http://localhost:9/callback",
		"http://[::1]:9/callback",
		"com.example.editor://agent/cb",
	]) {
		t.test(`browsers may go on to ${target}`, async (t) => {
			const clientId = await shop.register({ redirect_uris: [target] });
			const { challenge } = createPkce();
			const { page } = await openWindow(t, browser);
			const asked = { client_id: clientId, code_challenge: challenge, redirect_uri: target };
			await page.goto(`${shop.baseUrl}${authorizeUrl(shop, asked)}`);
			// No one waits there; a browser that is held back by the page does not even ask.
			const leaves = page.waitForRequest((request) => request.url().startsWith(target));
			await page.getByRole("button", { name: "Cancel" }).click();
			t.match((await leaves).url(), "error=access_denied");
		});
	}

	for (const button of ["Cancel", "Decline"]) {
		t.test(`${button}: the application learns that access was denied`, async (t) => {
			const application = await start(t, {});
			const { page, complaints } = await openWindow(t, browser);
			const before = await keysOf(shop);

			await page.goto(await application.ask());
			if (button === "Decline") await signIn(page, shop.key);
			await page.getByRole("button", { name: button }).click();
			await page.getByRole("heading", { name: "Done" }).waitFor();
			t.equal(application.answer().get("error"), "access_denied");
			t.notOk(application.answer().has("code"));
			t.strictSame(await keysOf(shop), before);
			t.strictSame(complaints, []);
		});
	}

	t.test("an old refresh token that comes back ends the grant", async (t) => {
		const { application, client } = await connectBy(t, chatgpt);
		const first = application.tokens();
		if (!first?.refresh_token) throw new Error("There is nothing to refresh with.");

		application.hold({ ...first, access_token: `${first.access_token.slice(0, -4)}AAAA` });
		t.notOk((await client.callTool(QUESTION)).isError, "a stock client refreshes by itself");
		const second = application.tokens();
		t.not(second?.refresh_token, first.refresh_token);
		t.equal((await lastKey(shop)).status, "active");

		const reused = await refresh(shop, application, first.refresh_token);
		t.match(reused, { status: 400, body: { error: "invalid_grant" } });
		const next = await refresh(shop, application, second?.refresh_token ?? "");
		t.match(next, { status: 400, body: { error: "invalid_grant" } });
		await t.rejects(client.callTool(QUESTION), /unauthorized/i);
		t.equal((await lastKey(shop)).status, "revoked");
	});

	t.test("a token is good at the address it was given for, until its key is revoked", async (t) => {
		const { application, client } = await connectBy(t, `${shop.baseUrl}/mcp`);
		const token = application.tokens()?.access_token ?? "";
		t.notOk((await client.callTool(QUESTION)).isError);
		t.equal(await statusAt(shop, "/mcp", token), 200);
		t.equal(await statusAt(shop, "/chatgpt", token), 401);

		const { id } = await lastKey(shop);
		t.equal((await shop.ask("DELETE", `/v1/account/keys/${id}`)).status, 200);
		await t.rejects(client.callTool(QUESTION), /unauthorized/i);
		t.equal(await statusAt(shop, "/mcp", token), 401);
	});

	/** The whole way, as quickly as a user can go it. */
	async function connectBy(t: Test, url: string) {
		const application = await startApplication(t, { maker: "sdk 2", url, name: "Helper" });
		const { page } = await openWindow(t, browser);
		await page.goto(await application.ask());
		await signIn(page, shop.key);
		await allow(page, "5.00");
		await page.getByRole("heading", { name: "Done" }).waitFor();
		return { application, client: await application.connect() };
	}
}

const keyField = (page: Page) => page.getByLabel("API key of your account");
const budgetField = (page: Page) => page.getByLabel("Most it may spend in a month, in USD");

async function signIn(page: Page, key: string): Promise<void> {
	await keyField(page).fill(key);
	await page.getByRole("button", { name: "Sign in" }).click();
}

async function allow(page: Page, budget: string): Promise<void> {
	await budgetField(page).fill(budget);
	await page.getByRole("button", { name: "Allow" }).click();
}

function refresh(shop: OAuthShop, application: StockApplication, token: string) {
	return shop.token({
		grant_type: "refresh_token",
		client_id: application.clientId(),
		refresh_token: token,
	});
}

async function statusAt({ send }: OAuthShop, path: string, token: string): Promise<number> {
	const { status } = await send(path, {
		method: "POST",
		headers: {
			Authorization: `Bearer ${token}`,
			"Content-Type": "application/json",
			Accept: "application/json, text/event-stream",
		},
		body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
	});
	return status;
}

async function keysOf({ ask }: OAuthShop): Promise<readonly { readonly id: string }[]> {
	return (await ask("GET", "/v1/account/keys")).body.data.items;
}

async function lastKey(shop: OAuthShop) {
	return (await shop.ask("GET", "/v1/account/keys")).body.data.items.at(-1);
}
