/** Who issues the signed tokens that callers show. */
export interface TokenIssuers {
	/** Of access tokens; undefined where none are taken. */
	readonly access: () => string | undefined;
	/** Of identity tokens; undefined where none are taken. */
	readonly identity: string | undefined;
}

/**
 * Whether a token says that it is an access token for this address; whether that is so is judged later. One that its issuer
 * could have made as an identity token too is known by the audience.
 */
export function isAccessToken(
	token: string,
	resource: string,
	{ access, identity }: TokenIssuers,
): boolean {
	const issuer = access();
	const claims = readClaims(token);
	if (issuer === undefined || claims?.["iss"] !== issuer) return false;
	const audience: unknown = claims["aud"];
	return issuer !== identity || [audience].flat().includes(resource);
}

/** Undefined for what no one can read. */
function readClaims(token: string): Readonly<Record<string, unknown>> | undefined {
	try {
		const body = Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8");
		return Object(JSON.parse(body));
	} catch {
		return undefined;
	}
}
