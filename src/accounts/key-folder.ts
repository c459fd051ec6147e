import {
	createPrivateKey,
	createPublicKey,
	generateKeyPairSync,
	type JsonWebKeyInput,
	randomBytes,
} from "node:crypto";
import {
	chmodSync,
	closeSync,
	existsSync,
	fsyncSync,
	linkSync,
	mkdirSync,
	openSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	writeSync,
} from "node:fs";
import { basename, join } from "node:path";
import {
	invalidArgument,
	type Pepper,
	type Random,
	type ServiceError,
	unavailable,
} from "../kernel/kernel.js";
import { createKeyRing, type KeyRing, linesOf, type RingName } from "./key-ring.js";

/** `<data>/keys/`: the only place for secrets at rest. Files 0600, folder 0700, made on first use. */
export type KeyFolder = ReturnType<typeof openKeyFolder>;

export type DemoWalletName = "demo-wallet" | "demo-settler";
export type PlacedSecret = "settler-key" | "facilitator-token" | "writer-key" | "otlp-headers";

export function openKeyFolder(
	/** Made when it is missing; several processes may open it at once. */
	folder: string,
	random: Random,
	/** Keys of texts at rest that an operator's command printed, newest first; a file of ours where absent. */
	textKeys?: readonly string[],
) {
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	chmodSync(folder, 0o700);
	const file = (name: string) => join(folder, name);
	const hex = (bytes: number) => Buffer.from(random.bytes(bytes)).toString("hex");
	const signing = { make: () => createSigningJwk(hex(8)), parse: parseSigningJwk };
	const secret = { make: () => hex(SECRET_BYTES), parse: parseSecretBytes };
	const ringOf = <Key>(
		name: RingName,
		{ make, parse }: { make: () => string; parse: (path: string, text: string) => Key },
		given?: readonly string[],
	) => {
		if (!given && !existsSync(file(name))) createDurably(folder, name, make());
		const write = (lines: readonly string[]) => writeDurably(folder, name, `${lines.join("\n")}\n`);
		return createKeyRing({ path: file(name), make, parse, write, given });
	};
	const rings = {
		pepper: ringOf("pepper", secret),
		"card-signing.jwk.json": ringOf("card-signing.jwk.json", signing),
		"receipt-signing.jwk.json": ringOf("receipt-signing.jwk.json", signing),
		"oauth-signing.jwk.json": ringOf("oauth-signing.jwk.json", signing),
		"text-key": ringOf("text-key", secret, textKeys),
	} satisfies Record<RingName, KeyRing<unknown>>;
	const pepper = {
		get inForce() {
			return rings.pepper.inForce();
		},
		get retired() {
			return rings.pepper.retired();
		},
	} as Pepper;
	return {
		/** What is rotated, by the names of its files. */
		rings,
		/** Keys of the hashes under which tokens and API keys are stored; losing them makes every one of them unknown. */
		pepper,
		adminToken: readOrCreate(folder, "admin-token", {
			create: () => `adm_${hex(24)}`,
			parse: parseAdminToken,
		}),
		/** The first signs the agent card; all of them are published. */
		cardKeys: rings["card-signing.jwk.json"].inForce,
		/** The first signs receipts, and nothing else; all of them verify. */
		receiptKeys: rings["receipt-signing.jwk.json"].inForce,
		/** The first signs access tokens, and nothing else; another one in its place costs clients no more than a refresh. */
		oauthKeys: rings["oauth-signing.jwk.json"].inForce,
		/** The first encrypts texts at rest; all of them read. */
		textKeys: rings["text-key"].inForce,
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
		readPlaced: (name: PlacedSecret) => readPlacedSecret(folder, name),
	};
}

function readOrCreate<T>(
	folder: string,
	name: string,
	{ create, parse }: { create: () => string; parse: (path: string, text: string) => T },
): T {
	const path = join(folder, name);
	const existing = readIfThere(path);
	if (existing !== undefined) return parse(path, existing);
	createDurably(folder, name, create());
	return parse(path, readIfThere(path) ?? "");
}

/**
 * A secret that the operator puts there; undefined when the file is missing. Throws INVALID_ARGUMENT for a file that others
 * may read. Makes no folder.
 */
export function readPlacedSecret(folder: string, name: PlacedSecret): string | undefined {
	const path = join(folder, name);
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
	placeDurably(folder, name, { text, place: renameSync });
}

/** As `writeDurably`, unless another process was faster: then its secret counts. */
function createDurably(folder: string, name: string, text: string): void {
	const place = (temporary: string, path: string) => {
		try {
			linkSync(temporary, path);
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
		} finally {
			rmSync(temporary, { force: true });
		}
	};
	placeDurably(folder, name, { text, place });
}

function placeDurably(
	folder: string,
	name: string,
	{ text, place }: { text: string; place: (temporary: string, path: string) => void },
): void {
	// Processes in containers may have the same number.
	const temporary = join(folder, `.${name}.${randomBytes(8).toString("hex")}.tmp`);
	const handle = openSync(temporary, "wx", 0o600);
	try {
		writeSync(handle, text);
		fsyncSync(handle);
	} finally {
		closeSync(handle);
	}
	place(temporary, join(folder, name));
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

const SECRET_BYTES = 32;

/** Throws UNAVAILABLE for anything else than 32 bytes in hexadecimal digits. */
function parseSecretBytes(path: string, text: string): Uint8Array {
	const bytes = Buffer.from(text, "hex");
	if (bytes.length === SECRET_BYTES && text.length === 2 * SECRET_BYTES) return bytes;
	const isPepper = basename(path) === "pepper";
	throw damaged(path, `without it no ${isPepper ? "token is known" : "text can be read"}`);
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
	pepper: eachLine(parseSecretBytes),
	"admin-token": parseAdminToken,
	"card-signing.jwk.json": eachLine(parseSigningJwk),
	"receipt-signing.jwk.json": eachLine(parseSigningJwk),
	"oauth-signing.jwk.json": eachLine(parseSigningJwk),
	"text-key": eachLine(parseSecretBytes),
	"demo-wallet.json": parseKeyPair,
	"demo-settler.json": parseKeyPair,
	"demo-spt": assertSecret,
	"facilitator-token": assertSecret,
	"writer-key": assertSecret,
	"otlp-headers": assertSecret,
	"settler-key"(path, text) {
		if (!parsePrivateKey(text.trim())) throw damaged(path, "without it the gas cannot be paid");
	},
};

function eachLine(parse: (path: string, text: string) => unknown) {
	return (path: string, text: string) => linesOf(text).map((line) => parse(path, line));
}

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
