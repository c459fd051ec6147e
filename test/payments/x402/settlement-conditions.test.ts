import t from "tap";
import type {
	SettleOutcome,
	TransferAuthorization,
} from "../../../payments/onchain/facilitator.js";
import type { PaymentState } from "../../../store/rows/payment-rows.js";
import type { SimFacilitator } from "../../support/sim-facilitator.js";
import {
	createWorld,
	type OnchainProcess,
	PRICE,
	startOnchain,
	toAdmission,
	type World,
} from "./start-onchain.js";

/** The facilitator's answer to a settlement becomes what `change` makes of it. */
function answering(
	world: World,
	change: (outcome: SettleOutcome, authorization: TransferAuthorization) => unknown,
): World {
	const settle: SimFacilitator["settle"] = async (terms, authorization, options) => {
		const outcome = await world.facilitator.settle(terms, authorization, options);
		return (await change(outcome, authorization)) as SettleOutcome;
	};
	return { ...world, facilitator: { ...world.facilitator, settle } };
}

async function setState(
	{ row, store }: OnchainProcess,
	authorization: TransferAuthorization,
	state: PaymentState,
): Promise<void> {
	const found = await row(authorization);
	if (!found) throw new Error("The payment has no row.");
	await store.transaction((tx) => tx.put("payments", { ...found, state }));
}

const STRANGER = `0x${"5".repeat(40)}`;

const LIES: Readonly<Record<string, Partial<Extract<SettleOutcome, { kind: "settled" }>>>> = {
	"another payer": { payer: STRANGER },
	"no payer": { payer: "" },
	"another network": { network: "eip155:8453" },
	"another amount": { amount: String(PRICE - 1n) },
	"a hash that is too long": { transactionHash: `0x${"a".repeat(65)}` },
	"a hash with something before it": { transactionHash: `tx:0x${"a".repeat(64)}` },
	"a hash that is no number": { transactionHash: `0x${"g".repeat(64)}` },
};

for (const [what, lie] of Object.entries(LIES)) {
	t.test(`without a chain to read, a settlement that names ${what} sells nothing`, async (t) => {
		const world = createWorld({ hasChainReader: false });
		const { buy, row, balances } = await startOnchain(
			answering(world, (outcome) => ({ ...outcome, ...lie })),
		);
		const authorization = world.wallet.sign({ value: PRICE });
		t.match(await buy(authorization), { code: "SETTLEMENT_UNKNOWN" });
		t.match(await row(authorization), { state: "unknown", reason: /names another/ });
		t.same(await balances(), {});
	});
}

t.test("a payer or a hash in other letters is the same, and no amount need be named", async (t) => {
	const world = createWorld({ hasChainReader: false });
	const upper = (hex: string) => `0x${hex.slice(2).toUpperCase()}`;
	const { buy, row } = await startOnchain(
		answering(world, (outcome) => {
			if (outcome.kind !== "settled") return outcome;
			const { amount: _amount, payer, transactionHash, ...rest } = outcome;
			return { ...rest, payer: upper(payer), transactionHash: upper(transactionHash) };
		}),
	);
	const authorization = world.wallet.sign({ value: PRICE });
	t.match(await buy(authorization), { kind: "delivered" });
	const hash = world.chain.transactions[0]?.hash;
	t.equal((await row(authorization))?.transactionHash, hash);
});

t.test("a payment that has expired is refused before anyone is asked", async (t) => {
	const world = createWorld();
	// A facilitator whose clock is slow would still say that it is valid.
	const verify = async () => ({ kind: "valid" }) as const;
	const facilitator = { ...world.facilitator, verify };
	const process = await startOnchain({ ...world, facilitator });
	const { buy, row, clock } = process;
	const never = world.wallet.sign({ value: PRICE });
	const released = world.wallet.sign({ value: PRICE });
	const refused = world.wallet.sign({ value: PRICE });
	t.match(await buy(released, { work: async () => "no-answer" }), { kind: "released" });
	world.facilitator.behavior = "claims_refused";
	world.chain.isUnreadable = false;
	world.chain.cancel(refused.from, refused.nonce);
	t.match(await buy(refused), { code: "PAYMENT_REJECTED" });
	world.facilitator.behavior = "strict";
	await setState(process, refused, "refused");
	const settled = world.facilitator.settled();
	clock.advance(300_000);
	for (const authorization of [never, released, refused]) {
		const before = await row(authorization);
		for (const settlesFirst of [false, true]) {
			t.match(await buy(authorization, { settlesFirst }), {
				code: "PAYMENT_REJECTED",
				error: { reply: { body: { reason: "expired" } } },
			});
		}
		t.same(await row(authorization), before, "its row is as it was");
	}
	t.equal(world.facilitator.settled(), settled);
	t.equal(process.runs(), 2, "no work for it");
});

t.test("a payment is good until the second in which it expires", async (t) => {
	const { buy, wallet, clock } = await startOnchain();
	const authorization = wallet.sign({ value: PRICE });
	clock.advance(299_999);
	t.match(await buy(authorization), { kind: "delivered" });
});

for (const state of [
	"settling",
	"unknown",
	"settled",
	"captured",
	"credited",
	"released",
] satisfies PaymentState[]) {
	t.test(`a payment that became ${state} during the work is not sent`, async (t) => {
		const process = await startOnchain();
		const { buy, row, wallet, facilitator, balances } = process;
		const authorization = wallet.sign({ value: PRICE });
		const work = async () => {
			await setState(process, authorization, state);
			return "answer" as const;
		};
		t.match(await buy(authorization, { work }), { code: "SETTLEMENT_UNKNOWN" });
		t.equal(facilitator.settled(), 0);
		t.equal((await row(authorization))?.state, state);
		t.same(await balances(), {});
	});
}

t.test("an answer that is captured twice at once is sent for and sold once", async (t) => {
	const { onchain, wallet, chain, facilitator, balances } = await startOnchain();
	const admission = await onchain.admit(toAdmission({ chain }, wallet.sign({ value: PRICE })));
	if (admission.kind !== "held") throw new Error("The payment is not held.");
	const captures = await Promise.allSettled([admission.capture(), admission.capture()]);
	t.same(captures.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
	t.equal(facilitator.settled(), 1);
	t.equal((await balances())["rev:per_call"], PRICE);
});

const UNSETTLED: readonly SettleOutcome[] = [
	{ kind: "not_sent", message: "ECONNREFUSED" },
	{ kind: "not_taken", message: "400" },
	{ kind: "unknown", message: "It did not answer." },
	{ kind: "refused", reason: "insufficient_funds", message: "There is no money." },
];

for (const outcome of UNSETTLED) {
	t.test(
		`an answer "${outcome.kind}" changes no payment that was concluded meanwhile`,
		async (t) => {
			for (const state of [
				"settled",
				"captured",
				"credited",
				"released",
			] satisfies PaymentState[]) {
				const world = createWorld({ hasChainReader: false });
				const process: OnchainProcess = await startOnchain(
					answering(world, async (_outcome, authorization) => {
						await setState(process, authorization, state);
						return outcome;
					}),
				);
				const authorization = world.wallet.sign({ value: PRICE });
				t.match(await process.buy(authorization), { kind: "refused" });
				t.equal((await process.row(authorization))?.state, state);
			}
		},
	);
}

t.test("without a chain to read, a used nonce of what was broadcast is no refusal", async (t) => {
	for (const wasBroadcast of [true, false]) {
		const world = createWorld({ hasChainReader: false });
		const settle: SimFacilitator["settle"] = async (_terms, _authorization, { onBroadcast }) => {
			if (wasBroadcast) await onBroadcast(`0x${"A".repeat(64)}`);
			return { kind: "refused", reason: "nonce_used", message: "The nonce is used." };
		};
		const facilitator = { ...world.facilitator, settle };
		const { buy, row } = await startOnchain({ ...world, facilitator });
		const authorization = world.wallet.sign({ value: PRICE });
		const code = wasBroadcast ? "SETTLEMENT_UNKNOWN" : "PAYMENT_REJECTED";
		t.match(await buy(authorization), { code });
		t.match(await row(authorization), {
			state: wasBroadcast ? "unknown" : "refused",
			transactionHash: wasBroadcast ? `0x${"a".repeat(64)}` : undefined,
		});
	}
});

t.test("money that waits under a retry key pays only for what costs as much", async (t) => {
	for (const price of [PRICE, PRICE + 1n]) {
		const world = createWorld({ kind: "silent" });
		world.chain.isUnreadable = true;
		const { buy, wallet, chain, later, facilitator } = await startOnchain(world);
		const first = wallet.sign({ value: PRICE });
		t.match(await buy(first, { key: "k" }), { code: "SETTLEMENT_UNKNOWN" });
		chain.isUnreadable = false;
		await later(5_000);
		facilitator.behavior = "strict";
		const second = wallet.sign({ value: price });
		t.match(await buy(second, { key: "k", price }), { kind: "delivered" });
		t.equal(chain.timesSettled(second.from, second.nonce), price === PRICE ? 0 : 1);
	}
});
