/** Receipts, and whether the server signed them: ES256 by Web Cryptography, with the keys that the server publishes. */
import { toAddress } from "./address.js";
import { ClientError } from "./errors.js";
import { type Shop, toOutgoing } from "./order.js";
import { decodeBase64, decodeBase64Json, invalidReply, isRecord, recordIn } from "./reply.js";
import type { components } from "./schema.js";
import { newTrace } from "./send.js";

export type Receipt = components["schemas"]["SignedReceipt"]["receipt"];

/** A public key as a key set (RFC 7517) lists it. */
export interface ReceiptKey {
	readonly kid?: string;
	readonly kty?: string;
	readonly crv?: string;
	readonly x?: string;
	readonly y?: string;
}

export interface ReceiptOptions {
	readonly signal?: AbortSignal | undefined;
}

export interface Receipts {
	/** A receipt of this caller's, verified. Throws RECEIPT_INVALID; NOT_FOUND for those of others. */
	verify(id: string, options?: ReceiptOptions): Promise<Receipt>;
	/** The same for a receipt that someone handed on, in its signed form. */
	verifySigned(jws: string, options?: ReceiptOptions): Promise<Receipt>;
}

export interface ReceiptTrust {
	/** Base address that receipts must name as their issuer. */
	readonly issuer: string;
	/** Keys that are trusted instead of those that the server publishes. */
	readonly keys: readonly ReceiptKey[] | undefined;
}

const KEYS_PATH = "/.well-known/jwks.json";
const RECEIPT_TYPE = "receipt+jwt";
const ES256 = { name: "ECDSA", namedCurve: "P-256" } as const;

export function createReceipts(shop: Shop, { issuer, keys: pinned }: ReceiptTrust): Receipts {
	let known: readonly ReceiptKey[] | undefined = pinned;
	/** A key that is not known may be a new one: the set is read again, once. */
	const findKey = async (kid: unknown, signal: AbortSignal | undefined): Promise<ReceiptKey> => {
		const found = known?.find((key) => key.kid === kid);
		if (found) return found;
		if (!pinned) known = await readKeys(shop, signal);
		const fresh = known?.find((key) => key.kid === kid);
		if (fresh) return fresh;
		throw invalid(`The key "${String(kid).slice(0, 80)}" of its signature is not known`);
	};

	const verifySigned = async (jws: string, { signal }: ReceiptOptions = {}): Promise<Receipt> => {
		const [head = "", payload = "", signature = "", ...rest] = jws.split(".");
		const header = decodeBase64Json(head);
		if (rest.length > 0 || !isRecord(header)) throw invalid("It is no compact JWS");
		// The algorithm is ours to say, not the receipt's.
		if (header["alg"] !== "ES256" || header["typ"] !== RECEIPT_TYPE || "crit" in header) {
			throw invalid("It is signed, but not as a receipt is");
		}
		const key = await findKey(header["kid"], signal);
		if (!(await isSigned(key, `${head}.${payload}`, signature))) {
			throw invalid("Its signature is not by the key that it names");
		}
		const receipt = decodeBase64Json(payload);
		if (!isRecord(receipt)) throw invalid("It says nothing");
		if (receipt["iss"] !== issuer) {
			throw invalid(`It was issued by "${String(receipt["iss"]).slice(0, 200)}", not by ${issuer}`);
		}
		return receipt as unknown as Receipt;
	};

	return {
		verifySigned,
		async verify(id, options = {}) {
			const address = toAddress("receipts.get", { receipt_id: id });
			const { body } = await shop.transport.send(toOutgoing(shop, address, options), newTrace());
			const { jws } = recordIn(body, "data");
			if (typeof jws !== "string") throw invalidReply("The server's receipt is not signed.", FREE);
			const receipt = await verifySigned(jws, options);
			if (receipt.receipt_id !== id) throw invalid(`It is the receipt "${receipt.receipt_id}"`);
			return receipt;
		},
	};
}

const FREE = { chargedUsd: "0.00" };

async function readKeys({ transport }: Shop, signal: AbortSignal | undefined) {
	const outgoing = { method: "GET", path: KEYS_PATH, headers: {}, isRepeatable: true, signal };
	const { body } = await transport.send(outgoing, newTrace());
	const keys = isRecord(body) ? body["keys"] : undefined;
	if (!Array.isArray(keys)) throw invalidReply("The server publishes no keys.", FREE);
	return keys.filter(isRecord) as readonly ReceiptKey[];
}

async function isSigned(key: ReceiptKey, signed: string, signature: string): Promise<boolean> {
	const { kty = "", crv = "", x = "", y = "" } = key;
	try {
		const imported = await crypto.subtle.importKey("jwk", { kty, crv, x, y }, ES256, false, [
			"verify",
		]);
		return await crypto.subtle.verify(
			{ name: "ECDSA", hash: "SHA-256" },
			imported,
			decodeBase64(signature),
			new TextEncoder().encode(signed),
		);
	} catch {
		// A key or a signature that cannot be read signs nothing.
		return false;
	}
}

function invalid(why: string): ClientError {
	return new ClientError("RECEIPT_INVALID", `The receipt is not valid: ${why}.`);
}
