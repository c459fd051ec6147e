import fc from "fast-check";
import { Challenge, Credential, Receipt } from "mppx";
import t from "tap";
import {
	challengeIdOf,
	encodeJson,
	type PaymentChallenge,
	toChallengeHeader,
	toReceiptHeaders,
} from "../../../payments/mpp/payment-challenge.js";
import { decodePaymentScheme } from "../../../src/contract/credential.js";

const SECRET = "a secret of forty-three characters or so";

const request = fc
	.dictionary(
		fc.string({ minLength: 1 }).filter((key) => key !== "__proto__"),
		fc.oneof(fc.string({ unit: "binary" }), fc.integer(), fc.boolean(), fc.array(fc.string())),
	)
	.map((members) => ({ ...members }));

/** Any text but control characters, which no header can carry. */
const text = fc.string({ unit: "grapheme" }).filter((value) => !/\p{Cc}/u.test(value));

const challenge = fc
	.record(
		{
			realm: fc.stringMatching(/^[ -~]{1,20}$/),
			method: fc.stringMatching(/^[a-z]{1,12}$/),
			intent: fc.constantFrom("charge", "session"),
			request: request.map(encodeJson),
			description: text.filter((value) => value !== ""),
			expires: fc.constantFrom("2026-01-01T00:05:00Z", "2026-12-31T23:59:59Z"),
			opaque: fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.string()).map(encodeJson),
		},
		{ requiredKeys: ["realm", "method", "intent", "request"] },
	)
	.map((fields): PaymentChallenge => ({ id: challengeIdOf(fields, SECRET), ...fields }));

t.test("whatever challenge we write, mppx reads and takes for one of its own key", async () => {
	fc.assert(
		fc.property(fc.array(challenge, { minLength: 1, maxLength: 3 }), (challenges) => {
			const header = [...challenges.map(toChallengeHeader), 'Bearer realm="tollgraph"'].join(", ");
			const read = Challenge.deserializeList(header);
			return (
				read.length === challenges.length &&
				read.every((found, index) => {
					const { request: encoded, ...sent } = challenges[index] as PaymentChallenge;
					const { request: decoded, ...fields } = found;
					return (
						Challenge.verify(found, { secretKey: SECRET }) &&
						encodeJson(decoded) === encoded &&
						encodeJson(fields) === encodeJson(sent)
					);
				})
			);
		}),
	);
});

t.test("whatever credential mppx writes, we read; the id still fits what came back", async () => {
	fc.assert(
		fc.property(challenge, fc.dictionary(fc.stringMatching(/^[a-z]+$/), text), (sent, payload) => {
			const read = Challenge.deserialize(toChallengeHeader(sent));
			const credential = decodePaymentScheme(
				Credential.serialize(Credential.from({ challenge: read, payload, source: "did:x:y" })),
			);
			const echo = credential.challenge as unknown as PaymentChallenge;
			return (
				challengeIdOf(echo, SECRET) === sent.id &&
				encodeJson(credential.payload) === encodeJson(payload) &&
				credential.source === "did:x:y"
			);
		}),
	);
});

t.test("mppx reads the receipt", async (t) => {
	const headers = toReceiptHeaders({
		method: "evm",
		reference: "0xabc",
		challengeId: "id",
		chainId: 84532,
		at: Date.UTC(2026, 0, 1),
	});
	t.same(Receipt.fromResponse(new Response(null, { headers })), {
		method: "evm",
		reference: "0xabc",
		challengeId: "id",
		chainId: 84532,
		status: "success",
		timestamp: "2026-01-01T00:00:00.000Z",
	});
});

/** Written by mppx 0.11.0: `Challenge.serialize(Challenge.from(…, { secretKey }))`. */
const GOLDEN =
	'Payment id="hPvpLMLnM__hEP40ShFvIuhIh5woU7z4IUH05E_Ha3Y", realm="tollgraph", method="evm", intent="charge", request="eyJhbW91bnQiOiI1MDAwMDAiLCJjdXJyZW5jeSI6IjB4MDM2Q2JENTM4NDJjNTQyNjYzNGU3OTI5NTQxZUMyMzE4ZjNkQ0Y3ZSIsIm1ldGhvZERldGFpbHMiOnsiY2hhaW5JZCI6ODQ1MzIsImNyZWRlbnRpYWxUeXBlcyI6WyJhdXRob3JpemF0aW9uIl0sImRlY2ltYWxzIjo2fSwicmVjaXBpZW50IjoiMHg3NDJkMzVDYzY2MzRDMDUzMjkyNWEzYjg0NEJjOWU3NTk1ZjhmRTAwIn0", description="Search a graph \\"now\\" \\u2014 é", expires="2026-01-01T00:05:00Z", opaque="eyJyZXNvdXJjZSI6Ii92MS9ncmFwaHMvYS9zZWFyY2gifQ"';

t.test("a challenge is written byte for byte as mppx writes it", async (t) => {
	const fields = {
		realm: "tollgraph",
		method: "evm",
		intent: "charge",
		request: encodeJson({
			recipient: "0x742d35Cc6634C0532925a3b844Bc9e7595f8fE00",
			amount: "500000",
			currency: "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
			methodDetails: { decimals: 6, credentialTypes: ["authorization"], chainId: 84532 },
		}),
		description: 'Search a graph "now" — é',
		expires: "2026-01-01T00:05:00Z",
		opaque: encodeJson({ resource: "/v1/graphs/a/search" }),
	};
	t.equal(toChallengeHeader({ id: challengeIdOf(fields, SECRET), ...fields }), GOLDEN);
});

t.test("no character of a description ends its header", async (t) => {
	const header = toChallengeHeader({
		id: "a",
		realm: "b",
		method: "c",
		intent: "d",
		request: "e",
		description: 'one\r\nSet-Cookie: two"three\\',
	});
	t.doesNotThrow(() => new Headers({ "WWW-Authenticate": header }));
	t.notMatch(header, /[\r\n]/);
});
