import t from "tap";
import { LIMITS } from "../../../src/contract/limits.js";
import { createWorld, PRICE, type Result, startOnchain, toRequest } from "./start-onchain.js";

const RETRY_S = LIMITS.reconcileIntervalMs / 1_000;

interface Refused {
	readonly code: string;
	readonly message: string;
	readonly retryAfterSeconds: number | undefined;
	readonly body: Readonly<Record<string, unknown>>;
	/** What the PAYMENT-RESPONSE header says. */
	readonly response: Readonly<Record<string, unknown>> | undefined;
	readonly challenge:
		| { readonly continuations: readonly object[]; readonly offers: readonly object[] }
		| undefined;
}

/** What the payer of a refused call is told. */
function refusedOf(result: Result): Refused {
	if (result.kind !== "refused") throw new Error(`The call is ${result.kind}.`);
	const { code, message, retryAfterSeconds, reply } = result.error;
	const header = reply?.headers?.["PAYMENT-RESPONSE"];
	const response =
		header === undefined ? undefined : JSON.parse(Buffer.from(header, "base64").toString());
	const { challenge } = result.error as { challenge?: Refused["challenge"] };
	return { code, message, retryAfterSeconds, body: reply?.body ?? {}, response, challenge };
}

t.test(
	"a used payment is told what it bought, and its receipt is no receipt of this",
	async (t) => {
		const { buy, wallet, row, chain, clock } = await startOnchain();
		const authorization = wallet.sign({ value: PRICE });
		const paid = await buy(authorization, { key: "k" });
		const id = (await row(authorization))?.id;
		clock.advance(LIMITS.deliveryGraceMs);
		const hash = chain.transactions[0]?.hash;
		const again = refusedOf(await buy(authorization));
		t.equal(again.code, "PAYMENT_ALREADY_USED");
		const receiptId = paid.kind === "delivered" ? paid.receiptId : "";
		t.match(again.message, `has bought its answer; the receipt is ${receiptId}. Sign a new one`);
		t.same(again.body, { reason: "nonce_used", payment_id: id, receipt_id: receiptId });
		t.match(again.response, {
			...{ success: false, payer: wallet.address, transaction: hash },
			...{ network: "eip155:84532", errorReason: "invalid_transaction_state" },
		});
		t.equal(again.challenge?.offers.length, 1);
		t.match(again.challenge?.continuations, [{ type: "x402", amount_usd: "0.50" }]);

		const other = refusedOf(await buy(authorization, { fingerprint: "another", key: "k" }));
		t.match(other, { code: "PAYMENT_ALREADY_USED", message: /was made for another request/ });
		t.same(other.body, { reason: "nonce_used", payment_id: id });
		t.equal(other.response?.["transaction"], "", "whose transaction it was is not told");
	},
);

t.test("who waits for a settlement is told to send the same again, and when", async (t) => {
	const { buy, wallet, row } = await startOnchain(
		createWorld({ kind: "silent", hasChainReader: false }),
	);
	const authorization = wallet.sign({ value: PRICE });
	for (let call = 0; call < 2; call++) {
		const refused = refusedOf(await buy(authorization));
		const id = (await row(authorization))?.id;
		t.match(refused, { code: "SETTLEMENT_UNKNOWN", retryAfterSeconds: RETRY_S });
		t.same(refused.body, { payment_id: id });
		t.match(refused.message, `whether the payment ${id} went through`);
		t.match(refused.message, /same payment again, and sign no new one/);
	}
});

t.test("a payment or a key that is being answered is not sold beside that", async (t) => {
	const { buy, wallet, row } = await startOnchain();
	const [first, second] = [wallet.sign({ value: PRICE }), wallet.sign({ value: PRICE })];
	const seen: Refused[] = [];
	await buy(first, {
		key: "k",
		work: async () => {
			seen.push(
				refusedOf(await buy(first, { key: "k" })),
				refusedOf(await buy(second, { key: "k" })),
			);
			return "answer";
		},
	});
	for (const refused of seen) {
		t.match(refused, {
			code: "IDEMPOTENCY_IN_FLIGHT",
			retryAfterSeconds: LIMITS.retryAfterSeconds,
		});
		t.match(refused.message, /is still being answered; send it again in a moment/);
	}
	t.same(seen[0]?.body, { payment_id: (await row(first))?.id });
	t.equal(await row(second), undefined);
	const mismatch = refusedOf(await buy(second, { key: "k", fingerprint: "another" }));
	t.match(mismatch, {
		code: "IDEMPOTENCY_MISMATCH",
		message: /another request.*Nothing was charged/,
	});
});

t.test("a payment with a key is good for the request with that key only", async (t) => {
	const world = createWorld({ kind: "silent" });
	world.chain.isUnreadable = true;
	const { buy, wallet, later } = await startOnchain(world);
	const authorization = wallet.sign({ value: PRICE });
	await buy(authorization, { key: "k" });
	world.chain.isUnreadable = false;
	await later(5_000);
	for (const order of [{}, { key: "other" }]) {
		const refused = refusedOf(await buy(authorization, order));
		t.match(refused, { code: "PAYMENT_ALREADY_USED", message: /came with an Idempotency-Key/ });
	}
	t.match(await buy(authorization, { key: "k" }), { kind: "delivered" });
});

t.test("money that was credited is named by its token, and how to collect it", async (t) => {
	const process = await startOnchain();
	const { buy, wallet, row } = process;
	const authorization = wallet.sign({ value: PRICE });
	const released = await buy(authorization, { settlesFirst: true, work: async () => "no-answer" });
	t.match(released, { kind: "released", creditId: /^tok_|^spt_/ });
	const found = await row(authorization);
	t.match(found, { state: "credited", reason: "no_answer" });
	const refused = refusedOf(await buy(authorization, { settlesFirst: true }));
	t.match(
		refused.message,
		`was credited to the token ${found?.tokenId}; POST /v1/spt with "recover": true`,
	);
	t.same(refused.body, { reason: "nonce_used", payment_id: found?.id, token_id: found?.tokenId });
});

t.test("what was not sent or not verified is said to cost nothing", async (t) => {
	const world = createWorld({ kind: "unreachable" });
	const { buy, wallet } = await startOnchain(world);
	const unverified = refusedOf(await buy(wallet.sign({ value: PRICE })));
	t.match(unverified, { code: "UPSTREAM", message: /could not be verified.*nothing was charged/ });
	world.facilitator.behavior = "strict";
	const leave = async () => {
		world.facilitator.behavior = "unreachable";
		return "answer" as const;
	};
	const unsent = refusedOf(await buy(wallet.sign({ value: PRICE }), { work: leave }));
	t.match(unsent, { code: "UPSTREAM", message: /could not be sent.*nothing was charged/ });
	world.facilitator.behavior = "strict";
	const turnAway = async () => {
		world.facilitator.behavior = "turns_away";
		return "answer" as const;
	};
	const authorization = wallet.sign({ value: PRICE });
	const away = refusedOf(await buy(authorization, { work: turnAway }));
	t.match(away, {
		code: "UPSTREAM",
		message: /turned away.*sign no new one/,
		body: { payment_id: /./ },
	});
});

t.test("a refusal of the facilitator is passed on with its reason and a new offer", async (t) => {
	const world = createWorld();
	const { buy, wallet } = await startOnchain(world);
	const authorization = wallet.sign({ value: PRICE });
	const refused = refusedOf(
		await buy({ ...authorization, signature: `0x${"1".repeat(130)}` as const }),
	);
	t.match(refused, { code: "PAYMENT_REJECTED", message: /invalid_signature.*was not charged/ });
	t.same(refused.body, { reason: "invalid_signature" });
	t.match(refused.response, { success: false, payer: wallet.address, transaction: "" });
	t.match(refused.challenge?.continuations, [{ type: "x402" }]);
});

t.test("a purchase that was made is not made again, and its secret not shown again", async (t) => {
	const { onchain, wallet, chain, row } = await startOnchain();
	const authorization = wallet.sign({ value: PRICE });
	const request = toRequest({ chain }, authorization);
	await onchain.purchase(request, async () => ({ value: "secret", tokenId: "tok_9" }));
	const id = (await row(authorization))?.id;
	await t.rejects(
		onchain.purchase(request, async () => t.fail("bought twice") as never),
		{
			...{
				code: "PAYMENT_ALREADY_USED",
				message: /balance for the token tok_9; its secret was shown once/,
			},
			reply: { body: { reason: "nonce_used", payment_id: id, token_id: "tok_9" } },
		},
	);
});
