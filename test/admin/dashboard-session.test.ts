import t, { type Test } from "tap";
import { manualClock } from "../support/manual-clock.js";
import { type Answer, startApp, type TestApp } from "../support/start-app.js";

const EMPTY = { model: "none", catalog: "none" } as const;
const SAME = { "Sec-Fetch-Site": "same-origin" };

async function openShop(t: Test, options: Parameters<typeof startApp>[1] = {}) {
	const shop = await startApp(t, { ...options, settings: { ...EMPTY, ...options.settings } });
	const asAdmin = (method: string, path: string, body?: object) =>
		shop.send(`/v1/admin${path}`, {
			method,
			headers: {
				Authorization: `Bearer ${shop.app.adminToken}`,
				"Content-Type": "application/json",
			},
			...(body && { body: JSON.stringify(body) }),
		});
	const addOperator = async (name: string, role: string): Promise<{ key: string; id: string }> =>
		(await asAdmin("POST", "/operators", { name, role })).body;
	return { shop, asAdmin, addOperator };
}

type Headers = Record<string, string>;

function postForm(
	{ send }: TestApp,
	path: string,
	fields: Record<string, string>,
	headers: Headers = SAME,
): Promise<Answer> {
	return send(`/admin/ui${path}`, {
		method: "POST",
		redirect: "manual",
		headers: { "Content-Type": "application/x-www-form-urlencoded", ...headers },
		body: new URLSearchParams(fields).toString(),
	});
}

/** Whether the page asks who is there, and shows nothing else. */
const asksForKey = ({ body }: Answer): boolean =>
	body.includes('name="key"') && !body.includes("data-dashboard");

const cookieOf = ({ headers }: Answer): string => headers.getSetCookie()[0]?.split(";")[0] ?? "";

/** What a browser has after its operator signed in: the cookie, and the proof that stands in its pages. */
async function signIn(shop: TestApp, key: string, headers: Headers = {}) {
	const reply = await postForm(shop, "/session", { key }, { ...SAME, ...headers });
	const cookie = cookieOf(reply);
	const page = await shop.send("/admin/ui", { headers: { ...headers, Cookie: cookie } });
	const csrf = /name="csrf" value="([^"]+)"/.exec(page.body)?.[1] ?? "";
	const ask = (path: string, init: { method?: string; body?: object; headers?: Headers } = {}) =>
		shop.send(`/v1/admin${path}`, {
			method: init.method ?? "GET",
			headers: {
				...SAME,
				Cookie: cookie,
				"X-CSRF-Token": csrf,
				...(init.body && { "Content-Type": "application/json" }),
				...init.headers,
			},
			...(init.body && { body: JSON.stringify(init.body) }),
		});
	return { reply, cookie, csrf, page, ask };
}

t.test("an operator signs in, sees the pages, gives commands and signs out", async (t) => {
	const { shop, asAdmin, addOperator } = await openShop(t);
	const { key } = await addOperator("Ada", "owner");
	const { reply, cookie, csrf, page, ask } = await signIn(shop, key);
	t.equal(reply.status, 303);
	t.equal(reply.headers.get("location"), "/admin/ui");
	const [set = ""] = reply.headers.getSetCookie();
	t.match(set, /; Path=\/; HttpOnly; SameSite=Strict$/);
	t.equal(page.status, 200);
	t.match(page.body, /Ada, owner/);
	t.notMatch(page.body, key, "the key is in no page");
	t.notMatch(page.body, cookie.split("=")[1], "and neither is what the cookie has");
	t.equal((await ask("/overview")).status, 200);
	t.equal((await ask("/spts", { method: "POST", body: { usd: "2" } })).status, 200);
	const ended = await postForm(shop, "/session/end", { csrf }, { ...SAME, Cookie: cookie });
	t.equal(ended.status, 303);
	t.match(ended.headers.getSetCookie()[0], /Expires=Thu, 01 Jan 1970/);
	t.equal((await ask("/overview")).status, 401, "a cookie that was kept opens nothing");
	const { items } = (await asAdmin("GET", "/audit?actor=Ada")).body;
	t.match(items, [
		{ command: "signOut", via: "dashboard", outcome: "done" },
		{ command: "issueSpt", via: "dashboard", outcome: "done" },
		{ command: "signIn", via: "dashboard", outcome: "done", role: "owner" },
	]);
	t.match((await asAdmin("GET", "/audit?command=addOperator")).body.items[0], { via: null });
	t.match((await asAdmin("GET", "/audit/verification")).body, { status: "ok" });
});

t.test("a session opens nothing without the proof of its page, or for another site", async (t) => {
	const { shop, addOperator, asAdmin } = await openShop(t);
	const { key } = await addOperator("Ada", "owner");
	const { ask } = await signIn(shop, key);
	const other = await signIn(shop, key);
	const { host } = new URL(shop.baseUrl);
	const refused: [string, Headers][] = [
		["no proof", { "X-CSRF-Token": "" }],
		["the proof of another session", { "X-CSRF-Token": other.csrf }],
		["another site", { "Sec-Fetch-Site": "cross-site" }],
		["another port of this machine", { "Sec-Fetch-Site": "same-site" }],
		["an address that was typed", { "Sec-Fetch-Site": "none" }],
		["a foreign origin", { Origin: "https://evil.example" }],
		["an opaque origin", { Origin: "null" }],
		["the same host by another scheme", { Origin: `https://${host}` }],
	];
	for (const [name, headers] of refused) {
		for (const method of ["GET", "POST"]) {
			const init = { method, headers, ...(method === "POST" && { body: { usd: "2" } }) };
			t.equal((await ask("/spts", init)).status, 403, `${method}, ${name}`);
		}
	}
	t.equal((await ask("/spts", { headers: { Origin: `http://${host}` } })).status, 200);
	t.same((await asAdmin("GET", "/spts")).body.items, [], "nothing was issued");
	const bare = { headers: { Cookie: other.cookie, "X-CSRF-Token": other.csrf } };
	t.equal((await shop.send("/v1/admin/spts", bare)).status, 403, "neither header says where from");
	const old = { headers: { ...bare.headers, Origin: `http://${host}` } };
	t.equal(
		(await shop.send("/v1/admin/spts", old)).status,
		200,
		"an older browser names its origin",
	);
	for (const headers of [
		{ "Sec-Fetch-Site": "cross-site" },
		{},
		{ Origin: "https://evil.example" },
	]) {
		const { status, headers: sent } = await postForm(shop, "/session", { key }, headers as Headers);
		t.equal(status, 403, "no other site signs anyone in");
		t.same(sent.getSetCookie(), []);
	}
	const csrf = other.csrf;
	const foreign = { Cookie: other.cookie, "Sec-Fetch-Site": "cross-site" };
	t.equal((await postForm(shop, "/session/end", { csrf }, foreign)).status, 403);
	const unproved = { ...SAME, Cookie: other.cookie };
	t.equal((await postForm(shop, "/session/end", { csrf: "x" }, unproved)).status, 403);
	t.equal((await other.ask("/overview")).status, 200, "no other site signs anyone out");
});

t.test("what names a credential is judged by that alone", async (t) => {
	const { shop, addOperator } = await openShop(t);
	const { key } = await addOperator("Ada", "owner");
	const { ask } = await signIn(shop, key);
	t.equal((await ask("/overview", { headers: { Authorization: "Bearer opk_x" } })).status, 401);
	const withKey = { Authorization: `Bearer ${key}`, "Sec-Fetch-Site": "cross-site" };
	t.equal((await ask("/overview", { headers: withKey })).status, 200);
});

t.test("a planted cookie is worth nothing, before a sign-in and after it", async (t) => {
	const { shop, addOperator } = await openShop(t);
	const { key } = await addOperator("Ada", "owner");
	const mallory = await signIn(shop, (await addOperator("Mallory", "reader")).key);
	const name = mallory.cookie.split("=")[0];
	for (const value of ["", "x", `ops_${"a".repeat(36)}`]) {
		const planted = `${name}=${value}`;
		t.ok(asksForKey(await shop.send("/admin/ui", { headers: { Cookie: planted } })));
		const signedIn = await signIn(shop, key, { Cookie: planted });
		t.not(signedIn.cookie, planted);
	}
	// The victim signs in while the browser shows a session that someone else knows.
	const victim = await signIn(shop, key, { Cookie: mallory.cookie });
	t.not(victim.cookie, mallory.cookie);
	t.equal((await mallory.ask("/overview")).status, 401, "what was known before ends");
	const both = { Cookie: `${name}=planted; ${victim.cookie}` };
	t.ok(asksForKey(await shop.send("/admin/ui", { headers: both })), "two of one name: neither");
});

t.test("a session ends by itself", async (t) => {
	const clock = manualClock("2026-03-31T08:00:00Z");
	const { shop, addOperator } = await openShop(t, { clock });
	const { key } = await addOperator("Ada", "owner");
	const idle = await signIn(shop, key);
	clock.advance(29 * 60_000);
	t.equal((await idle.ask("/overview")).status, 200);
	clock.advance(29 * 60_000);
	t.equal((await idle.ask("/overview")).status, 200, "each request prolongs it");
	clock.advance(31 * 60_000);
	const ended = await idle.ask("/overview");
	t.equal(ended.status, 401);
	t.match(ended.body.error.message, /has ended; sign in again/);
	const long = await signIn(shop, key);
	for (let minutes = 0; minutes < 12 * 60 - 20; minutes += 20) {
		clock.advance(20 * 60_000);
		t.equal((await long.ask("/clock")).status, 200);
	}
	clock.advance(20 * 60_000);
	t.equal((await long.ask("/clock")).status, 401, "half a day is the most");
	await signIn(shop, key);
	const rows = await shop.app.store.read((reader) => reader.list("operator_sessions"));
	t.equal(rows.length, 1, "those that have ended are forgotten");
});

t.test("what an owner decides of an operator counts at once", async (t) => {
	const { shop, asAdmin, addOperator } = await openShop(t);
	const reader = await addOperator("Rita", "reader");
	const { ask } = await signIn(shop, reader.key);
	t.equal((await ask("/overview")).status, 200);
	const refused = await ask("/spts", { method: "POST", body: { usd: "2" } });
	t.equal(refused.status, 403);
	t.match(refused.body.error.message, /"Rita" is a reader/);
	t.match((await asAdmin("GET", "/audit?actor=Rita")).body.items[0], {
		command: "issueSpt",
		outcome: "failed",
		code: "SCOPE_FORBIDDEN",
		via: "dashboard",
	});
	await asAdmin("DELETE", `/operators/${reader.id}`);
	t.equal((await ask("/overview")).status, 401);
	t.equal((await signIn(shop, reader.key)).reply.status, 401);
});

t.test("what is kept of a session opens nothing", async (t) => {
	const { shop, addOperator } = await openShop(t);
	const { cookie } = await signIn(shop, (await addOperator("Ada", "owner")).key);
	const [row] = await shop.app.store.read((reader) => reader.list("operator_sessions"));
	const [name, secret = ""] = cookie.split("=");
	t.notMatch(JSON.stringify(row), secret);
	const stolen = { Cookie: `${name}=${row?.id}` };
	t.ok(asksForKey(await shop.send("/admin/ui", { headers: stolen })));
});

t.test("the admin token opens the dashboard on its own machine alone", async (t) => {
	const { shop } = await openShop(t, {
		settings: { profile: "production", adminFrom: "anywhere" },
	});
	const near = await signIn(shop, shop.app.adminToken);
	t.equal(near.reply.status, 303);
	t.match(near.page.body, /admin token, owner/);
	const forwarded = { "X-Forwarded-For": "203.0.113.9" };
	t.equal((await signIn(shop, shop.app.adminToken, forwarded)).reply.status, 401);
	t.equal((await near.ask("/overview")).status, 200);
	t.equal((await near.ask("/overview", { headers: forwarded })).status, 401, "nor its session");
});

t.test("on the open port there is no dashboard, unless it is let out", async (t) => {
	const forwarded = { "X-Forwarded-For": "203.0.113.9" };
	const production = { profile: "production", publicUrl: "https://shop.example" } as const;
	for (const [adminFrom, expected] of [
		["loopback", 404],
		["anywhere", 200],
	] as const) {
		const { shop } = await openShop(t, { settings: { ...production, adminFrom } });
		for (const path of ["/admin/ui", "/admin/ui/graphs", "/admin/ui/no-such-part"]) {
			const { status, body } = await shop.send(path, { headers: forwarded });
			t.equal(status, expected, `${path}, ${adminFrom}`);
			if (expected === 404) t.notMatch(JSON.stringify(body), /dashboard|sign in/i);
		}
		const key = { key: "opk_x" };
		const tried = await postForm(shop, "/session", key, { ...SAME, ...forwarded });
		t.equal(tried.status, expected === 404 ? 404 : 401);
	}
});

t.test("where the address is https, the cookie is for that host and for https alone", async (t) => {
	const settings = { profile: "production", adminFrom: "anywhere", trustedProxies: [] } as const;
	const { shop, addOperator } = await openShop(t, { settings });
	const { key } = await addOperator("Ada", "owner");
	const proxied = { "X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "https" };
	const { reply, ask, cookie } = await signIn(shop, key, proxied);
	t.match(
		reply.headers.getSetCookie()[0],
		/^__Host-tollgraph_operator=ops_\w+; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
	);
	t.equal((await ask("/overview", { headers: proxied })).status, 200);
	const renamed = { ...proxied, Cookie: cookie.replace("__Host-", "") };
	t.equal((await ask("/overview", { headers: renamed })).status, 401, "planted by another host");
});

t.test("pages are for no frame, no cache and no other origin", async (t) => {
	const { shop, addOperator } = await openShop(t);
	const { page, cookie } = await signIn(shop, (await addOperator("Ada", "owner")).key);
	for (const { headers } of [page, await shop.send("/admin/ui")]) {
		t.match(headers.get("content-security-policy"), /default-src 'none'.*frame-ancestors 'none'/);
		t.equal(headers.get("x-frame-options"), "DENY");
		t.equal(headers.get("referrer-policy"), "same-origin");
		t.equal(headers.get("cache-control"), "no-store");
		t.equal(headers.get("access-control-allow-origin"), null);
		t.equal(headers.get("cross-origin-resource-policy"), "same-origin");
	}
	const unknown = await shop.send("/admin/ui/no-such-part", { headers: { Cookie: cookie } });
	t.equal(unknown.status, 404);
});

t.test("guesses are counted, noted and end; the right key is let in meanwhile", async (t) => {
	const { shop, asAdmin, addOperator } = await openShop(t);
	const { key } = await addOperator("Ada", "owner");
	const guess = async (call: number) =>
		(await postForm(shop, "/session", { key: `opk_${String(call).padStart(36, "x")}` })).status;
	let calls = 0;
	while ((await guess(calls)) !== 429 && calls < 500) calls++;
	t.ok(calls > 0 && calls < 500, `${calls} guesses`);
	const { items } = (await asAdmin("GET", "/audit?actor=unknown&limit=500")).body;
	t.match(items[0], { command: "signIn", outcome: "failed", code: "UNAUTHENTICATED" });
	t.ok(items.length <= 20, "the log is not filled by those who guess");
	t.equal((await signIn(shop, key)).reply.status, 303);
	t.equal((await signIn(shop, shop.app.adminToken)).reply.status, 303);
});

t.test("failed sign-ins fill the log at no more than ten lines an hour", async (t) => {
	const clock = manualClock("2026-03-31T08:00:00Z");
	const { shop, asAdmin } = await openShop(t, { clock });
	const guess = () => postForm(shop, "/session", { key: "opk_wrong" });
	const countLines = async () =>
		(await asAdmin("GET", "/audit?actor=unknown&limit=500")).body.items.length;
	for (let minute = 0; minute < 12; minute++) {
		t.equal((await guess()).status, 401);
		clock.advance(60_000);
	}
	t.equal(await countLines(), 10);
	clock.advance(3_600_000);
	await guess();
	t.equal(await countLines(), 11);
});

t.test("one operator's sessions end no others'", async (t) => {
	const { shop, addOperator } = await openShop(t);
	const owner = await signIn(shop, (await addOperator("Ada", "owner")).key);
	const { key } = await addOperator("Rita", "reader");
	const first = await signIn(shop, key);
	for (let more = 0; more < 20; more++) await postForm(shop, "/session", { key });
	t.equal((await first.ask("/overview")).status, 401, "her own oldest one ended");
	t.equal((await owner.ask("/overview")).status, 200);
});

t.test("a form that is none signs no one in", async (t) => {
	const { shop } = await openShop(t);
	const json = { ...SAME, "Content-Type": "application/json" };
	const reply = await shop.send("/admin/ui/session", {
		method: "POST",
		headers: json,
		body: "{}",
	});
	t.equal(reply.status, 400);
	t.same(reply.headers.getSetCookie(), []);
});
