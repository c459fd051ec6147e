import { createPrivateKey, type JsonWebKeyInput } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ServiceError } from "../kernel/kernel.js";

/** ES256 key pair that signs, as private JWK. */
export type SigningJwk = Readonly<Record<string, unknown>> & { readonly kid: string };

export interface KeyPair {
	readonly address: `0x${string}`;
	readonly private_key: `0x${string}`;
}

/** Made on the first start; another one in its place would make tokens unknown, signatures void or commands strangers. */
export const LASTING_KEYS = [
	"pepper",
	"admin-token",
	"card-signing.jwk.json",
	"receipt-signing.jwk.json",
] as const;

export const PEPPER_BYTES = 32;

/** Throws UNAVAILABLE for anything else than 32 bytes in hexadecimal digits. */
export function parsePepper(path: string, text: string): Uint8Array {
	const pepper = Buffer.from(text, "hex");
	if (pepper.length === PEPPER_BYTES) return pepper;
	throw damaged(path, "without it no token is known");
}

/** Throws UNAVAILABLE for what no request could show. */
export function parseAdminToken(path: string, text: string): string {
	if (/^[!-~]{16,}$/.test(text)) return text;
	throw damaged(path, "without it no command is let in");
}

/** Throws UNAVAILABLE unless it can sign. */
export function parseSigningJwk(path: string, text: string): SigningJwk {
	try {
		const jwk = JSON.parse(text) as SigningJwk;
		createPrivateKey({ key: jwk as JsonWebKeyInput["key"], format: "jwk" });
		if (typeof jwk.kid === "string" && jwk.kid !== "") return jwk;
	} catch {
		// Node's words would quote the key.
	}
	throw damaged(path, "without it nothing can be signed");
}

/** Throws UNAVAILABLE for anything else than an address and its key. */
export function parseKeyPair(path: string, text: string): KeyPair {
	try {
		const pair = JSON.parse(text) as KeyPair;
		const { address, private_key } = pair;
		if (/^0x[0-9a-fA-F]{40}$/.test(address) && parsePrivateKey(private_key)) return pair;
	} catch {
		// As above.
	}
	throw damaged(path, "without it the wallet's money cannot be moved");
}

/** Of an account on a chain, with or without 0x; undefined when it is none. */
export function parsePrivateKey(text: string): `0x${string}` | undefined {
	const digits = text.startsWith("0x") ? text.slice(2) : text;
	return /^[0-9a-fA-F]{64}$/.test(digits) ? `0x${digits}` : undefined;
}

type Assertion = (path: string, text: string) => unknown;

const FORMS: Readonly<Record<string, Assertion>> = {
	pepper: parsePepper,
	"admin-token": parseAdminToken,
	"card-signing.jwk.json": parseSigningJwk,
	"receipt-signing.jwk.json": parseSigningJwk,
	"oauth-signing.jwk.json": parseSigningJwk,
	"demo-wallet.json": parseKeyPair,
	"demo-settler.json": parseKeyPair,
	"demo-spt": assertSecret,
	"facilitator-token": assertSecret,
	"writer-key": assertSecret,
	"settler-key"(path, text) {
		if (!parsePrivateKey(text.trim())) throw damaged(path, "without it the gas cannot be paid");
	},
};

/** Throws UNAVAILABLE, named as in `shown`, for the first key file that a start would miss or refuse. */
export function assertKeysWhole(folder: string, shown = folder): void {
	const isLasting = (name: string) => LASTING_KEYS.some((lasting) => lasting === name);
	for (const [name, assertForm] of Object.entries(FORMS)) {
		const path = join(shown, name);
		const text = readIfThere(join(folder, name));
		if (text !== undefined) assertForm(path, text);
		else if (isLasting(name)) throw lost(path);
	}
}

/** Undefined when there is no such file. */
export function readIfThere(path: string): string | undefined {
	try {
		return readFileSync(path, "utf8");
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
		throw error;
	}
}

function assertSecret(path: string, text: string): void {
	if (text.trim() === "") throw damaged(path, "it is empty");
}

function damaged(path: string, consequence: string): ServiceError {
	return new ServiceError(
		"UNAVAILABLE",
		`The file "${path}" is damaged: ${consequence}. Put it back from a backup of the data folder.`,
		{ retryable: false },
	);
}

function lost(path: string): ServiceError {
	return new ServiceError(
		"UNAVAILABLE",
		`The file "${path}" is missing. Put it back from a backup of the data folder.`,
		{ retryable: false },
	);
}
