import { join } from "node:path";
import t from "tap";
import type { Facilitator } from "../../payments/onchain/facilitator.js";
import { systemClock } from "../../src/kernel/clock.js";
import { createSimChain } from "../support/sim-chain.js";
import { createSimFacilitator } from "../support/sim-facilitator.js";
import { createSimWallet } from "../support/sim-wallet.js";
import { startApp } from "../support/start-app.js";

t.test("a turn whose payment could not be sent is nothing to go on from", async (t) => {
	const { now } = systemClock;
	const chain = createSimChain({ now });
	const sim = createSimFacilitator({ chain, clock: systemClock });
	let isDown = false;
	const facilitator: Facilitator = {
		kind: sim.kind,
		verify: sim.verify,
		settle: async (...payment) =>
			isDown ? { kind: "not_sent", message: "ECONNREFUSED" } : sim.settle(...payment),
	};
	const wallet = createSimWallet(chain, { name: "w", now, balance: 90_000_000n });
	const pay = () => wallet.v2(wallet.sign({ value: 1_500_000n }));
	const shop = await startApp(t, {
		folder: join(t.testdir({}), "data"),
		onchain: { terms: chain.terms, facilitator, chain, close: async () => undefined },
		settings: { model: "none" },
	});
	const say = (message: string, payment: string) =>
		shop.send("/v1/research/chat", {
			method: "POST",
			headers: { "Content-Type": "application/json", "PAYMENT-SIGNATURE": payment },
			body: JSON.stringify({ sessionId: "s1", message }),
		});

	await say("What is EIP-3009?", pay());
	isDown = true;
	const payment = pay();
	const failed = await say("What is EIP-712?", payment);
	t.equal(failed.status, 500);
	t.match(failed.body.error.message, /nothing was charged/);
	isDown = false;
	const { body } = await say("What are its risks?", pay());
	t.match(body.data.resolved_question, /EIP-3009/, "what nobody paid for was never said");
	t.notMatch(body.data.resolved_question, /712/);
	const again = await say("What is EIP-712?", payment);
	t.equal(again.status, 200);
	t.equal(again.body.meta.cost.amount_usd, "1.50");
	t.notMatch(JSON.stringify(again.body.meta.warnings), /answered before/, "it is answered anew");
	t.equal(again.body.data.session.turns, 3);
});
