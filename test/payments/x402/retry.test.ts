import t from "tap";
import { LIMITS } from "../../../src/contract/limits.js";
import { ServiceError } from "../../../src/kernel/errors.js";
import { createSimWallet } from "../../support/sim-wallet.js";
import { times } from "../../support/times.js";
import { createWorld, PRICE, startOnchain, toAdmission, toRequest } from "./start-onchain.js";

t.test("an answer that was lost on its way is given again to the same payment", async (t) => {
	const { buy, wallet, clock, runs } = await startOnchain();
	const authorization = wallet.sign({ value: PRICE });
	const first = await buy(authorization, { isLost: true });
	t.match(await buy(authorization), { code: "IDEMPOTENCY_IN_FLIGHT" }, "it may still be arriving");
	clock.advance(LIMITS.deliveryGraceMs);
	const copies = await Promise.all(times(20, () => buy(authorization)));
	const delivered = copies.filter((copy) => copy.kind === "delivered");
	t.equal(delivered.length, 1);
	t.match(delivered[0], {
		isReplay: true,
		receiptId: first.kind === "delivered" && first.receiptId,
	});
	t.equal(runs(), 2);
	t.match(await buy(authorization), { code: "PAYMENT_ALREADY_USED" });
});

t.test("an answer that never leaves is given once more, whatever becomes of it", async (t) => {
	const { onchain, wallet, chain, runs, buy } = await startOnchain();
	const authorization = wallet.sign({ value: PRICE });
	const first = await onchain.admit(toAdmission({ chain }, authorization));
	if (first.kind === "held") await first.capture();
	t.match(await buy(authorization), { code: "IDEMPOTENCY_IN_FLIGHT" }, "it may still be arriving");
	first.abandoned?.({ isLost: false });
	const second = await onchain.admit(toAdmission({ chain }, authorization));
	t.equal(second.kind, "replayed");
	second.abandoned?.({ isLost: false });
	t.match(await buy(authorization), { code: "PAYMENT_ALREADY_USED" });
	t.equal(runs(), 0);
});

t.test("with its retry key an answer is given again as often as it is lost", async (t) => {
	const { buy, wallet, clock } = await startOnchain();
	const authorization = wallet.sign({ value: PRICE });
	for (const isReplay of [false, true, true]) {
		t.match(await buy(authorization, { key: "k", isLost: true }), { kind: "delivered", isReplay });
		t.match(await buy(authorization), { kind: "refused" }, "nobody else gets it");
		clock.advance(LIMITS.deliveryGraceMs);
		t.match(await buy(authorization), { code: "PAYMENT_ALREADY_USED" });
	}
});

t.test(
	"calldata is public: a copy of it gets nothing, nor does its nonce under another signature",
	async (t) => {
		const { buy, wallet, clock } = await startOnchain();
		const authorization = wallet.sign({ value: PRICE });
		await buy(authorization, { isLost: true });
		clock.advance(LIMITS.deliveryGraceMs);
		const forged = { ...authorization, signature: `0x${"22".repeat(65)}` } as const;
		t.match(await buy(forged), { code: "PAYMENT_ALREADY_USED" });
		t.match(await buy(authorization, { fingerprint: "another" }), { code: "PAYMENT_ALREADY_USED" });
	},
);

t.test(
	"the retry key of a payment gives its answer again, with that payment or a new one",
	async (t) => {
		const { buy, wallet, chain, clock, row } = await startOnchain();
		const [first, second] = [wallet.sign({ value: PRICE }), wallet.sign({ value: PRICE })];
		const paid = await buy(first, { key: "k" });
		const receiptId = paid.kind === "delivered" ? paid.receiptId : "";
		t.match(await buy(first, { key: "k" }), { kind: "delivered", isReplay: true, receiptId });
		t.match(await buy(first, { key: "other" }), { code: "PAYMENT_ALREADY_USED" });
		t.match(await buy(second, { key: "k" }), { kind: "delivered", isReplay: true, receiptId });
		t.equal(chain.timesSettled(second.from, second.nonce), 0, "the second payment is never sent");
		t.equal((await row(second))?.state, "released");
		const third = wallet.sign({ value: PRICE });
		t.match(await buy(third, { key: "k", fingerprint: "other body" }), {
			code: "IDEMPOTENCY_MISMATCH",
		});
		t.equal(await row(third), undefined);
		clock.advance(25 * 3_600_000);
		t.match(await buy(wallet.sign({ value: PRICE }), { key: "k" }), { isReplay: false });
	},
);

t.test(
	"only the wallet that paid can use its retry key: a signature is verified first",
	async (t) => {
		const { buy, wallet } = await startOnchain();
		await buy(wallet.sign({ value: PRICE }), { key: "k" });
		const forged = { ...wallet.sign({ value: PRICE }), signature: `0x${"33".repeat(65)}` } as const;
		t.match(await buy(forged, { key: "k" }), { code: "PAYMENT_REJECTED" });
	},
);

t.test(
	"a client that signs again for the same retry key pays once, whatever became of the first payment",
	async (t) => {
		const world = createWorld({ kind: "silent" });
		world.chain.isUnreadable = true;
		const { buy, wallet, chain, later, balances } = await startOnchain(world);
		const [first, second] = [wallet.sign({ value: PRICE }), wallet.sign({ value: PRICE })];
		t.match(await buy(first, { key: "k" }), { code: "SETTLEMENT_UNKNOWN" });
		t.match(await buy(second, { key: "k" }), { code: "SETTLEMENT_UNKNOWN" });
		chain.isUnreadable = false;
		await later(5_000);
		t.match(await buy(second, { key: "k" }), { kind: "delivered", isReplay: false });
		t.equal(chain.timesSettled(first.from, first.nonce), 1);
		t.equal(chain.timesSettled(second.from, second.nonce), 0);
		t.equal((await balances())["rev:per_call"], PRICE);
	},
);

t.test("a garbage signature leaves nothing behind and takes no nonce from its owner", async (t) => {
	const { buy, wallet, row } = await startOnchain();
	const authorization = wallet.sign({ value: PRICE });
	const garbage = { ...authorization, signature: `0x${"44".repeat(65)}` } as const;
	t.match(await buy(garbage, { fingerprint: "hostile" }), {
		code: "PAYMENT_REJECTED",
		error: { reply: { body: { reason: "invalid_signature" } } },
	});
	t.equal(await row(authorization), undefined);
	t.match(await buy(authorization), { kind: "delivered" });
});

t.test(
	"a payment that is refused before it was sent leaves nothing, one that was sent stays",
	async (t) => {
		const world = createWorld();
		const { buy, clock, store, facilitator, row } = await startOnchain(world);
		for (const name of ["one", "two", "three"]) {
			const poor = createSimWallet(world.chain, { name, now: clock.now });
			t.match(await buy(poor.sign({ value: PRICE })), { code: "PAYMENT_REJECTED" });
		}
		facilitator.behavior = "unreachable";
		t.match(await buy(world.wallet.sign({ value: PRICE })), { code: "UPSTREAM" });
		t.same(await store.read((reader) => reader.list("payments")), []);

		facilitator.behavior = "claims_refused";
		world.chain.hidesLatest = true;
		const sent = world.wallet.sign({ value: PRICE });
		t.match(await buy(sent), { code: "PAYMENT_REJECTED" });
		t.match(await buy(sent), { code: "PAYMENT_REJECTED" }, "its nonce is used");
		t.equal((await row(sent))?.state, "refused", "it may yet turn up on the chain");
		t.match(await buy(sent, { fingerprint: "another" }), { code: "PAYMENT_ALREADY_USED" });
	},
);

t.test("what is bought is booked with the settlement, or waits for the next try", async (t) => {
	const { onchain, wallet, chain, row, balances, store } = await startOnchain();
	const authorization = wallet.sign({ value: PRICE });
	const request = toRequest({ chain }, authorization, { key: "k" });
	const broken = onchain.purchase(request, async () => {
		throw new ServiceError("INTERNAL", "The token could not be made.");
	});
	await t.rejects(broken, { code: "INTERNAL" });
	t.equal((await row(authorization))?.state, "settled");

	const bought = await onchain.purchase(request, async (_tx, { account, amountMicros, owner }) => {
		t.same([account, amountMicros, owner], [`cust:${wallet.owner}`, PRICE, wallet.owner]);
		return { value: "a token", tokenId: "tok_1" };
	});
	t.match(bought, { value: "a token", settlement: { payer: wallet.address } });
	t.ok(bought.headers["PAYMENT-RESPONSE"]);
	t.match(await row(authorization), { state: "captured", tokenId: "tok_1" });
	t.equal(chain.timesSettled(authorization.from, authorization.nonce), 1);
	t.equal((await balances())["cash:x402:eip155:84532"], -PRICE);
	const receiptId = (await row(authorization))?.receiptId ?? "";
	const receipt = await store.read((reader) => reader.get("receipts", receiptId));
	t.match(receipt, { owner: wallet.owner, amountMicros: PRICE });

	const again = onchain.purchase(request, async () => t.fail("bought twice") as never);
	await t.rejects(again, { code: "PAYMENT_ALREADY_USED", message: /tok_1/ });
});

t.test("100 copies of a purchase make one token", async (t) => {
	const { onchain, wallet, chain } = await startOnchain({ ...createWorld(), repeatsWork: false });
	const request = toRequest({ chain }, wallet.sign({ value: PRICE }), { key: "k" });
	let tokens = 0;
	const outcomes = await Promise.allSettled(
		times(100, () =>
			onchain.purchase(request, async () => {
				tokens += 1;
				return { value: tokens, tokenId: "tok_1" };
			}),
		),
	);
	t.equal(tokens, 1);
	t.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
	const resigned = toRequest({ chain }, wallet.sign({ value: PRICE }), { key: "k" });
	await t.rejects(
		onchain.purchase(resigned, async () => t.fail("bought twice") as never),
		{ code: "PAYMENT_ALREADY_USED" },
	);
});
