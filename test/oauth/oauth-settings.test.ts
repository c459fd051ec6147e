import t from "tap";
import { readSettings } from "../../src/settings/read-settings.js";

const read = (flags: Record<string, string>) =>
	readSettings({ flags, environment: {}, folder: "/nowhere" }).oauth;

t.test("this server gives access unless its operator says otherwise", async (t) => {
	t.equal(read({}), "own");
	t.equal(read({ oauth: "off" }), "off");
	t.match(read({ oauth: "https://login.example/realm" }), {
		issuer: "https://login.example/realm",
		accountClaim: "sub",
		jwksUri: undefined,
	});
	for (const oauth of [
		"yes",
		"http://login.example",
		"https://a:b@login.example",
		"https://login.example/#x",
	]) {
		t.throws(() => read({ oauth }), { code: "INVALID_ARGUMENT" }, oauth);
	}
});

t.test("an address of keys belongs to the issuer it was named for", async (t) => {
	const oidc = {
		oidc_issuer: "https://people.example",
		oidc_audience: "us",
		oidc_jwks_uri: "https://people.example/keys",
	};
	t.match(read({ ...oidc, oauth: "https://people.example" }), { jwksUri: oidc.oidc_jwks_uri });
	t.match(read({ ...oidc, oauth: "https://login.example" }), { jwksUri: undefined });
});
