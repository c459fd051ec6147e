import { z } from "zod";
import type { Payment } from "../../src/contract/contract.js";
import { fromV1Network, type Hex, PaymentRefused, type SignedPayment } from "../onchain/onchain.js";

const MAX_SIGNATURE_CHARS = 6_000;

const hex = (pattern: RegExp, what: string) =>
	z
		.string()
		.regex(pattern, what)
		.transform((text) => text.toLowerCase() as Hex);
const address = hex(/^0x[0-9a-fA-F]{40}$/, "must be an address");
const seconds = z
	.union([z.string().regex(/^\d{1,15}$/), z.int().nonnegative()])
	.transform((value) => Number(value));

const evmPayload = z.object({
	signature: hex(/^0x(?:[0-9a-fA-F]{2})+$/, "must be a signature in hexadecimal").refine(
		(text) => text.length <= MAX_SIGNATURE_CHARS,
		"is too long",
	),
	authorization: z.object({
		from: address,
		to: address,
		value: z
			.string()
			.regex(/^\d{1,30}$/, "must be a whole number of atomic units")
			.transform((text) => BigInt(text)),
		validAfter: seconds,
		validBefore: seconds,
		nonce: hex(/^0x[0-9a-fA-F]{64}$/, "must be 32 bytes in hexadecimal"),
	}),
});

const v1Payload = z.object({
	x402Version: z.literal(1),
	scheme: z.literal("exact"),
	network: z.string().max(64),
	payload: evmPayload,
});

const v2Payload = z.object({
	x402Version: z.literal(2),
	resource: z.object({ url: z.string().max(4_096) }).nullish(),
	accepted: z.object({
		scheme: z.literal("exact"),
		network: z.string().max(64),
		amount: z.string().regex(/^\d{1,30}$/, "must be a whole number of atomic units"),
		asset: address,
		payTo: address,
	}),
	payload: evmPayload,
});

/** A payload as its version wraps it; version 1 says nothing of asset, price and resource. */
export interface X402Payload extends SignedPayment {
	readonly accepted?: z.output<typeof v2Payload>["accepted"];
	/** Address of the resource the client believes to buy. */
	readonly resourceUrl?: string | undefined;
}

/**
 * Reads either version; both wrap the same EIP-712 signature, so one verification serves both.
 * Throws PaymentRefused ("invalid_payload") for anything else.
 */
export function readX402Payload(payment: Payment): X402Payload {
	if (payment.scheme !== "x402")
		throw new PaymentRefused("invalid_payload", "Not an x402 payload.");
	if (payment.version === 1) {
		const { network, payload } = parse(v1Payload, payment.payload);
		return { ...toSigned(payload), network: fromV1Network(network) ?? network };
	}
	const { accepted, resource, payload } = parse(v2Payload, payment.payload);
	const { network, asset } = accepted;
	return { ...toSigned(payload), network, asset, accepted, resourceUrl: resource?.url };
}

function toSigned({ signature, authorization }: z.output<typeof evmPayload>) {
	return { rail: "x402" as const, authorization: { ...authorization, signature } };
}

function parse<T extends z.ZodType>(schema: T, payload: unknown): z.output<T> {
	const parsed = schema.safeParse(payload);
	if (parsed.success) return parsed.data;
	const [issue] = parsed.error.issues;
	const where = issue?.path.join(".") || "the payload";
	throw new PaymentRefused(
		"invalid_payload",
		`The payment payload cannot be read: ${where}: ${issue?.message ?? "not as x402 describes it"}.`,
	);
}
