import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from "jose";
import type { Test } from "tap";

/** An identity provider on a loopback port, with one key for each algorithm, whose answers a test may change. */
export interface LocalIssuer {
	readonly url: string;
	readonly keys: ReadonlyMap<string, IssuerKey>;
	/** Requests for its keys. */
	readonly asked: () => number;
	/** What its key set holds from now on; undefined lets it answer 503. */
	serve(keys: readonly object[] | undefined): void;
	/** A token that is right in every way, but for the changes. */
	token(changes?: TokenChanges): Promise<string>;
}

export interface IssuerKey {
	readonly privateKey: CryptoKey;
	readonly publicJwk: Readonly<Record<string, unknown>>;
}

export interface TokenChanges {
	readonly header?: Readonly<Record<string, unknown>>;
	/** Undefined leaves a claim out. */
	readonly claims?: Readonly<Record<string, unknown>>;
	readonly algorithm?: string;
	readonly signWith?: CryptoKey;
}

export const AUDIENCE = "https://graphs.example";
export const ISSUER_NOW = Date.parse("2026-03-10T12:00:00Z") / 1000;

export async function startIssuer(t: Test): Promise<LocalIssuer> {
	const keys = new Map<string, IssuerKey>();
	for (const algorithm of ["RS256", "PS256", "ES256", "EdDSA"]) {
		const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true });
		const publicJwk = { ...(await exportJWK(publicKey)), kid: `key-${algorithm}`, use: "sig" };
		keys.set(algorithm, { privateKey, publicJwk });
	}
	let served: readonly object[] | undefined = [...keys.values()].map(({ publicJwk }) => publicJwk);
	let asked = 0;
	const server = createServer((req, res) => {
		const isKeys = req.url === "/keys";
		if (isKeys) asked += 1;
		const answer = isKeys ? { keys: served } : { issuer: url, jwks_uri: `${url}/keys` };
		res.statusCode = isKeys && served === undefined ? 503 : 200;
		res.setHeader("Content-Type", "application/json");
		res.end(JSON.stringify(answer));
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	t.teardown(() => {
		server.closeAllConnections();
		server.close();
	});
	return {
		url,
		keys,
		asked: () => asked,
		serve(next) {
			served = next;
		},
		token: ({ header = {}, claims = {}, algorithm = "ES256", signWith } = {}) => {
			const payload = {
				iss: url,
				aud: AUDIENCE,
				sub: "user-1",
				iat: ISSUER_NOW - 10,
				exp: ISSUER_NOW + 600,
				...claims,
			};
			const key = signWith ?? keys.get(algorithm)?.privateKey;
			if (!key) throw new Error(`There is no key for ${algorithm}.`);
			return new SignJWT(payload)
				.setProtectedHeader({ alg: algorithm, kid: `key-${algorithm}`, typ: "JWT", ...header })
				.sign(key, { crit: { "urn:example:made-up": true } });
		},
	};
}
