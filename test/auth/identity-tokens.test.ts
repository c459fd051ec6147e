import { createHmac, createPublicKey, type KeyObject } from "node:crypto";
import { generateKeyPair } from "jose";
import t from "tap";
import { IDENTITY_ALGORITHMS } from "../../src/accounts/identity-token.js";
import { createIdentityVerifier, createIssuerKeys } from "../../src/accounts/identity-verifier.js";
import { LIMITS } from "../../src/contract/limits.js";
import { createConfiguredEgress } from "../../src/delivery/configured-egress.js";
import type { Clock } from "../../src/kernel/clock.js";
import { manualClock } from "../support/manual-clock.js";
import { times } from "../support/times.js";
import { AUDIENCE, ISSUER_NOW, type LocalIssuer, startIssuer } from "./local-issuer.js";

const silent = { info: () => undefined, error: () => undefined };

function createKeys({ url }: LocalIssuer, clock: Clock) {
	const egress = createConfiguredEgress({ urls: [url] });
	const algorithms = IDENTITY_ALGORITHMS;
	const keys = createIssuerKeys({ issuer: url, egress, clock, logger: silent });
	const rules = { issuer: url, audience: AUDIENCE, algorithms, maxTokenAgeSeconds: 3_600 };
	return { rules, keys };
}

function createVerify(issuer: LocalIssuer, clock: Clock) {
	return createIdentityVerifier({ ...createKeys(issuer, clock), clock });
}

const encode = (value: unknown) =>
	Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");

function parts(token: string): [string, string, string] {
	const [header = "", payload = "", signature = ""] = token.split(".");
	return [header, payload, signature];
}

/** Every way we know to make a token that must not be taken. */
async function badTokens(issuer: LocalIssuer): Promise<Record<string, string>> {
	const good = await issuer.token();
	const [header, payload, signature] = parts(good);
	const claims = JSON.parse(Buffer.from(payload, "base64url").toString());
	const now = ISSUER_NOW;
	const withClaims = (changes: object) => issuer.token({ claims: changes as never });
	const withHeader = (changes: object) => issuer.token({ header: changes as never });
	const rsa = issuer.keys.get("RS256")?.publicJwk as never;
	const pem = (createPublicKey({ key: rsa, format: "jwk" }) as KeyObject).export({
		type: "spki",
		format: "pem",
	});
	const hmac = (head: object) => {
		const text = `${encode(head)}.${payload}`;
		return `${text}.${createHmac("sha256", pem).update(text).digest("base64url")}`;
	};
	const stranger = await generateKeyPair("ES256", { extractable: true });
	const ecJwk = issuer.keys.get("ES256")?.publicJwk;
	return {
		"no signature, alg none": `${encode({ alg: "none", typ: "JWT" })}.${payload}.`,
		"alg none with a signature": `${encode({ alg: "none", kid: "key-ES256" })}.${payload}.${signature}`,
		"alg NoNe": `${encode({ alg: "NoNe", kid: "key-ES256" })}.${payload}.${signature}`,
		"HS256 with the public key": hmac({ alg: "HS256", kid: "key-RS256", typ: "JWT" }),
		"HS256 body called RS256": hmac({ alg: "RS256", kid: "key-RS256", typ: "JWT" }),
		"another issuer": await withClaims({ iss: "https://elsewhere.example" }),
		"issuer with a slash": await withClaims({ iss: `${issuer.url}/` }),
		"no issuer": await withClaims({ iss: undefined }),
		"another audience": await withClaims({ aud: "https://elsewhere.example" }),
		"audiences without ours": await withClaims({ aud: ["a", "b"] }),
		"no audience": await withClaims({ aud: undefined }),
		"no expiry": await withClaims({ exp: undefined }),
		"an expiry in words": `${header}.${encode({ ...claims, exp: "tomorrow" })}.${signature}`,
		expired: await withClaims({ exp: now - 31 }),
		"no time of issue": await withClaims({ iat: undefined }),
		"issued long ago": await withClaims({ iat: now - 3_700, exp: now + 600 }),
		"issued in the future": await withClaims({ iat: now + 60 }),
		"not valid yet": await withClaims({ nbf: now + 60 }),
		"no subject": await withClaims({ sub: undefined }),
		"a subject that is no text": await withClaims({ sub: 7 }),
		"an embedded key": await issuer.token({
			header: { jwk: ecJwk as never },
			signWith: stranger.privateKey,
		}),
		"a key elsewhere (jku)": await withHeader({ jku: "https://elsewhere.example/keys" }),
		"a certificate elsewhere (x5u)": await withHeader({ x5u: "https://elsewhere.example/c" }),
		"a certificate inside (x5c)": await withHeader({ x5c: ["MIIB"] }),
		"critical extensions": await withHeader({
			crit: ["urn:example:made-up"],
			"urn:example:made-up": true,
		}),
		"another type": await withHeader({ typ: "receipt+jwt" }),
		"an unknown key": await withHeader({ kid: "key-unknown" }),
		"no key id": await withHeader({ kid: undefined }),
		"a key id that is a path": await withHeader({ kid: "../../etc/passwd" }),
		"signed by a stranger": await issuer.token({ signWith: stranger.privateKey }),
		"a key of another kind": await issuer.token({ header: { kid: "key-RS256" } }),
		"an RSA signature called PS256": await issuer.token({ algorithm: "RS256" }).then((token) => {
			const [, body, sign] = parts(token);
			return `${encode({ alg: "PS256", kid: "key-RS256", typ: "JWT" })}.${body}.${sign}`;
		}),
		"another payload": `${header}.${encode({ ...claims, sub: "admin" })}.${signature}`,
		"over eight kilobytes": await withClaims({ padding: "x".repeat(8_192) }),
		"a claim twice": `${header}.${encode(
			`{"sub":"user-1","sub":"admin",${JSON.stringify(claims).slice(1)}`,
		)}.${signature}`,
		"a header member twice": `${encode(
			'{"alg":"none","alg":"ES256","kid":"key-ES256","typ":"JWT"}',
		)}.${payload}.${signature}`,
		"white space inside": `${header}.${payload} .${signature}`,
		"a line break at the end": `${good}\n`,
		"padded base64": `${header}.${payload}.${signature}==`,
		"base64 with + and /": `${header}.${payload}.${"+/".repeat(43)}`,
		"bits that no byte uses": `${header}.${payload}.${signature.slice(0, -1)}${nextChar(signature)}`,
		"two parts": `${header}.${payload}`,
		"four parts": `${good}.${signature}`,
		"a payload that is a list": `${header}.${encode([claims])}.${signature}`,
		"a payload that is no UTF-8": `${header}.${Buffer.from([0x7b, 0xff, 0x7d]).toString("base64url")}.${signature}`,
		"an empty payload": `${header}..${signature}`,
	};
}

/** The next character of the alphabet: the same bytes, other bits behind them. */
function nextChar(text: string): string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
	return alphabet[alphabet.indexOf(text.at(-1) ?? "A") + 1] ?? "A";
}

t.test("a token of each algorithm is taken, and its claims are returned", async (t) => {
	const issuer = await startIssuer(t);
	const verify = createVerify(issuer, manualClock("2026-03-10T12:00:00Z"));
	for (const algorithm of IDENTITY_ALGORITHMS) {
		t.match(await verify(await issuer.token({ algorithm })), { sub: "user-1" }, algorithm);
	}
	t.match(await verify(await issuer.token({ claims: { aud: ["x", AUDIENCE] } })), {});
	t.match(await verify(await issuer.token({ header: { typ: "at+jwt" } })), {});
	t.match(await verify(await issuer.token({ claims: { exp: ISSUER_NOW - 29 } })), {}, "skew");
	t.equal(issuer.asked(), 1, "its keys were read once");
});

t.test("every bad token is refused as unauthenticated, and none of it is repeated", async (t) => {
	const issuer = await startIssuer(t);
	const verify = createVerify(issuer, manualClock("2026-03-10T12:00:00Z"));
	const tokens = await badTokens(issuer);
	for (const [name, token] of Object.entries(tokens)) {
		const error = await verify(token).then(
			() => undefined,
			(thrown: unknown) => thrown as Error & { code: string },
		);
		t.equal(error?.code, "UNAUTHENTICATED", name);
		const [, , signature] = parts(token);
		if (signature.length > 20) t.notOk(error?.message.includes(signature.slice(0, 20)), name);
	}
	t.ok(Object.keys(tokens).length >= 40);
	t.ok(issuer.asked() <= 2, "made-up key ids do not make us ask again and again");
});

t.test("a key that was withdrawn is trusted no longer, and a new one is found", async (t) => {
	const issuer = await startIssuer(t);
	let monotonicMs = 0;
	const clock = { ...manualClock("2026-03-10T12:00:00Z"), monotonicMs: () => monotonicMs };
	const verify = createVerify(issuer, clock);
	const es = await issuer.token();
	await verify(es);
	const rs = issuer.keys.get("RS256")?.publicJwk ?? {};
	issuer.serve([rs]);
	await t.resolves(verify(es), "known keys go on for a while");
	const before = issuer.asked();
	await t.rejects(verify(await issuer.token({ header: { kid: "new" } })), /kid/);
	t.equal(issuer.asked(), before, "too early to ask again");
	monotonicMs += 31_000;
	const unknown = times(20, async () => verify(await issuer.token({ header: { kid: "new" } })));
	await Promise.allSettled(unknown);
	t.equal(issuer.asked(), before + 1, "asked once for all who wait");
	await t.rejects(verify(es), { code: "UNAUTHENTICATED" }, "also one that was checked before");
	await t.resolves(verify(await issuer.token({ algorithm: "RS256" })));

	issuer.serve(undefined);
	monotonicMs += 3_600_000;
	await t.resolves(
		verify(await issuer.token({ algorithm: "RS256" })),
		"the last good keys are kept",
	);
	monotonicMs += 24 * 3_600_000;
	const late = verify(await issuer.token({ algorithm: "RS256", claims: { sub: "user-2" } }));
	await t.rejects(late, { code: "UNAVAILABLE" }, "not for ever");
});

t.test("keys no longer fresh are read again before they are trusted", async (t) => {
	const issuer = await startIssuer(t);
	let monotonicMs = 0;
	const clock = { ...manualClock("2026-03-10T12:00:00Z"), monotonicMs: () => monotonicMs };
	const verify = createVerify(issuer, clock);
	const [seen, unseen] = [await issuer.token(), await issuer.token({ claims: { sub: "user-2" } })];
	await verify(seen);
	issuer.serve([issuer.keys.get("RS256")?.publicJwk ?? {}]);
	monotonicMs += LIMITS.issuerKeysFreshMs + 1;
	const judged = await Promise.allSettled([verify(unseen), verify(seen)]);
	t.same(
		judged.map(({ status }) => status),
		["rejected", "rejected"],
		"not even once after the key was withdrawn",
	);
	t.equal(issuer.asked(), 2, "read once for both");
	issuer.serve(undefined);
	monotonicMs += LIMITS.issuerKeysFreshMs + 1;
	await t.resolves(verify(await issuer.token({ algorithm: "RS256" })), "a silent provider");
});

t.test("a verdict is filed under the keys it was reached with", async (t) => {
	const issuer = await startIssuer(t);
	let monotonicMs = 0;
	const clock = { ...manualClock("2026-03-10T12:00:00Z"), monotonicMs: () => monotonicMs };
	const { rules, keys } = createKeys(issuer, clock);
	const withdraw = async () => {
		issuer.serve([issuer.keys.get("RS256")?.publicJwk ?? {}]);
		monotonicMs += LIMITS.issuerKeysCooldownMs + 1;
		await keys.find("another", "RS256");
	};
	const find: typeof keys.find = async (...asked) => {
		const found = await keys.find(...asked);
		// The keys change while the signature is still being checked.
		if (found) await withdraw();
		return found;
	};
	const verify = createIdentityVerifier({ rules, keys: { ...keys, find }, clock });
	const token = await issuer.token();
	await t.resolves(verify(token), "the key was good when it was found");
	await t.rejects(verify(token), { code: "UNAUTHENTICATED" });
});

t.test("keys that could not detect a forgery are not used", async (t) => {
	const issuer = await startIssuer(t);
	const es = issuer.keys.get("ES256")?.publicJwk ?? {};
	const clock = manualClock("2026-03-10T12:00:00Z");
	for (const [name, keys] of Object.entries({
		"for encryption": [{ ...es, use: "enc" }],
		"two of one id": [es, { ...es, x: es["y"] }],
		"a private key": [{ ...es, d: "AAAA" }],
		"a shared secret": [{ kty: "oct", k: "AAAA", kid: "key-ES256" }],
		"of another algorithm": [{ ...es, alg: "ES384" }],
		"a short modulus": [{ kty: "RSA", e: "AQAB", n: "AAAA", kid: "key-RS256" }],
	})) {
		issuer.serve([...keys]);
		await t.rejects(createVerify(issuer, clock)(await issuer.token()), name);
	}
});
