import { setTimeout as sleep } from "node:timers/promises";
import t, { type Test } from "tap";
import type { OnchainParts, SettleOutcome } from "../../payments/onchain/facilitator.js";
import { startApp, type TestApp } from "../support/start-app.js";

const SETTINGS = { model: "none" } as const;
const PAYER = `0x${"22".repeat(20)}` as const;
const HASH = `0x${"ab".repeat(32)}`;
const TERMS = {
	network: "eip155:84532",
	asset: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
	assetName: "USDC",
	assetVersion: "2",
	payTo: `0x${"11".repeat(20)}`,
} as const;
const NOTHING_KNOWN: SettleOutcome = { kind: "unknown", message: "Nothing is known." };
const SETTLED: SettleOutcome = {
	kind: "settled",
	transactionHash: HASH,
	network: TERMS.network,
	payer: PAYER,
};
/** Longer than briefings and webhooks are waited for. */
const ANSWER_MS = 5_000;

/** No chain to look at, and a facilitator that takes its time to say this. */
function answeredLate(outcome: SettleOutcome): OnchainParts {
	return {
		terms: TERMS,
		facilitator: {
			kind: "remote",
			verify: () => new Promise<never>(() => undefined),
			settle: () => sleep(ANSWER_MS, outcome),
		},
		close: async () => undefined,
	};
}

/** A payment whose settlement no one has heard of since its time was over. */
function unknownPayment(now: number) {
	const { network, asset, payTo } = TERMS;
	return {
		...{ network, asset, payTo, id: "pay_1", state: "unknown", rail: "x402", payer: PAYER },
		nonce: `0x${"1".padStart(64, "0")}`,
		signature: `0x${"33".repeat(65)}`,
		amountMicros: 500_000n,
		validAfter: 0,
		validBefore: Math.floor(now / 1_000) - 600,
		owner: `eip155:84532:${PAYER}`,
		...{ fingerprint: "f", authorizationHash: "h", operationId: "graphs.search" },
		...{ billingType: "per_call", graphIds: [], reason: "restart" },
		...{ createdAt: now - 9e5, updatedAt: now - 9e5, expiresAt: now + 9e6 },
	} as const;
}

/** A server that has come back and asks what became of that payment. */
async function openAgain(t: Test, outcome: SettleOutcome): Promise<TestApp> {
	const before = await startApp(t, { settings: SETTINGS });
	const row = unknownPayment(Date.now());
	await before.app.store.transaction((tx) => tx.put("payments", row as never));
	await before.close();
	// As the program does: the server's own timers hold no process.
	const holding = setInterval(() => undefined, 1_000);
	t.teardown(() => clearInterval(holding));
	const { folder } = before;
	return startApp(t, { folder, settings: SETTINGS, onchain: answeredLate(outcome) });
}

t.test("a server that ends sells nothing more, whatever its housekeeping waits for", async (t) => {
	const shop = await openAgain(t, NOTHING_KNOWN);
	const { token } = await shop.issueSpt("5");
	t.equal((await shop.search({ token })).status, 200);
	const closing = shop.app.close();
	const late = await shop.search({ token }).then(
		({ status }) => String(status),
		() => "refused",
	);
	t.match(late, /^(503|refused)$/);
	await closing;
	const { app } = await startApp(t, { folder: shop.folder, settings: SETTINGS });
	t.match(await app.operator.listSpts(), { items: [{ balance_usd: "4.50" }] });
});

t.test("what a facilitator says of a payment while the server ends is written down", async (t) => {
	const shop = await openAgain(t, SETTLED);
	await shop.close();
	const { app } = await startApp(t, { folder: shop.folder, settings: SETTINGS });
	const row = await app.store.read((reader) => reader.get("payments", "pay_1"));
	t.match(row, { state: "settled", transactionHash: HASH });
});
