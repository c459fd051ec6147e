import t from "tap";
import type { Egress } from "../../src/kernel/outbound.js";
import { heldClock } from "../support/held-clock.js";
import { submitBudget, submitKey } from "./access-pages.js";
import { createBrowser } from "./cookie-browser.js";
import { authorizeUrl, createPkce } from "./oauth-client.js";
import { openOAuthShop } from "./oauth-shop.js";

const DOCUMENT = "https://agent.example/client.json";

/** What stands at the address of a client's document. */
let published: { readonly status?: number; readonly body: unknown } = { body: {} };
const asked: string[] = [];
const callerEgress: Egress = {
	async request({ url, method }) {
		asked.push(`${method} ${url}`);
		return Response.json(published.body, { status: published.status ?? 200 });
	},
};
const clock = heldClock();
const shop = await openOAuthShop(t, { clock, callerEgress, settings: { catalog: "none" } });

const register = (body: unknown, type = "application/json") =>
	shop.send("/oauth/register", {
		method: "POST",
		headers: { "Content-Type": type },
		body: typeof body === "string" ? body : JSON.stringify(body),
	});

t.test("a client registers as what it can be here", async (t) => {
	const { status, body, headers } = await register({
		redirect_uris: ["https://client.example/callback"],
		client_name: "Friendly\u202e  Agent\u0007",
		client_uri: "https://client.example",
		token_endpoint_auth_method: "client_secret_post",
		grant_types: ["authorization_code", "refresh_token", "password"],
		response_types: ["code", "token"],
		scope: "openid everything",
		jwks_uri: "https://client.example/jwks",
		contacts: ["someone@client.example"],
	});
	t.equal(status, 201);
	t.equal(headers.get("access-control-allow-origin"), "*");
	t.equal(headers.get("cache-control"), "no-store");
	const { client_id, client_id_issued_at, ...rest } = body;
	t.match(client_id, /^[\w-]{22}$/);
	t.type(client_id_issued_at, "number");
	t.same(rest, {
		client_name: "Friendly Agent",
		client_uri: "https://client.example",
		redirect_uris: ["https://client.example/callback"],
		application_type: "web",
		grant_types: ["authorization_code", "refresh_token"],
		response_types: ["code"],
		token_endpoint_auth_method: "none",
		scope: "call",
	});
});

t.test("what a client says of itself is text, and no more", async (t) => {
	const id = await shop.register({ client_name: `<img src=x onerror="alert(1)">&'` });
	const { challenge } = createPkce();
	const login = await createBrowser(shop.baseUrl).get(
		authorizeUrl(shop, { client_id: id, code_challenge: challenge }),
	);
	t.match(login.text, "<strong>&lt;img src=x onerror=&quot;alert(1)&quot;>&amp;'</strong>");
	t.notMatch(login.text, /<(img|script)/);
});

t.test("what cannot be a client is refused with the reason", async (t) => {
	const https = "https://client.example/callback";
	const wrong: [unknown, string][] = [
		[{}, "invalid_redirect_uri"],
		[{ redirect_uris: [] }, "invalid_redirect_uri"],
		[{ redirect_uris: ["http://client.example/cb"] }, "invalid_redirect_uri"],
		[{ redirect_uris: [`${https}#fragment`] }, "invalid_redirect_uri"],
		[{ redirect_uris: ["javascript:alert(1)"] }, "invalid_redirect_uri"],
		[{ redirect_uris: ["intent://client.example/cb"] }, "invalid_redirect_uri"],
		[{ redirect_uris: ["myapp:/callback"] }, "invalid_redirect_uri"],
		[{ redirect_uris: ["wss://client.example/cb"] }, "invalid_redirect_uri"],
		[{ redirect_uris: ["https://client.example;sandbox/cb"] }, "invalid_redirect_uri"],
		[{ redirect_uris: ["https://user:word@client.example/"] }, "invalid_redirect_uri"],
		[{ redirect_uris: ["/callback"] }, "invalid_redirect_uri"],
		[{ redirect_uris: Array(11).fill(https) }, "invalid_redirect_uri"],
		[{ redirect_uris: [https], response_types: ["token"] }, "invalid_client_metadata"],
		[{ redirect_uris: [https], client_name: "x".repeat(201) }, "invalid_client_metadata"],
		["{", "invalid_client_metadata"],
		["[]", "invalid_client_metadata"],
		[JSON.stringify({ redirect_uris: [https], x: "y".repeat(20_000) }), "invalid_client_metadata"],
	];
	for (const [body, error] of wrong) {
		const answer = await register(body);
		t.match(answer, { status: 400, body: { error } }, JSON.stringify(body).slice(0, 80));
		t.type(answer.body.error_description, "string");
	}
	t.equal((await register("redirect_uris=x", "application/x-www-form-urlencoded")).status, 400);
	t.equal((await shop.send("/oauth/register")).status, 404, "there is nothing to read");
});

t.test(
	"an application on the user's machine may listen on another port than it registered",
	async (t) => {
		const id = await shop.register({
			redirect_uris: ["http://127.0.0.1:1234/callback", "com.example.app:/callback"],
		});
		const { challenge } = createPkce();
		const page = (redirect_uri: string) =>
			createBrowser(shop.baseUrl).get(
				authorizeUrl(shop, { client_id: id, code_challenge: challenge, redirect_uri }),
			);
		t.match(await page("http://127.0.0.1:50123/callback"), { status: 200 });
		t.match(await page("http://127.0.0.1:50123/other"), { status: 400 });
		t.match(await page("http://10.0.0.1:1234/callback"), { status: 400 });
		const opened = await page("com.example.app:/callback");
		t.equal(opened.status, 200);
		t.match(
			opened.headers.get("content-security-policy"),
			/form-action 'self' com\.example\.app:;/,
		);
		const web = await shop.register({ redirect_uris: ["https://client.example/callback"] });
		const url = authorizeUrl(shop, {
			client_id: web,
			code_challenge: challenge,
			redirect_uri: "https://client.example:8443/callback",
		});
		t.match(
			await createBrowser(shop.baseUrl).get(url),
			{ status: 400 },
			"elsewhere no port may vary",
		);
	},
);

t.test("a client may be the address of a document that describes it", async (t) => {
	const { challenge } = createPkce();
	const ask = (client_id = DOCUMENT) =>
		createBrowser(shop.baseUrl).get(
			authorizeUrl(shop, {
				client_id,
				code_challenge: challenge,
				redirect_uri: "https://agent.example/callback",
			}),
		);
	const document = {
		client_id: DOCUMENT,
		client_name: "Documented Agent",
		redirect_uris: ["https://agent.example/callback"],
		scope: "openid whatever",
	};
	const wrong: (typeof published)[] = [
		{ body: { ...document, client_id: "https://other.example/client.json" } },
		{ body: { ...document, token_endpoint_auth_method: "private_key_jwt" } },
		{ body: [] },
		{ body: document, status: 404 },
		{ body: { ...document, client_name: "x".repeat(6_000) } },
	];
	for (const answer of wrong) {
		published = answer;
		t.match(await ask(), { status: 400, left: undefined }, JSON.stringify(answer).slice(0, 90));
	}
	const elsewhere = "https://agent.example/elsewhere.json";
	const redirect_uris = ["https://elsewhere.example/callback"];
	published = { body: { ...document, client_id: elsewhere, redirect_uris } };
	t.match(await ask(elsewhere), { status: 400, left: undefined }, "a user goes where it says");
	published = { body: document };
	asked.length = 0;
	const login = await ask();
	t.match(login, { status: 200, text: /Documented Agent/ });
	t.same(asked, [`GET ${DOCUMENT}`]);
	const browser = createBrowser(shop.baseUrl);
	const again = await browser.get(
		authorizeUrl(shop, {
			client_id: DOCUMENT,
			code_challenge: challenge,
			redirect_uri: "https://agent.example/callback",
		}),
	);
	t.equal(asked.length, 1, "it is not fetched again at once");
	const consent = await submitKey(browser, again, shop.key);
	t.match(consent.text, /published by agent\.example/);
	await t.test("which is read once, however long its user takes to agree", async (t) => {
		const realNow = Date.now;
		t.teardown(() => {
			Date.now = realNow;
		});
		// The provider's own cache reads the system's clock.
		Date.now = () => realNow() + 590_000;
		const reload = await browser.get(consent.url);
		t.match(reload, { status: 200, text: /Documented Agent/ });
		const { left } = await submitBudget(browser, reload, "1");
		t.ok(left?.searchParams.has("code"));
		t.equal(asked.length, 1);
	});
	for (const id of [
		"https://agent.example/#x",
		"http://agent.example/client.json",
		"https://a.example/../x",
	]) {
		const url = authorizeUrl(shop, { client_id: id, code_challenge: challenge });
		t.match(await createBrowser(shop.baseUrl).get(url), { status: 400 }, id);
	}
	t.equal(asked.length, 1);
});

t.test("one address registers so many clients a minute", async (t) => {
	clock.hold();
	const statuses = [];
	for (let round = 0; round < 40; round++) statuses.push((await register({})).status);
	t.equal(statuses.at(-1), 429);
	const { headers, body } = await register({});
	t.ok(Number(headers.get("retry-after")) >= 1);
	t.match(body, { error: "temporarily_unavailable" });
});
