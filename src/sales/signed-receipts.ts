import { CompactSign, compactVerify, errors, importJWK, type JWK } from "jose";
import { z } from "zod";
import type { ReceiptRow } from "../../store/store.js";
import type { SigningJwk } from "../accounts/accounts.js";
import {
	isWallet,
	parseCredential,
	replyComponent,
	type SentHeaders,
} from "../contract/contract.js";
import { formatUsd, memoizeByObject, notFound, toIsoTime } from "../kernel/kernel.js";
import type { PaymentServices } from "./payment-services.js";

/** What a receipt says, and what is signed. */
export const signedReceiptSchema = z.object({
	iss: z.string().describe("Base address of the service that sold the call"),
	environment: z.enum(["live", "test"]).describe("test: paper money, worth nothing"),
	receipt_id: z.string(),
	operation: z.string(),
	billing_type: z.string(),
	amount_usd: z.string(),
	rail: z.string(),
	request_hash: z.string().describe("sha256 of operation and canonical input, in base64url"),
	graph_ids: z.array(z.string()),
	at: z.string().describe("When the price was captured"),
	payer: z.string().describe("Id of the token or account, or the CAIP-10 address of the wallet"),
	settlement: z
		.object({ network: z.string(), transaction: z.string(), payer: z.string() })
		.nullable()
		.describe("Where the money moved; null unless it was on a chain"),
});
export type SignedReceipt = z.infer<typeof signedReceiptSchema>;

export const receiptVerdictSchema = replyComponent(
	"ReceiptVerdict",
	z.object({
		valid: z.boolean(),
		receipt: signedReceiptSchema.nullable(),
		reason: z.string().nullable().describe("Why it is not valid"),
	}),
);

const RECEIPT_ID = /^rcpt_[0-9a-hjkmnp-tv-z]{26}$/;
const RECEIPT_TYPE = "receipt+jwt";

/** Receipts as compact JWS (ES256), signed when they are read; anyone with the key set can verify them offline. */
export function createSignedReceipts(
	deps: Pick<PaymentServices, "store" | "signingKeys" | "info" | "environment" | "identify">,
) {
	const { store, signingKeys, identify } = deps;
	const sign = createSigner(signingKeys);
	const verify = createVerifier(signingKeys);
	return {
		/**
		 * The owner's receipt by its id and the request's credential; a wallet's by the id alone.
		 * Throws NOT_FOUND alike for one that does not exist and one of somebody else.
		 */
		async get(id: string, headers: SentHeaders) {
			const credential = parseCredential(headers);
			const caller = credential && (await identify(credential));
			const row = RECEIPT_ID.test(id)
				? await store.read((reader) => reader.get("receipts", id))
				: undefined;
			// A wallet has no credential to show: anyone who was handed the id, 80 bits of chance, may read what it names.
			if (!row || (row.owner !== caller?.owner && !isWallet(row.owner)))
				throw notFound(
					`No receipt "${id.slice(0, 40)}" is yours to read; show the token or key that paid for the call.`,
				);
			const receipt = toSignedReceipt(row, deps);
			return { receipt, jws: await sign(receipt) };
		},
		verify,
	};
}

function createSigner(signingKeys: PaymentServices["signingKeys"]) {
	const imported = memoizeByObject((key: SigningJwk) => importJWK(key as JWK, "ES256"));
	return async (receipt: SignedReceipt): Promise<string> => {
		const [newest] = signingKeys();
		return new CompactSign(Buffer.from(JSON.stringify(receipt)))
			.setProtectedHeader({ alg: "ES256", kid: newest.kid, typ: RECEIPT_TYPE })
			.sign(await imported(newest));
	};
}

function createVerifier(signingKeys: PaymentServices["signingKeys"]) {
	const imported = memoizeByObject(({ d: _private, ...publicKey }: SigningJwk) =>
		importJWK(publicKey as JWK, "ES256"),
	);
	return async (jws: string): Promise<z.infer<typeof receiptVerdictSchema>> => {
		try {
			const options = { algorithms: ["ES256"] };
			const keyOf = ({ kid }: { readonly kid?: string }) => {
				const keys = signingKeys();
				return imported(keys.find((key) => key.kid === kid) ?? keys[0]);
			};
			const { payload, protectedHeader } = await compactVerify(jws, keyOf, options);
			if (protectedHeader.typ !== RECEIPT_TYPE) return invalid("It is signed, but no receipt.");
			const receipt = signedReceiptSchema.parse(JSON.parse(Buffer.from(payload).toString()));
			return { valid: true, receipt, reason: null };
		} catch (error) {
			return invalid(reasonOf(error));
		}
	};
}

function reasonOf(error: unknown): string {
	if (error instanceof errors.JWSSignatureVerificationFailed) {
		return "The signature is not by this service's receipt key: it was changed, or somebody else issued it.";
	}
	if (error instanceof errors.JOSEAlgNotAllowed || error instanceof errors.JOSENotSupported) {
		return "It is not signed with ES256, as every receipt of this service is.";
	}
	return "It is not a receipt in the form of a compact JWS.";
}

function invalid(reason: string): z.infer<typeof receiptVerdictSchema> {
	return { valid: false, receipt: null, reason };
}

function toSignedReceipt(
	row: ReceiptRow,
	{ info, environment }: Pick<PaymentServices, "info" | "environment">,
): SignedReceipt {
	const { settlement } = row;
	return {
		iss: info.baseUrl(),
		environment,
		receipt_id: row.id,
		operation: row.operationId,
		billing_type: row.billingType,
		amount_usd: formatUsd(row.amountMicros),
		rail: row.rail,
		request_hash: row.fingerprint,
		graph_ids: [...(row.graphIds ?? [])],
		at: toIsoTime(row.at),
		payer: row.owner,
		settlement: settlement
			? {
					network: settlement.network,
					transaction: settlement.transactionHash,
					payer: settlement.payer,
				}
			: null,
	};
}
