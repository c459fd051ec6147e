import t from "tap";
import {
	authorizeUrl,
	connect,
	createBrowser,
	createPkce,
	csrfOf,
	obtainCode,
	openOAuthShop,
	REDIRECT,
} from "./oauth-client.js";

t.test("a client gets from nothing to a token that may spend a budget", async (t) => {
	const shop = await openOAuthShop(t);
	const clientId = await shop.register();
	const { verifier, challenge } = createPkce();

	const { code, consent, left } = await obtainCode(shop, { clientId, challenge, budget: "2.50" });
	console.error(consent.text, left.href, consent.headers);
	const { status, headers, body } = await shop.token({
		grant_type: "authorization_code",
		client_id: clientId,
		code,
		code_verifier: verifier,
		redirect_uri: REDIRECT,
		resource: `${shop.baseUrl}/mcp`,
	});
	console.error(status, body, headers);
	t.equal(status, 200);
	console.error(await shop.identify(body.access_token));
	const refreshed = await shop.token({
		grant_type: "refresh_token",
		client_id: clientId,
		refresh_token: body.refresh_token,
	});
	console.error(refreshed.body);
	const keys = await shop.ask("GET", "/v1/account/keys");
	console.error(JSON.stringify(keys.body, null, 1));
});
