import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import t from "tap";
import { csrfOf, submitBudget, submitKey } from "../oauth/access-pages.js";
import { type Browser, createBrowser, type Visited } from "../oauth/cookie-browser.js";
import { createPkce } from "../oauth/oauth-client.js";
import { REDIRECT } from "../oauth/oauth-shop.js";
import { startPostgres, WITHOUT_POSTGRES } from "../support/postgres-cluster.js";
import { runTollgraph, startServerProcess } from "../support/server-process.js";

const KNOWN_AS = "http://localhost:8402";
const LIGHT = ["--model", "none", "--judge", "none", "--facilitator", "off"];

async function freePort(): Promise<string> {
	const server = createServer().listen(0, "127.0.0.1");
	await once(server, "listening");
	const { port } = server.address() as AddressInfo;
	server.close();
	await once(server, "close");
	return String(port);
}

interface Reply {
	readonly status: number;
	// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever fields it asserts on.
	readonly body: any;
}

async function send(base: string, path: string, init: RequestInit = {}): Promise<Reply> {
	const response = await fetch(`${base}${path}`, init);
	return { status: response.status, body: await response.json() };
}

/** A page as a balancer shows it: what is done there goes to either process. */
const behind = (page: Visited): Visited => ({ ...page, url: new URL(page.url).pathname });
const resumeOf = ({ url }: Visited) => `/oauth/authorize/${url.split("/").at(-1)}`;

t.test("access is given by two processes together", { skip: WITHOUT_POSTGRES }, async (t) => {
	const cluster = await startPostgres();
	t.teardown(() => cluster.stop());
	const folder = t.testdir();
	const keys = ["--keys", join(folder, "keys"), "--store-url", cluster.url];
	const shared = [...keys, ...LIGHT, "--public-url", KNOWN_AS];
	const start = async (name: string) => {
		const port = await freePort();
		const { child } = await startServerProcess([
			...["--data", join(folder, name), "--port", port],
			...shared,
		]);
		t.teardown(() => child.kill("SIGKILL"));
		return `http://127.0.0.1:${port}`;
	};
	const bases = [await start("a"), await start("b")];
	const at = (index: number) => bases[index % 2] ?? "";
	const run = async (...args: readonly string[]) => {
		const data = join(folder, "command");
		const done = await runTollgraph([...args, "--json", "--data", data, ...shared]);
		t.equal(done.code, 0, done.stderr);
		return JSON.parse(done.stdout);
	};
	const { key } = await run("keys", "create", "--label", "the owner", "--usd", "20");
	const open = (first = 0) => createBrowser([at(first), at(first + 1)], KNOWN_AS);
	const registered = await send(at(0), "/oauth/register", {
		method: "POST",
		headers: { "Content-Type": "application/json" },
		body: JSON.stringify({ client_name: "Example Agent", redirect_uris: [REDIRECT] }),
	});
	const clientId = registered.body.client_id;

	const begin = async (browser: Browser) => {
		const { verifier, challenge } = createPkce();
		const query = new URLSearchParams({
			...{ response_type: "code", redirect_uri: REDIRECT, state: "the-state" },
			...{ client_id: clientId, code_challenge: challenge, code_challenge_method: "S256" },
			resource: `${KNOWN_AS}/mcp`,
		});
		const login = behind(await browser.get(`/oauth/authorize?${query}`));
		return { verifier, login };
	};
	const openConsent = async (browser: Browser) => {
		const { verifier, login } = await begin(browser);
		const consent = behind(await submitKey(browser, login, key));
		t.match(consent.text, /name="budget"/);
		return { verifier, login, consent };
	};
	const redeem = (base: string, code: string, verifier: string) =>
		send(base, "/oauth/token", {
			method: "POST",
			body: new URLSearchParams({
				...{ grant_type: "authorization_code", client_id: clientId, redirect_uri: REDIRECT },
				...{ code, code_verifier: verifier },
			}),
		});
	const codeOf = ({ left }: Visited) => left?.searchParams.get("code") ?? undefined;
	const activeKeys = async () => {
		const headers = { "X-API-Key": key };
		const { body } = await send(at(0), "/v1/account/keys", { headers });
		const grants = body.data.items.filter((one: { label: string }) => /OAuth/.test(one.label));
		return grants.filter(({ status }: { status: string }) => status === "active");
	};
	/** A cookie jar of its own, of the same browser, that stays at one process. */
	const copyAt = (browser: Browser, index: number): Browser => {
		const copy = createBrowser(at(index), KNOWN_AS);
		for (const [name, cookie] of browser.cookies) copy.cookies.set(name, cookie);
		return copy;
	};

	await t.test("each step may come to another process than the one before", async (t) => {
		for (const first of [0, 1]) {
			const browser = open(first);
			const { verifier, consent } = await openConsent(browser);
			const code = codeOf(await submitBudget(browser, consent, "5")) ?? "";
			t.ok(code);
			const tokens = await redeem(at(first + 1), code, verifier);
			t.equal(tokens.status, 200, JSON.stringify(tokens.body));
			const called = await fetch(`${at(first)}/mcp`, {
				method: "POST",
				headers: {
					Authorization: `Bearer ${tokens.body.access_token}`,
					...{ "Content-Type": "application/json", Accept: "application/json, text/event-stream" },
				},
				body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
			});
			t.equal(called.status, 200);
			const refreshed = await send(at(first), "/oauth/token", {
				method: "POST",
				body: new URLSearchParams({
					...{ grant_type: "refresh_token", client_id: clientId },
					refresh_token: tokens.body.refresh_token,
				}),
			});
			t.equal(refreshed.status, 200);
			t.match(await browser.get(resumeOf(consent)), { status: 400, left: undefined });
		}
	});

	await t.test("what was agreed to last holds, wherever it was", async (t) => {
		const before = (await activeKeys()).length;
		const browser = open();
		const { verifier, consent } = await openConsent(browser);
		const fields = { csrf: csrfOf(consent.text), step: "agree" };
		const budgets = ["1", "2", "3", "2"];
		await Promise.all(
			budgets.map((budget, index) =>
				copyAt(browser, index).press(consent.url, { ...fields, budget }),
			),
		);
		t.equal((await activeKeys()).length, before + 1, "one key, whatever was pressed");
		const code = codeOf(await browser.post(consent.url, { ...fields, budget: "7" })) ?? "";
		const tokens = await redeem(at(1), code, verifier);
		t.equal(tokens.status, 200, JSON.stringify(tokens.body));
		const made = await activeKeys();
		t.equal(made.length, 1, "which takes the place of the one before");
		t.match(made, [{ max_per_month_usd: "7.00" }]);
	});

	await t.test("an interaction and a code are used once, also by both at once", async (t) => {
		for (let round = 0; round < 5; round++) {
			const browser = open(round);
			const { verifier, consent } = await openConsent(browser);
			await browser.press(consent.url, {
				...{ csrf: csrfOf(consent.text), step: "agree", budget: "5" },
			});
			const resumed = await Promise.all(
				[0, 1, 2, 3].map((index) => copyAt(browser, index).get(resumeOf(consent))),
			);
			const codes = resumed.flatMap((page) => codeOf(page) ?? []);
			t.equal(codes.length, 1, "one of them has a code");
			t.equal(resumed.filter(({ status }) => status === 400).length, 3);
			const [code = ""] = codes;
			const redeemed = await Promise.all([0, 1, 2, 3].map((i) => redeem(at(i), code, verifier)));
			const refused = redeemed.filter(({ status }) => status === 400);
			t.ok(refused.length >= 3, "no two have tokens");
			t.match(refused[0]?.body, { error: "invalid_grant" });
		}
	});

	await t.test("who signs in at both at once goes on in one browser alone", async (t) => {
		const browser = open();
		const { login } = await begin(browser);
		const copies = [copyAt(browser, 0), copyAt(browser, 1)];
		await Promise.all(
			copies.map((copy) => copy.press(login.url, { csrf: csrfOf(login.text), key, step: "login" })),
		);
		const pages = await Promise.all(copies.map((copy) => copy.get(resumeOf(login))));
		t.same(pages.map(({ status }) => status).sort(), [200, 400]);
	});

	await t.test("nothing that a browser shows can be read from the rows", async (t) => {
		const browser = open();
		const { consent } = await openConsent(browser);
		const rows = (await cluster.sql(
			"SELECT body FROM tollgraph.records WHERE tbl = 'oauth_records' UNION ALL SELECT encode(body, 'escape') FROM tollgraph.documents",
		)) as readonly { body: string }[];
		const texts = rows.map(({ body }) => body).join("\n");
		t.match(texts, /"kind":"interaction"/);
		t.match(texts, /"kind":"session"/);
		const secrets = [...browser.cookies.values()].map(({ value }) => value);
		for (const secret of [...secrets, String(consent.url.split("/").at(-1)), "the-state"]) {
			t.notOk(texts.includes(secret));
		}
		await cluster.sql(
			`UPDATE tollgraph.records SET body = regexp_replace(body, '"expiresAt":\\d+', '"expiresAt":1') WHERE tbl = 'oauth_records' AND body ~ '"kind":"(interaction|session)"'`,
		);
		t.match(await browser.get(consent.url), { status: 400, text: /no longer open/ });
		const purged = await run("retention", "purge");
		t.ok(purged.rows_removed.oauth_records > 0);
		const [left] = (await cluster.sql(
			`SELECT count(*)::int AS n FROM tollgraph.records WHERE tbl = 'oauth_records' AND body ~ '"kind":"(interaction|session)"'`,
		)) as readonly { n: number }[];
		t.equal(left?.n, 0);
	});
});
