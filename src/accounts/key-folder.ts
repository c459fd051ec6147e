import { generateKeyPairSync } from "node:crypto";
import {
	chmodSync,
	closeSync,
	fsyncSync,
	mkdirSync,
	openSync,
	renameSync,
	statSync,
	writeSync,
} from "node:fs";
import { join } from "node:path";
import { type Random, ServiceError } from "../kernel/kernel.js";
import {
	type KeyPair,
	PEPPER_BYTES,
	parseAdminToken,
	parseKeyPair,
	parsePepper,
	parseSigningJwk,
	readIfThere,
	type SigningJwk,
} from "./key-files.js";

/** `<data>/keys/`: the only place for secrets at rest. Files 0600, folder 0700, made on first use. */
export interface KeyFolder {
	/** Key of the hashes under which tokens and API keys are stored; losing it makes every one of them unknown. */
	readonly pepper: Uint8Array;
	readonly adminToken: string;
	/** Signs the agent card. */
	readonly signingJwk: SigningJwk;
	/** Signs receipts, and nothing else. */
	readonly receiptJwk: SigningJwk;
	/** Signs access tokens, and nothing else; another one in its place costs clients no more than a refresh. */
	readonly oauthJwk: SigningJwk;
	readDemoSpt(): string | undefined;
	writeDemoSpt(token: string): void;
	/** Key of a wallet on the demo chain, made by `create` on first use. */
	demoWallet(name: DemoWalletName, create: () => Promise<KeyPair>): Promise<KeyPair>;
	/**
	 * A secret that the operator puts there; undefined when the file is missing. Throws INVALID_ARGUMENT for a file that
	 * others may read.
	 */
	readPlaced(name: PlacedSecret): string | undefined;
}

export type DemoWalletName = "demo-wallet" | "demo-settler";
export type PlacedSecret = "settler-key" | "facilitator-token" | "writer-key";

export function openKeyFolder(dataFolder: string, random: Random): KeyFolder {
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
		pepper: readOrCreate("pepper", { create: () => hex(PEPPER_BYTES), parse: parsePepper }),
		adminToken: readOrCreate("admin-token", {
			create: () => `adm_${hex(24)}`,
			parse: parseAdminToken,
		}),
		signingJwk: signingKey("card-signing.jwk.json"),
		receiptJwk: signingKey("receipt-signing.jwk.json"),
		oauthJwk: signingKey("oauth-signing.jwk.json"),
		readDemoSpt: () => readIfThere(file("demo-spt")),
		writeDemoSpt: (token) => writeDurably(folder, "demo-spt", token),
		async demoWallet(name, create) {
			const path = file(`${name}.json`);
			const kept = readIfThere(path);
			if (kept !== undefined) return parseKeyPair(path, kept);
			const created = await create();
			writeDurably(folder, `${name}.json`, JSON.stringify(created));
			return created;
		},
		readPlaced: (name) => readPlacedSecret(dataFolder, name),
	};
}

/** `KeyFolder.readPlaced` for who must not make a folder. */
export function readPlacedSecret(dataFolder: string, name: PlacedSecret): string | undefined {
	const path = join(dataFolder, "keys", name);
	const secret = readIfThere(path)?.trim();
	if (secret !== undefined) assertPrivate(path);
	return secret;
}

function assertPrivate(path: string): void {
	if (process.platform === "win32" || (statSync(path).mode & 0o077) === 0) return;
	throw new ServiceError(
		"INVALID_ARGUMENT",
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
