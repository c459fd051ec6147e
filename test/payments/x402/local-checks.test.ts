import t from "tap";
import type { PaymentEnvelope } from "../../../payments/onchain/payment-claim.js";
import { createX402Envelope } from "../../../payments/x402/x402.js";
import { LIMITS } from "../../../src/contract/limits.js";
import { START_MS } from "../../store/open-test-store.js";
import type { SignOptions } from "../../support/sim-wallet.js";
import { toV2Payload } from "../../support/sim-wallet.js";
import { createWorld, PRICE, startOnchain, toAdmission } from "./start-onchain.js";

const ELSEWHERE = `0x${"b".repeat(40)}` as const;
const NOW_S = START_MS / 1_000;
const TTL_S = LIMITS.authorizationTtlMs / 1_000;

/** Payments that are no payment of this price to us, each by one thing. */
const SIGNED: readonly (SignOptions & { reason: string; message: RegExp })[] = [
	{ value: PRICE, to: ELSEWHERE, reason: "wrong_recipient", message: /does not go to 0xa{40}/ },
	{ value: PRICE - 1n, reason: "invalid_amount", message: /is 499999; .* costs 500000/ },
	{ value: PRICE + 1n, reason: "invalid_amount", message: /is 500001; .* costs 500000/ },
	{ value: PRICE, validForS: 0, reason: "expired", message: /has passed; our clock says 2026/ },
	{
		...{ value: PRICE, validForS: TTL_S + 1, reason: "invalid_payload" },
		message: /for more than 600 seconds; sign a shorter one \(our clock says 2026/,
	},
	{
		...{ value: PRICE, validAfter: NOW_S + 1, reason: "not_yet_valid" },
		message: /not valid yet; our clock says 2026/,
	},
];

for (const { reason, message, ...signed } of SIGNED) {
	t.test(`a payment is refused here as ${reason}, and no one is asked: ${message}`, async (t) => {
		const { buy, wallet, facilitator, store, runs } = await startOnchain();
		const result = await buy(wallet.sign(signed));
		t.match(result, { code: "PAYMENT_REJECTED", error: { message, reply: { body: { reason } } } });
		t.match(result, { error: { message: /was not charged/ } });
		t.same([facilitator.verified(), facilitator.settled(), runs()], [0, 0, 0]);
		t.same(await store.read((reader) => reader.list("payments")), []);
	});
}

t.test("at its very bounds a payment is good", async (t) => {
	const { buy, wallet } = await startOnchain();
	const longest = wallet.sign({ value: PRICE, validForS: TTL_S, validAfter: NOW_S });
	t.match(await buy(longest), { kind: "delivered" });
});

const ACCEPTED = [
	{
		...{ network: "eip155:1", reason: "network_mismatch" },
		message: /for the network "eip155:1"; this service takes eip155:84532/,
	},
	{
		asset: ELSEWHERE,
		reason: "network_mismatch",
		message: /another asset; this service takes 0x5bd2/,
	},
	{ signed: PRICE - 1n, reason: "invalid_amount", message: /over 499999 .* costs 500000/ },
	{ signed: PRICE + 1n, reason: "invalid_amount", message: /over 500001 .* costs 500000/ },
];

for (const { message, reason, signed = PRICE, ...changes } of ACCEPTED) {
	t.test(`a payment that says one thing and signs another is refused: ${message}`, async (t) => {
		const world = createWorld();
		const { onchain, facilitator } = await startOnchain(world);
		const authorization = world.wallet.sign({ value: signed });
		const payload = toV2Payload(world.chain, authorization);
		const amount = String(PRICE);
		const changed = { ...payload, accepted: { ...payload.accepted, amount, ...changes } };
		const request = toAdmission(world, authorization);
		const proof = { scheme: "x402", version: 2, payload: changed } as const;
		await t.rejects(onchain.admit({ ...request, proof }), {
			code: "PAYMENT_REJECTED",
			reply: { body: { reason } },
			message,
		});
		t.equal(facilitator.verified(), 0);
	});
}

t.test("what cannot be read as a payment is told where to begin", async (t) => {
	const { onchain, chain, wallet } = await startOnchain();
	const request = toAdmission({ chain }, wallet.sign({ value: PRICE }));
	const unreadable = [{}, { payload: {} }, { x402Version: 2, payload: { signature: "0x" } }];
	for (const payload of unreadable) {
		const proof = { scheme: "x402", version: 2, payload } as const;
		await t.rejects(onchain.admit({ ...request, proof }), {
			code: "PAYMENT_REJECTED",
			reply: {
				body: {
					reason: "invalid_payload",
					continuations: [{ type: "x402", instructions: /the 402 says what to sign/ }],
				},
			},
		});
	}
	const payload = toV2Payload({ terms: chain.terms }, wallet.sign({ value: PRICE }));
	const proof = { scheme: "mpp", payload: { challenge: {}, payload } } as const;
	await t.rejects(onchain.admit({ ...request, proof }), {
		code: "PAYMENT_REJECTED",
		message: /GET \/v1\/payments\/methods lists what is/,
	});
});

t.test("a fault while a payment is read is no refusal of it", async (t) => {
	const world = createWorld();
	const envelope: PaymentEnvelope = {
		...createX402Envelope(world.chain.terms),
		match() {
			throw new RangeError("a fault");
		},
	};
	const { onchain, facilitator } = await startOnchain({ ...world, envelopes: [envelope] });
	const request = toAdmission(world, world.wallet.sign({ value: PRICE }));
	await t.rejects(onchain.admit(request), new RangeError("a fault"));
	t.equal(facilitator.verified(), 0);
});
