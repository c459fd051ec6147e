import { Challenge, Receipt } from "mppx";
import { evm, Mppx } from "mppx/client";
import t from "tap";
import { recoverTypedDataAddress } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import type { Quote } from "../../../payments/challenge.js";
import { createEvmCharge } from "../../../payments/mpp/evm-charge.js";
import { createChallengeIssuer } from "../../../payments/mpp/payment-challenge.js";
import type { SettlementTerms } from "../../../payments/onchain/facilitator.js";
import { PaymentRefused } from "../../../payments/onchain/payment-claim.js";
import type { Payment } from "../../../src/contract/credential.js";
import { parsePayment } from "../../../src/contract/credential.js";
import { systemRandom } from "../../../src/kernel/ids.js";
import { manualClock } from "../../support/manual-clock.js";

const terms: SettlementTerms = {
	network: "eip155:84532",
	asset: "0x00000000000000000000000000000000000000aa",
	assetName: "USDC",
	assetVersion: "2",
	payTo: "0x00000000000000000000000000000000000000bb",
};
const quote: Quote = {
	operationId: "graphs.search",
	amountMicros: 500_000n,
	billingType: "per_call",
	resourceUrl: "http://127.0.0.1:8402/v1/graphs/a/search",
	description: "Search a knowledge graph",
	fingerprint: "one",
};
const clock = manualClock(new Date().toISOString());
const issuer = (pepper = "pepper") =>
	createChallengeIssuer({ pepper: Buffer.from(pepper), clock, random: systemRandom });
const charge = createEvmCharge(terms, issuer());

const account = privateKeyToAccount(generatePrivateKey());
const wallet = Mppx.create({
	polyfill: false,
	methods: [
		evm({
			account,
			authorization: { name: terms.assetName, version: terms.assetVersion },
			maxAtomicAmount: "500000",
			networks: [84532],
		}),
	],
});

const response = (offered = charge.offer(quote)) =>
	new Response(null, { status: 402, headers: offered?.headers ?? {} });

const toPayment = (authorization: string): Payment => {
	const payment = parsePayment(new Map([["authorization", [authorization]]]));
	if (!payment) throw new Error("no payment");
	return payment;
};

const pay = async (offered = charge.offer(quote)) =>
	toPayment(await wallet.createCredential(response(offered)));

/** The same credential with other members, as somebody in between could write it. */
const change = (
	payment: Payment,
	change: (credential: { challenge: object; payload: object; source?: unknown }) => object,
): Payment => {
	if (payment.scheme !== "mpp") throw new Error("not of this scheme");
	return { scheme: "mpp", payload: change(payment.payload) as (typeof payment)["payload"] };
};

const refusal = (work: () => unknown): PaymentRefused | undefined => {
	try {
		work();
		return undefined;
	} catch (error) {
		if (error instanceof PaymentRefused) return error;
		throw error;
	}
};

t.test(
	"a wallet of mppx signs our challenge, and the transfer it signed is the one we read",
	async (t) => {
		const payment = await pay();
		const { rail, network, asset, authorization } = charge.read(payment);
		t.match(
			{ rail, network, asset, to: authorization.to, value: authorization.value },
			{ rail: "mpp", network: terms.network, asset: terms.asset, to: terms.payTo, value: 500_000n },
		);
		t.equal(authorization.from, account.address.toLowerCase());
		t.equal(
			refusal(() => charge.match(payment, quote)),
			undefined,
		);
		const signer = await recoverTypedDataAddress({
			domain: { name: "USDC", version: "2", chainId: 84532, verifyingContract: terms.asset },
			types: {
				TransferWithAuthorization: [
					{ name: "from", type: "address" },
					{ name: "to", type: "address" },
					{ name: "value", type: "uint256" },
					{ name: "validAfter", type: "uint256" },
					{ name: "validBefore", type: "uint256" },
					{ name: "nonce", type: "bytes32" },
				],
			},
			primaryType: "TransferWithAuthorization",
			message: {
				...authorization,
				validAfter: BigInt(authorization.validAfter),
				validBefore: BigInt(authorization.validBefore),
			},
			signature: authorization.signature,
		});
		t.equal(signer, account.address);
		const expires = Challenge.fromResponse(response()).expires ?? "";
		t.ok(authorization.validBefore * 1000 <= Date.parse(expires));
		t.ok(Date.parse(expires) - clock.now() <= 300_000);
	},
);

t.test("two calls at the same moment are two challenges, so that each can be paid", async (t) => {
	const [first, second] = [await pay(), await pay()];
	t.not(charge.read(first).authorization.nonce, charge.read(second).authorization.nonce);
});

t.test("a challenge of one route, body or price never buys another", async (t) => {
	const payment = await pay();
	for (const other of [
		{ resourceUrl: "http://127.0.0.1:8402/v1/graphs/b/search" },
		{ fingerprint: "two" },
		{ fingerprint: undefined },
		{ amountMicros: 500_001n },
	]) {
		const found = refusal(() => charge.match(payment, { ...quote, ...other }));
		t.match(found, { reason: "invalid_payload", message: /another request/ });
	}
	const sameBehindProxy = { ...quote, resourceUrl: "https://public.example/v1/graphs/a/search" };
	t.equal(
		refusal(() => charge.match(payment, sameBehindProxy)),
		undefined,
	);
});

t.test("a challenge that is changed or not ours is refused", async (t) => {
	const payment = await pay();
	const changed = change(payment, ({ challenge, ...rest }) => ({
		...rest,
		challenge: { ...challenge, expires: "2030-01-01T00:00:00Z" },
	}));
	t.match(
		refusal(() => charge.match(changed, quote)),
		{ message: /changed/ },
	);
	const elsewhere = createEvmCharge(terms, issuer("another pepper"));
	const foreign = await pay(elsewhere.offer(quote));
	t.match(
		refusal(() => charge.match(foreign, quote)),
		{ message: /not issued/ },
	);
});

t.test(
	"an authorization that was signed for something else is not taken for this challenge",
	async (t) => {
		const [first, second] = [await pay(), await pay()];
		const swapped = change(first, (credential) => ({
			...credential,
			payload: second.scheme === "mpp" ? second.payload.payload : {},
		}));
		t.match(
			refusal(() => charge.match(swapped, quote)),
			{
				reason: "invalid_payload",
				message:
					"The authorization's nonce is not the hash of the payment challenge; sign one for this challenge.",
			},
		);
	},
);

t.test("what cannot be read is refused before anything else", async (t) => {
	const payment = await pay();
	const payloads = [
		{ type: "permit2" },
		{ type: "hash", hash: `0x${"0".repeat(64)}` },
		{ from: "0x1" },
		{ value: "-1" },
		{ value: "5e5" },
		{ validBefore: "9".repeat(30) },
		{ nonce: "0x" },
		{ signature: "0x" },
	];
	const message =
		'This service takes credentials of the payment method "evm", intent "charge", with a payload of the type "authorization" (EIP-3009).';
	for (const part of payloads) {
		const bad = change(payment, ({ payload, ...rest }) => ({
			...rest,
			payload: { ...payload, ...part },
		}));
		t.match(
			refusal(() => charge.read(bad)),
			{ reason: "invalid_payload", message },
			JSON.stringify(part),
		);
	}
	for (const part of [{ method: "tempo" }, { request: "!" }, { request: "e30" }, { id: 1 }]) {
		const bad = change(payment, ({ challenge, ...rest }) => ({
			...rest,
			challenge: { ...challenge, ...part },
		}));
		t.match(
			refusal(() => charge.read(bad)),
			{ reason: "invalid_payload", message },
			JSON.stringify(part),
		);
	}
	const stranger = change(payment, (credential) => ({
		...credential,
		source: `did:pkh:eip155:84532:0x${"1".repeat(40)}`,
	}));
	t.match(
		refusal(() => charge.read(stranger)),
		{
			reason: "invalid_payload",
			message: `The credential's source is not its payer, did:pkh:eip155:84532:${account.address.toLowerCase()}.`,
		},
	);
});

t.test("an expired challenge says which time it is here", async (t) => {
	const payment = await pay();
	clock.advance(300_000);
	t.match(
		refusal(() => charge.match(payment, quote)),
		{ reason: "expired", message: /it is 20\d\d-/ },
	);
});

t.test("an offer says in words what its challenge asks for", async (t) => {
	const offered = charge.offer(quote);
	const { headers: _, mpp, ...rest } = offered ?? {};
	t.strictSame(rest, {
		accepts: [],
		continuation: {
			...{ type: "mpp", method: "evm", intent: "charge", amount_usd: "0.50" },
			...{ header: "Authorization: Payment <credential>", network: terms.network },
			...{ asset: terms.asset, asset_name: "USDC", asset_version: "2" },
			instructions:
				'Answer the challenge "WWW-Authenticate: Payment … method=\\"evm\\"" with an EIP-3009 authorization and send the same request again with the header "Authorization: Payment <credential>".',
		},
	});
	const { id, realm, expires, opaque: __, ...challenge } = mpp as Record<string, unknown>;
	t.strictSame(challenge, {
		...{ method: "evm", intent: "charge", description: quote.description },
		request: {
			...{ amount: "500000", currency: terms.asset, recipient: terms.payTo },
			methodDetails: { chainId: 84532, credentialTypes: ["authorization"], decimals: 6 },
		},
	});
	t.match({ id, realm, expires }, { id: /^[\w-]{43}$/, realm: "127.0.0.1", expires: /T[\d:]+Z$/ });
});

t.test("only credentials of this scheme are payments here", async (t) => {
	const payment = await pay();
	t.equal(charge.accepts(payment), true);
	t.equal(charge.accepts({ scheme: "x402", version: 2, payload: {} }), false);
});

t.test("a credential need not say its source", async (t) => {
	const payment = await pay();
	const unsaid = change(payment, ({ source: _, ...rest }) => rest);
	t.same(charge.read(unsaid), charge.read(payment));
});

t.test("what was settled has a receipt, what failed has none", async (t) => {
	const payment = await pay();
	const at = Date.UTC(2026, 0, 1);
	const settlement = {
		...{ transaction: `0x${"f".repeat(64)}`, network: terms.network },
		...{ payer: account.address, payment_id: "pay_1" },
	};
	const settled = { kind: "settled", settlement, amountMicros: 500_000n, at } as const;
	const headers = charge.receiptHeaders(payment, settled);
	const { id } = Challenge.fromResponse(response());
	const receipt = Receipt.fromResponse(new Response(null, { headers }));
	const { challengeId, ...rest } = receipt as Record<string, unknown>;
	t.not(challengeId, id, "each offer has its own");
	t.equal(challengeId, payment.scheme === "mpp" && payment.payload.challenge["id"]);
	t.strictSame(rest, {
		...{ method: "evm", reference: settlement.transaction, chainId: 84532 },
		...{ status: "success", timestamp: "2026-01-01T00:00:00.000Z" },
	});
	const failed = { kind: "failed", reason: "settlement_failed", payer: account.address } as const;
	t.same(charge.receiptHeaders(payment, failed), {});
});

t.test("a challenge is of the host that was asked, or of the server's own name", async (t) => {
	const realmFor = (resourceUrl: string, baseUrl?: string) =>
		createChallengeIssuer({
			...{ pepper: Buffer.from("p"), clock, random: systemRandom },
			...(baseUrl !== undefined && { baseUrl: () => baseUrl }),
		}).issue({ method: "evm", request: {}, quote: { ...quote, resourceUrl } }).realm;
	const base = "https://shop.example:8402/x";
	t.equal(realmFor("https://api.example/v1"), "api.example");
	t.equal(realmFor("http://api.example/v1", base), "api.example");
	t.equal(realmFor("/v1/graphs", base), "localhost");
	t.equal(realmFor("mcp://tool/graphs.search", base), "shop.example");
	t.equal(realmFor("httpx://tool/graphs.search", base), "shop.example");
	t.equal(realmFor("xhttp://tool/graphs.search", base), "shop.example");
	t.equal(realmFor("mcp://tool/graphs.search"), "tool", "no name of the server is known");
	t.equal(realmFor("mcp://tool/graphs.search", "no address"), "tool");
});
