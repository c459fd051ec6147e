import { createHash } from "node:crypto";
import { AgentCard, generateAgentCardSignature } from "@a2a-js/sdk";
import { LegacyRestTransportHandler } from "@a2a-js/sdk/compat/v0_3/server";
import { type A2ARequestHandler, ServerCallContext } from "@a2a-js/sdk/server";
import { FlattenedSign, importJWK, type JWK, type JWSHeaderParameters } from "jose";
import { toCanonicalJson } from "../src/kernel/kernel.js";

/** A private ES256 key as JWK; its `kid` names it in signatures and in the key set. */
export type CardSigningKey = Readonly<Record<string, unknown>> & { readonly kid: string };

/** A document that is served as it stands. */
export interface CardDocument {
	readonly body: string;
	readonly etag: string;
}

/** A card, signed once: the same skills and prices in the shapes both protocol versions read. */
export interface PublishedCard {
	readonly card: AgentCard;
	/**
	 * A2A 1.0, ProtoJSON, with two signatures: over the SDK's canonical form, which leaves out `securitySchemes` and
	 * `securityRequirements`, and over all that is served but the signatures (RFC 8785).
	 */
	readonly current: CardDocument;
	/** A2A 0.3, with the 1.0 interfaces beside; signed over its own canonical JSON (RFC 8785). */
	readonly legacy: CardDocument;
}

/**
 * Signs both shapes of the card and writes them out; slow, so done once for an address. The absolute address of the key set shows
 * a verifier where to look.
 */
export async function publishCard(
	unsigned: AgentCard,
	signingKey: CardSigningKey,
	keySetUrl: string,
): Promise<PublishedCard> {
	const { kid } = signingKey;
	const header: JWSHeaderParameters = { alg: "ES256", kid, typ: "JOSE", jku: keySetUrl };
	const sign = createSigner(await importJWK(signingKey as JWK, "ES256"), header);
	const signed = await generateAgentCardSignature(signingKey as JWK, header)(unsigned);
	const whole = { ...(await sign(AgentCard.toJSON(unsigned) as object)), header: undefined };
	const card = { ...signed, signatures: [...signed.signatures, whole] };
	const legacy = await toLegacyCard(unsigned);
	return {
		card,
		current: toDocument(AgentCard.toJSON(card)),
		legacy: toDocument({ ...legacy, signatures: [await sign(legacy)] }),
	};
}

/** Signs the canonical JSON of a document that has no signatures yet (RFC 8785). */
function createSigner(key: Awaited<ReturnType<typeof importJWK>>, header: JWSHeaderParameters) {
	return async (document: object) => {
		const json = toCanonicalJson(JSON.parse(JSON.stringify(document)));
		const jws = await new FlattenedSign(Buffer.from(json)).setProtectedHeader(header).sign(key);
		return { protected: jws.protected ?? "", signature: jws.signature };
	};
}

type LegacyCard = Readonly<Record<string, unknown>>;

async function toLegacyCard(card: AgentCard): Promise<LegacyCard> {
	// The SDK translates cards for 0.3 only on the way out of a handler, so we lend it one.
	const lender = {
		getAuthenticatedExtendedAgentCard: async () => card,
	} as Partial<A2ARequestHandler> as A2ARequestHandler;
	const translated = await new LegacyRestTransportHandler(lender).getAuthenticatedExtendedAgentCard(
		new ServerCallContext(),
	);
	const { supportedInterfaces } = AgentCard.toJSON(card) as LegacyCard;
	return { ...translated, supportedInterfaces };
}

const ETAG_CHARS = 22;

function toDocument(value: unknown): CardDocument {
	const body = JSON.stringify(value);
	const hash = createHash("sha256").update(body).digest("base64url");
	return { body, etag: `"${hash.slice(0, ETAG_CHARS)}"` };
}
