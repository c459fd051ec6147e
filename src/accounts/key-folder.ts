import {
	createPrivateKey,
	createPublicKey,
	generateKeyPairSync,
	type JsonWebKeyInput,
} from "node:crypto";
import {
	chmodSync,
	closeSync,
	fsyncSync,
	mkdirSync,
	openSync,
	readFileSync,
	renameSync,
	statSync,
	writeSync,
} from "node:fs";
import { join } from "node:path";
import { invalidArgument, type Random, type ServiceError, unavailable } from "../kernel/kernel.js";

/** `<data>/keys/`: the only place for secrets at rest. Files 0600, folder 0700, made on first use. */
export type KeyFolder = ReturnType<typeof openKeyFolder>;

export type DemoWalletName = "demo-wallet" | "demo-settler";
export type PlacedSecret = "settler-key" | "facilitator-token" | "writer-key";

export function openKeyFolder(dataFolder: string, random: Random) {
	const folder = join(dataFolder, "keys");
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	chmodSync(folder, 0o700);
	const file = (name: string) => join(folder, name);
	const hex = (bytes: number) => Buffer.from(random.bytes(bytes)).toString("hex");
	const readOrCreate = <T>(
		name: string,
		{ create, parse }: { create: () => string; parse: (path: string, text: string) => T },
	): T => {
		const existing = readIfThere(file(name));
		if (existing !== undefined) return parse(file(name), existing);
		const created = create();
		writeDurably(folder, name, created);
		return parse(file(name), created);
	};
	const signingKey = (name: string) =>
		readOrCreate(name, { create: () => createSigningJwk(hex(8)), parse: parseSigningJwk });

	return {
		/** Key of the hashes under which tokens and API keys are stored; losing it makes every one of them unknown. */
		pepper: readOrCreate("pepper", { create: () => hex(PEPPER_BYTES), parse: parsePepper }),
		adminToken: readOrCreate("admin-token", {
			create: () => `adm_${hex(24)}`,
			parse: parseAdminToken,
		}),
		/** Signs the agent card. */
		signingJwk: signingKey("card-signing.jwk.json"),
		/** Signs receipts, and nothing else. */
		receiptJwk: signingKey("receipt-signing.jwk.json"),
		/** Signs access tokens, and nothing else; another one in its place costs clients no more than a refresh. */
		oauthJwk: signingKey("oauth-signing.jwk.json"),
		readDemoSpt: () => readIfThere(file("demo-spt")),
		writeDemoSpt: (token: string) => writeDurably(folder, "demo-spt", token),
		/** Key of a wallet on the demo chain, made by `create` on first use. */
		async demoWallet(name: DemoWalletName, create: () => Promise<KeyPair>): Promise<KeyPair> {
			const path = file(`${name}.json`);
			const kept = readIfThere(path);
			if (kept !== undefined) return parseKeyPair(path, kept);
			const created = await create();
			writeDurably(folder, `${name}.json`, JSON.stringify(created));
			return created;
		},
		/** A secret that the operator puts there; see readPlacedSecret. */
		readPlaced: (name: PlacedSecret) => readPlacedSecret(dataFolder, name),
	};
}

/**
 * A secret that the operator puts there; undefined when the file is missing. Throws INVALID_ARGUMENT for a file that others
 * may read. Makes no folder.
 */
export function readPlacedSecret(dataFolder: string, name: PlacedSecret): string | undefined {
	const path = join(dataFolder, "keys", name);
	const secret = readIfThere(path)?.trim();
	if (secret !== undefined) assertPrivate(path);
	return secret;
}

function assertPrivate(path: string): void {
	if (process.platform === "win32" || (statSync(path).mode & 0o077) === 0) return;
	throw invalidArgument(
		`The file "${path}" holds a secret that others can read; run chmod 600 on it.`,
	);
}

function createSigningJwk(kid: string): string {
	const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
	return JSON.stringify({ ...privateKey.export({ format: "jwk" }), alg: "ES256", use: "sig", kid });
}

/** Written beside, synced, renamed: a crash leaves the old secret or the new one, never half of one. */
function writeDurably(folder: string, name: string, text: string): void {
	const temporary = join(folder, `.${name}.tmp`);
	const handle = openSync(temporary, "w", 0o600);
	try {
		writeSync(handle, text);
		fsyncSync(handle);
	} finally {
		closeSync(handle);
	}
	renameSync(temporary, join(folder, name));
	const folderHandle = openSync(folder, "r");
	try {
		fsyncSync(folderHandle);
	} finally {
		closeSync(folderHandle);
	}
}

/** ES256 key pair that signs, as private JWK. */
export type SigningJwk = Readonly<Record<string, unknown>> & { readonly kid: string };

export interface KeyPair {
	readonly address: `0x${string}`;
	readonly private_key: `0x${string}`;
}

/** Made on the first start; another one in its place would make tokens unknown, signatures void or commands unauthenticated. */
export const LASTING_KEYS = [
	"pepper",
	"admin-token",
	"card-signing.jwk.json",
	"receipt-signing.jwk.json",
] as const;

const PEPPER_BYTES = 32;

/** Throws UNAVAILABLE for anything else than 32 bytes in hexadecimal digits. */
function parsePepper(path: string, text: string): Uint8Array {
	const pepper = Buffer.from(text, "hex");
	if (pepper.length === PEPPER_BYTES) return pepper;
	throw damaged(path, "without it no token is known");
}

/** Throws UNAVAILABLE for what no request could show. */
function parseAdminToken(path: string, text: string): string {
	if (/^[!-~]{16,}$/.test(text)) return text;
	throw damaged(path, "without it no command is let in");
}

/** Throws UNAVAILABLE unless it can sign. */
function parseSigningJwk(path: string, text: string): SigningJwk {
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
function parseKeyPair(path: string, text: string): KeyPair {
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

const FORMS: Readonly<Record<string, (path: string, text: string) => unknown>> = {
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
		else if (isLasting(name)) {
			throw unavailable(
				`The file "${path}" is missing. Put it back from a backup of the data folder.`,
				{ retryable: false },
			);
		}
	}
}

/** Undefined when there is no such file. */
function readIfThere(path: string): string | undefined {
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
	return unavailable(
		`The file "${path}" is damaged: ${consequence}. Put it back from a backup of the data folder.`,
		{ retryable: false },
	);
}

/** JWK set of every key this service signs with: one for the agent card, one for receipts. */
export type KeySet = ReturnType<typeof toKeySet>;

export function toKeySet(signingKeys: readonly SigningJwk[]) {
	return { keys: signingKeys.map(toPublicJwk) };
}

/** The part of a signing key that verifiers may have. */
function toPublicJwk(signingKey: SigningJwk) {
	const key = createPublicKey({ key: signingKey as JsonWebKeyInput["key"], format: "jwk" });
	const { kty = "", crv = "", x = "", y = "" } = key.export({ format: "jwk" });
	return { kty, crv, x, y, alg: "ES256", use: "sig", kid: signingKey.kid } as const;
}
