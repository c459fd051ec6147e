import t from "tap";
import { systemClock } from "../../../src/kernel/clock.js";
import { createSimChain } from "../../support/sim-chain.js";
import { createSimFacilitator } from "../../support/sim-facilitator.js";
import { createSimWallet } from "../../support/sim-wallet.js";
import { startApp } from "../../support/start-app.js";

const HOUR_MS = 3_600_000;

t.test("the ledger is held against the chain at a start and then by the hour", async (t) => {
	const chain = createSimChain({ now: systemClock.now });
	const facilitator = createSimFacilitator({ chain, clock: systemClock });
	const onchain = { terms: chain.terms, facilitator, chain, close: async () => undefined };
	const hourly = new Map<number, () => void>();
	const clock = {
		...systemClock,
		every(intervalMs: number, task: () => void) {
			if (intervalMs !== 7 * HOUR_MS) return systemClock.every(intervalMs, task);
			hourly.set(intervalMs, task);
			return () => void hourly.delete(intervalMs);
		},
	};
	const settings = { model: "none", reconcileHours: 7 } as const;
	const shop = await startApp(t, { onchain, clock, settings });
	const compared = async (status: string) => {
		for (let look = 0; look < 1_000; look++) {
			const { payments } = (await shop.send("/v1/health")).body.data;
			if (payments.reconciliation?.status === status) return payments.reconciliation;
		}
		return undefined;
	};
	t.match(await compared("ok"), { chain_only: 0, ledger_only: 0, differing: 0 });

	// Somebody settles an authorization to us without notifying us.
	const wallet = createSimWallet(chain, {
		name: "stranger",
		now: systemClock.now,
		balance: 5_000_000n,
	});
	const signed = wallet.sign({ value: 1_000_000n });
	await facilitator.settle(chain.terms, signed, { onBroadcast: async () => undefined });
	hourly.get(7 * HOUR_MS)?.();
	t.match(await compared("differs"), { chain_only: 1, ledger_only: 0 });
	await shop.app.operator.reconcileLedger({ book: true });
	await shop.app.operator.reconcileLedger({});
	t.match(await compared("ok"), { chain_only: 0 }, "a comparison by the operator counts as well");
	await shop.close();
	t.equal(hourly.size, 0, "the timer ends with the server");
});

t.test("with 0 hours nothing is compared", async (t) => {
	const chain = createSimChain({ now: systemClock.now });
	const facilitator = createSimFacilitator({ chain, clock: systemClock });
	const onchain = { terms: chain.terms, facilitator, chain, close: async () => undefined };
	const shop = await startApp(t, { onchain, settings: { model: "none", reconcileHours: 0 } });
	await shop.app.store.transaction(async () => undefined);
	t.equal((await shop.send("/v1/health")).body.data.payments.reconciliation, null);
});
