import { createHash, randomBytes } from "node:crypto";

const REDIRECT = "https://client.example/callback";
const RESOURCE = "/chatgpt";
const PAGES_MAX = 10;

/** From registration to an access token, as a client and its user's browser go there; the token. */
export async function connectByOAuth({ send, mask, ready, account }) {
	const resource = `${ready.base_url}${RESOURCE}`;
	const registration = { client_name: "Example Agent", redirect_uris: [REDIRECT] };
	const { body: client } = await send("oauth registration", {
		method: "POST",
		path: "/oauth/register",
		body: registration,
	});
	mask.learn("client_id", client.client_id);
	const verifier = randomBytes(32).toString("base64url");
	const challenge = createHash("sha256").update(verifier).digest("base64url");
	const query = new URLSearchParams({
		response_type: "code",
		client_id: client.client_id,
		redirect_uri: REDIRECT,
		state: "the-state",
		code_challenge: challenge,
		code_challenge_method: "S256",
		resource,
	});
	const browser = createBrowser({ send, mask, ready });
	const login = await browser.visit("sign-in", { path: `/oauth/authorize?${query}` });
	const consent = await browser.submit("wrong key", login, { key: "sk_live_wrong", step: "login" });
	const signedIn = await browser.submit("key", consent, { key: account.key, step: "login" });
	const done = await browser.submit("budget", signedIn, { budget: "50.00", step: "agree" });
	const code = done.left?.searchParams.get("code") ?? "";
	const form = { client_id: client.client_id, resource };
	const tokens = await ask({ send, mask }, "tokens", {
		...form,
		grant_type: "authorization_code",
		code,
		code_verifier: verifier,
		redirect_uri: REDIRECT,
	});
	await ask({ send, mask }, "the code again", { ...form, grant_type: "password" });
	const refresh = { grant_type: "refresh_token", refresh_token: tokens.refresh_token };
	const refreshed = await ask({ send, mask }, "refreshed tokens", { ...form, ...refresh });
	return refreshed.access_token;
}

async function ask({ send, mask }, name, fields) {
	const { body } = await send(`oauth ${name}`, {
		method: "POST",
		path: "/oauth/token",
		text: String(new URLSearchParams(fields)),
		headers: { "Content-Type": "application/x-www-form-urlencoded" },
	});
	mask.learn("access_token", body.access_token);
	mask.learn("refresh_token", body.refresh_token);
	return body;
}

/** Keeps cookies by name and path, and follows redirects within the server. */
function createBrowser({ send, mask, ready }) {
	const cookies = new Map();
	const keep = (lines) => {
		for (const line of lines) {
			const [pair, ...attributes] = line.split(";").map((part) => part.trim());
			const path = attributes.find((known) => /^path=/i.test(known))?.slice(5) ?? "/";
			const [name, value] = [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)];
			mask.learn("cookie", value);
			if (value === "") cookies.delete(`${name} ${path}`);
			else cookies.set(`${name} ${path}`, { pair, path });
		}
	};
	const cookiesFor = (path) =>
		[...cookies.values()]
			.filter((cookie) => path.startsWith(cookie.path))
			.map(({ pair }) => pair)
			.join("; ");
	const visit = async (name, request, steps = 0) => {
		const headers = { Accept: "text/html", Cookie: cookiesFor(request.path), ...request.headers };
		const reply = await send(`oauth page ${name}, step ${steps}`, { ...request, headers });
		keep(reply.headers["set-cookie"] ?? []);
		const { location } = reply.headers;
		const next = location === undefined ? undefined : new URL(location, ready.base_url);
		if (next && next.origin === ready.base_url && steps < PAGES_MAX)
			return visit(name, { path: `${next.pathname}${next.search}` }, steps + 1);
		return { path: request.path, text: [reply.body].flat().join("\n"), left: next };
	};
	return {
		visit: (name, request) => visit(name, request),
		submit: (name, { path, text }, fields) => {
			const csrf = /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? "";
			return visit(name, {
				method: "POST",
				path,
				text: String(new URLSearchParams({ csrf, ...fields })),
				headers: {
					Origin: ready.base_url,
					"Content-Type": "application/x-www-form-urlencoded",
				},
			});
		},
	};
}
