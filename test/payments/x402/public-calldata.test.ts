import t from "tap";
import { createWorld, type Order, PRICE, startOnchain, toRequest } from "./start-onchain.js";

/** A payment whose outcome was not known to its payer, and that had settled: its calldata is public by now. */
async function startSettled(order: Order) {
	const world = createWorld({ kind: "silent" });
	world.chain.isUnreadable = true;
	const process = await startOnchain(world);
	const authorization = world.wallet.sign({ value: PRICE });
	t.match(await process.buy(authorization, order), { code: "SETTLEMENT_UNKNOWN" });
	world.chain.isUnreadable = false;
	await process.later(5_000);
	t.equal((await process.row(authorization))?.state, "settled");
	return { ...process, authorization };
}

t.test(
	"a copy of a purchase's calldata gets no token: its wallet collects the money",
	async (t) => {
		const { onchain, chain, authorization, row } = await startSettled({ settlesFirst: true });
		const copy = toRequest({ chain }, authorization);
		await t.rejects(
			onchain.purchase(copy, async () => t.fail("a stranger got the secret") as never),
			{ code: "PAYMENT_ALREADY_USED", message: /"recover": true/ },
		);
		const { state, tokenId } = (await row(authorization)) ?? {};
		t.equal(state, "credited");
		await t.rejects(
			onchain.purchase(copy, async () => t.fail() as never),
			{ message: new RegExp(`credited to the token ${tokenId};`) },
		);
	},
);

t.test("with its retry key a purchase is delivered, and to no one else", async (t) => {
	const { onchain, chain, authorization, row } = await startSettled({
		key: "k",
		settlesFirst: true,
	});
	for (const other of [{}, { key: "guessed" }]) {
		await t.rejects(
			onchain.purchase(toRequest({ chain }, authorization, other), async () => t.fail() as never),
			{ code: "PAYMENT_ALREADY_USED", message: /Idempotency-Key/ },
		);
	}
	t.equal((await row(authorization))?.state, "settled");
	const bought = await onchain.purchase(
		toRequest({ chain }, authorization, { key: "k" }),
		async () => ({ value: "a secret", tokenId: "tok_1" }),
	);
	t.equal(bought.value, "a secret");
});

t.test(
	"a purchase that was refused after it was sent is not sent again without its key",
	async (t) => {
		const { buy, onchain, chain, facilitator, wallet, row } = await startOnchain(
			createWorld({ kind: "claims_refused" }),
		);
		chain.hidesLatest = true;
		const authorization = wallet.sign({ value: PRICE });
		t.match(await buy(authorization, { settlesFirst: true }), { code: "PAYMENT_REJECTED" });
		t.equal((await row(authorization))?.state, "refused");
		facilitator.behavior = "idempotent";
		chain.hidesLatest = false;
		const copy = toRequest({ chain }, authorization);
		await t.rejects(
			onchain.purchase(copy, async () => t.fail("a stranger got the secret") as never),
			{ code: "PAYMENT_ALREADY_USED" },
		);
	},
);

t.test("a copy of a call without an answer gets no credit's secret", async (t) => {
	const work = async () => "no-answer" as const;
	const keyless = await startSettled({ settlesFirst: true });
	t.match(await keyless.buy(keyless.authorization, { settlesFirst: true, work }), {
		kind: "released",
		creditId: undefined,
	});
	t.equal((await keyless.row(keyless.authorization))?.state, "credited");
	const order = { key: "k", settlesFirst: true, work };
	const keyed = await startSettled(order);
	t.match(await keyed.buy(keyed.authorization, order), { kind: "released", creditId: /^tok_/ });
});
