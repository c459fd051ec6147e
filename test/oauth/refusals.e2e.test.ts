import { createHash, createHmac } from "node:crypto";
import t from "tap";
import { heldClock } from "../support/held-clock.js";
import { csrfOf, submitBudget, submitDecline, submitKey } from "./access-pages.js";
import { createBrowser } from "./cookie-browser.js";
import { authorizeUrl, connect, createPkce, obtainCode } from "./oauth-client.js";
import { openOAuthShop, REDIRECT } from "./oauth-shop.js";

const REFUSED = { code: "UNAUTHENTICATED" };

const clock = heldClock();
const shop = await openOAuthShop(t, { clock });
const clientId = await shop.register();

t.test("a request for access without PKCE by S256 goes back with an error", async (t) => {
	const { verifier, challenge } = createPkce();
	const wrong: Record<string, string | undefined>[] = [
		{ code_challenge_method: undefined },
		{ code_challenge: verifier, code_challenge_method: "plain" },
		{ code_challenge: challenge, code_challenge_method: undefined },
		{ code_challenge: "too-short" },
	];
	for (const fields of wrong) {
		const { left } = await createBrowser(shop.baseUrl).get(
			authorizeUrl(shop, { client_id: clientId, ...fields }),
		);
		t.equal(left?.searchParams.get("error"), "invalid_request", JSON.stringify(fields));
		t.equal(left?.searchParams.get("state"), "the-state");
	}
});

t.test("no user is sent to an address the client did not register", async (t) => {
	const { challenge } = createPkce();
	const addresses = [
		"https://client.example/callback/",
		"https://client.example/callback?x=1",
		"https://client.example.evil.example/callback",
		"http://client.example/callback",
		"javascript:alert(1)",
		undefined,
	];
	for (const redirect_uri of addresses) {
		const page = await createBrowser(shop.baseUrl).get(
			authorizeUrl(shop, { client_id: clientId, code_challenge: challenge, redirect_uri }),
		);
		t.match(page, { status: 400, left: undefined }, String(redirect_uri));
		t.match(page.headers.get("content-security-policy"), /default-src 'none'; style-src/);
	}
	const stranger = authorizeUrl(shop, { client_id: "nobody", code_challenge: challenge });
	t.match(await createBrowser(shop.baseUrl).get(stranger), { status: 400, left: undefined });
});

t.test("access is given to one of our own addresses, by the one flow there is", async (t) => {
	const { challenge } = createPkce();
	const wrong: [Record<string, string>, string][] = [
		[{ resource: "https://elsewhere.example/mcp" }, "invalid_target"],
		[{ resource: shop.baseUrl }, "invalid_target"],
		[{ resource: `${shop.baseUrl}/mcp#x` }, "invalid_target"],
		[{ response_type: "token" }, "unsupported_response_type"],
		[{ response_type: "code id_token" }, "unsupported_response_type"],
		[{ prompt: "none" }, "login_required"],
		[{ request: "eyJhbGciOiJub25lIn0.e30." }, "request_not_supported"],
	];
	for (const [fields, error] of wrong) {
		const { left } = await createBrowser(shop.baseUrl).get(
			authorizeUrl(shop, { client_id: clientId, code_challenge: challenge, ...fields }),
		);
		t.match(left?.href, new RegExp(`[?#&]error=${error}(&|$)`), JSON.stringify(fields));
	}
	const twoResources = `${authorizeUrl(shop, { client_id: clientId, code_challenge: challenge })}&resource=${encodeURIComponent(`${shop.baseUrl}/chatgpt`)}`;
	const { left } = await createBrowser(shop.baseUrl).get(twoResources);
	t.equal(left?.searchParams.get("error"), "invalid_target");
	const posted = { ...fieldsOf(challenge), response_mode: "form_post" };
	t.equal((await createBrowser(shop.baseUrl).get(authorizeUrl(shop, posted))).status, 400);
	for (const grant_type of ["password", "client_credentials", "implicit"]) {
		const { body } = await shop.token({ grant_type, client_id: clientId });
		t.equal(body.error, "unsupported_grant_type");
	}
});

t.test("a code is good once, with its verifier, its address and its client", async (t) => {
	const { verifier, challenge } = createPkce();
	const exchange = (code: string, fields: Record<string, string> = {}) =>
		shop.token({
			grant_type: "authorization_code",
			client_id: clientId,
			code,
			code_verifier: verifier,
			redirect_uri: REDIRECT,
			...fields,
		});
	const { code } = await obtainCode(shop, { clientId, challenge });
	const invalid = { status: 400, body: { error: "invalid_grant" } };
	t.match(await exchange(code, { code_verifier: createPkce().verifier }), invalid);
	t.match(await exchange(code, { code_verifier: "" }), invalid);
	t.match(await exchange(code, { redirect_uri: "https://client.example/other" }), invalid);
	t.match(await exchange(code, { client_id: await shop.register() }), invalid);
	t.match(await exchange("made-up"), invalid);
	const elsewhere = await exchange(code, { resource: `${shop.baseUrl}/chatgpt` });
	t.match(elsewhere, { status: 400 });

	const again = await obtainCode(shop, { clientId, challenge });
	const first = await exchange(again.code);
	t.equal(first.status, 200);
	t.match(await exchange(again.code), invalid, "the second time is a theft");
	await t.rejects(shop.identify(first.body.access_token), REFUSED, "so the first one loses it too");
});

t.test("an access token opens the address it was made for, and no other", async (t) => {
	const { access } = await connect(shop, { resource: `${shop.baseUrl}/chatgpt` });
	t.ok((await shop.identify(access, "/chatgpt")).keyId);
	for (const at of ["/mcp", "/copilot", "/", ""])
		await t.rejects(shop.identify(access, at), REFUSED);
	t.equal(
		(await shop.send("/v1/account", { headers: { Authorization: `Bearer ${access}` } })).status,
		401,
	);

	const [head = "", body = "", signature = ""] = access.split(".");
	const claims = JSON.parse(Buffer.from(body, "base64url").toString());
	const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
	const forged = [
		`${head}.${encode({ ...claims, sub: "acc_someone" })}.${signature}`,
		`${encode({ alg: "none", typ: "at+jwt", kid: "x" })}.${body}.`,
		`${encode({ alg: "ES256", typ: "JWT", kid: JSON.parse(Buffer.from(head, "base64url").toString()).kid })}.${body}.${signature}`,
		`${encode({ alg: "HS256", typ: "at+jwt", kid: "x" })}.${body}.${createHmac("sha256", "x").update(body).digest("base64url")}`,
		`${head}.${body}.${createHash("sha512").update(body).digest("base64url")}`,
		"eyJ..",
		"x".repeat(9_000),
	];
	for (const token of forged) await t.rejects(shop.identify(token, "/chatgpt"), REFUSED);
});

t.test("a form that another site sends is refused, and so is another user's step", async (t) => {
	const { browser, login } = await begin();
	const fields = { csrf: csrfOf(login.text), key: shop.key, step: "login" };

	t.equal((await browser.post(login.url, { ...fields, csrf: "" })).status, 403);
	t.equal((await browser.post(login.url, { ...fields, csrf: "A".repeat(43) })).status, 403);
	for (const headers of [
		{ Origin: "https://evil.example" },
		{ Origin: "null" },
		{ "Sec-Fetch-Site": "cross-site" },
		{ "Sec-Fetch-Site": "same-site" },
	]) {
		t.equal((await browser.post(login.url, fields, headers)).status, 403, JSON.stringify(headers));
	}
	const stranger = await createBrowser(shop.baseUrl).post(login.url, fields);
	t.match(stranger, { status: 400, text: /no longer open/ }, "a step belongs to one browser");
	const huge = await browser.post(login.url, { ...fields, key: "x".repeat(10_000) });
	t.equal(huge.status, 400);
	const consent = await browser.post(login.url, fields);
	t.equal(consent.status, 200);
	t.equal(
		(await browser.post(consent.url, { ...fields, step: "agree", budget: "5" })).status,
		403,
		"the token of another step",
	);
});

t.test("a user may decline at either step, and nothing is made", async (t) => {
	const before = await keysOf();
	for (const steps of [1, 2]) {
		const { browser, login } = await begin();
		const page = steps === 2 ? await submitKey(browser, login, shop.key) : login;
		const { left } = await submitDecline(browser, page);
		t.equal(left?.searchParams.get("error"), "access_denied");
		t.equal(left?.searchParams.get("state"), "the-state");
	}
	t.same(await keysOf(), before);
});

t.test("only a key that manages its account signs in, and guesses are counted", async (t) => {
	const plain = await shop.ask("POST", "/v1/account/keys", { label: "pays only" });
	const { browser, login } = await begin();
	const signIn = (key: string) => submitKey(browser, login, key);

	t.match(await signIn(plain.body.data.key), { status: 403, text: /does not manage/ });
	const spt = await shop.issueSpt("5");
	t.match(await signIn(spt.token), { status: 401 });
	const wrong = await signIn("sk_live_<b>wrong</b>");
	t.match(wrong, { status: 401, text: /not known here/ });
	t.notMatch(wrong.text, /wrong/, "what was typed is not shown again");
	t.equal((await signIn(shop.key)).status, 200, "an honest user is let in meanwhile");
});

t.test("a budget is an amount above zero", async (t) => {
	const { browser, login } = await begin();
	const consent = await submitKey(browser, login, shop.key);
	const before = await keysOf();
	for (const budget of ["", "0", "-1", "much", "1e9", '"><script>']) {
		const answer = await submitBudget(browser, consent, budget);
		t.match(answer, { status: 400, text: /role="alert"/ }, budget);
		t.notMatch(answer.text, /<script/);
	}
	t.same(await keysOf(), before, "no key was made");
	const done = await submitBudget(browser, consent, "$3");
	t.ok(done.left?.searchParams.get("code"));
});

t.test("a button pressed twice makes one key, and a new request begins signed out", async (t) => {
	const { challenge } = createPkce();
	const browser = createBrowser(shop.baseUrl);
	const signIn = async (key: string) => {
		const login = await browser.get(authorizeUrl(shop, fieldsOf(challenge)));
		return submitKey(browser, login, key);
	};
	const other = await shop.app.operator.createKey({ label: "another account" });
	t.match((await signIn(other.key)).text, /another account/);
	const consent = await signIn(shop.key);
	t.match(consent.text, /the shop/, "who was here before is forgotten");

	const before = await keysOf();
	const agree = () => submitBudget(browser, consent, "5");
	const pressed = await Promise.all([agree(), agree(), agree()]);
	t.ok(pressed.some(({ left }) => left?.searchParams.has("code")));
	t.equal(await keysOf(), before + 1);
});

t.test("who keeps guessing keys is held up", async (t) => {
	const { browser, login } = await begin();
	clock.hold();
	const statuses = new Map<number, number>();
	for (let guess = 0; guess < 59; guess++) {
		const key = `sk_live_${String(guess).padStart(36, "0")}`;
		const { status } = await submitKey(browser, login, key);
		statuses.set(status, (statuses.get(status) ?? 0) + 1);
	}
	t.ok((statuses.get(429) ?? 0) > 0);
	t.ok((statuses.get(401) ?? 0) < 62);
});

/** A browser of its own, at the page that asks for a key. */
async function begin() {
	const browser = createBrowser(shop.baseUrl);
	const login = await browser.get(authorizeUrl(shop, fieldsOf(createPkce().challenge)));
	return { browser, login };
}

function fieldsOf(challenge: string) {
	return { client_id: clientId, code_challenge: challenge };
}

async function keysOf(): Promise<number> {
	return (await shop.ask("GET", "/v1/account/keys")).body.data.items.length;
}
