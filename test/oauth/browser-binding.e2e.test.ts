import t from "tap";
import { csrfOf, submitBudget, submitKey } from "./access-pages.js";
import { type Browser, createBrowser, type Visited } from "./cookie-browser.js";
import { authorizeUrl, createPkce } from "./oauth-client.js";
import { openOAuthShop } from "./oauth-shop.js";

const shop = await openOAuthShop(t, { settings: { catalog: "none" } });
const clientId = await shop.register();
const begin = (browser: Browser) =>
	browser.get(authorizeUrl(shop, { client_id: clientId, code_challenge: createPkce().challenge }));
const signIn = (browser: Browser, page: Visited) => submitKey(browser, page, shop.key);
const agree = (browser: Browser, page: Visited) => submitBudget(browser, page, "5");
const resumeOf = ({ url }: Visited) => `/oauth/authorize/${url.split("/").at(-1)}`;

t.test(
	"who began a request for access cannot go on where somebody else has signed in",
	async (t) => {
		const [attacker, victim] = [createBrowser(shop.baseUrl), createBrowser(shop.baseUrl)];
		const planted = await begin(attacker);
		// As another host of the same site could plant them.
		for (const [key, cookie] of attacker.cookies) victim.cookies.set(key, cookie);
		const page = await victim.get(planted.url);
		const consent = await signIn(victim, page);
		t.match(consent.text, /the shop/);

		t.match(await attacker.get(resumeOf(planted)), { status: 400, left: undefined });
		t.match(await attacker.get(consent.url), { status: 400 });
		for (const [key, cookie] of victim.cookies) {
			if (!cookie.name.includes(cookieOf(victim)?.name ?? "-")) attacker.cookies.set(key, cookie);
		}
		const stolen = await attacker.get(consent.url);
		t.match(stolen, { status: 400, text: /no longer open/ }, "not even with the step's own cookie");
		t.match(await agree(attacker, consent), { status: 400 });
		t.match(await attacker.get(resumeOf(consent)), { status: 400, left: undefined });

		const done = await agree(victim, consent);
		t.ok(done.left?.searchParams.has("code"), "the user who signed in goes on");
	},
);

t.test("a step goes on in the browser that signed in last", async (t) => {
	const [attacker, victim] = [createBrowser(shop.baseUrl), createBrowser(shop.baseUrl)];
	const login = await begin(attacker);
	for (const [key, cookie] of attacker.cookies) {
		if (cookie.path === new URL(login.url).pathname) victim.cookies.set(key, cookie);
	}
	const other = await shop.app.operator.createKey({ label: "another account" });
	const fields = { csrf: csrfOf(login.text), key: other.key, step: "login" };
	await attacker.press(login.url, fields);
	t.ok(cookieOf(attacker));

	// The victim has no cookie to resume with.
	t.match(await signIn(victim, login), { status: 400 });
	t.match(await attacker.get(resumeOf(login)), { status: 400, text: /no longer open/ });
});

t.test("a step is gone on with at its own address, and in its own browser", async (t) => {
	const [attacker, victim] = [createBrowser(shop.baseUrl), createBrowser(shop.baseUrl)];
	const planted = await begin(attacker);
	const own = await begin(attacker);
	const cookies = [...attacker.cookies.values()].filter(({ path }) => path === resumeOf(planted));
	t.equal(cookies.length, 2, "to resume with, and its signature");
	const Cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
	for (const [key, cookie] of attacker.cookies) victim.cookies.set(key, cookie);
	await victim.press(planted.url, { csrf: csrfOf(planted.text), key: shop.key, step: "login" });

	const paths = ["/oauth/authorize/x", resumeOf(own), resumeOf(planted)];
	for (const path of paths) {
		const headers = { Cookie, Accept: "text/html" };
		const refused = await fetch(`${shop.baseUrl}${path}`, { headers, redirect: "manual" });
		t.match(refused, { status: 400 }, path);
		t.match(await refused.text(), /no longer open/);
		t.same(refused.headers.getSetCookie(), []);
	}
	t.match(await attacker.get(own.url), { status: 200 }, "nothing has become of the other step");
	const consent = await victim.get(resumeOf(planted));
	t.match(consent.text, /the shop/);
	t.ok((await agree(victim, consent)).left?.searchParams.has("code"));
});

t.test("two requests in one browser go their ways", async (t) => {
	const browser = createBrowser(shop.baseUrl);
	const [first, second] = [await begin(browser), await begin(browser)];
	const other = await shop.app.operator.createKey({ label: "another account" });
	const mine = await signIn(browser, first);
	const theirs = await submitKey(browser, second, other.key);
	t.match((await browser.get(mine.url)).text, /the shop/);
	t.match((await browser.get(theirs.url)).text, /another account/);
	for (const page of [mine, theirs]) {
		t.ok((await agree(browser, page)).left?.searchParams.has("code"));
	}
});

t.test(
	"the cookie is out of reach of scripts and of other hosts, the session's is never sent",
	async (t) => {
		const publicUrl = "https://shop.example/graphs";
		const known = await openOAuthShop(t, { settings: { catalog: "none", publicUrl } });
		const browser = createBrowser(known.baseUrl, publicUrl);
		const fields = {
			client_id: await known.register(),
			code_challenge: createPkce().challenge,
			resource: `${publicUrl}/mcp`,
		};
		const login = await browser.get(authorizeUrl(known, fields));
		const consent = await submitKey(browser, login, known.key);
		t.match(consent.text, /the shop/);
		const bound = cookieOf(browser);
		t.match(bound?.name, /^__Host-tollgraph_oauth_[\w-]+$/);
		t.match(bound?.line, /; Max-Age=600; Path=\/; .*HttpOnly; Secure; SameSite=Lax$/);
		t.notOk([...browser.cookies.values()].some(({ name }) => name.includes("session")));
	},
);

/** The one that it was given when its user signed in. */
function cookieOf({ cookies }: Browser) {
	return [...cookies.values()].find(({ path }) => path === "/");
}
