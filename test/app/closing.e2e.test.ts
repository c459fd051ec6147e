import t from "tap";
import type { OnchainParts } from "../../payments/x402/onchain-parts.js";
import { startApp } from "../support/start-app.js";

const PAYER = `0x${"22".repeat(20)}`;
const TERMS = {
	network: "eip155:84532",
	asset: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
	assetName: "USDC",
	assetVersion: "2",
	payTo: `0x${"11".repeat(20)}`,
} as const;

/** A facilitator that takes every question and answers none. */
function silent(): OnchainParts {
	const never = () => new Promise<never>(() => undefined);
	return {
		terms: TERMS,
		facilitator: { settle: never, verify: never },
		close: async () => undefined,
	} as unknown as OnchainParts;
}

/** A payment whose settlement nobody has heard of since its time was over. */
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

t.test(
	"a server that ends sells nothing more, whoever keeps its housekeeping waiting",
	async (t) => {
		const before = await startApp(t, { settings: { model: "none" }, onchain: silent() });
		await before.app.store.transaction((tx) =>
			tx.put("payments", unknownPayment(Date.now()) as never),
		);
		await before.close();

		const shop = await startApp(t, {
			folder: before.folder,
			settings: { model: "none" },
			onchain: silent(),
		});
		const { token } = await shop.issueSpt("5");
		t.equal((await shop.search({ token })).status, 200);
		// As the program does: the house's own timers hold no process.
		const holding = setInterval(() => undefined, 1_000);
		t.teardown(() => clearInterval(holding));
		const closing = shop.app.close();
		const late = await shop.search({ token }).then(
			({ status }) => status,
			() => "refused",
		);
		t.match(String(late), /^(503|refused)$/);
		await closing;

		const { app } = await startApp(t, { folder: before.folder, settings: { model: "none" } });
		const { items } = await app.operator.listSpts();
		t.match(items, [{ balance_usd: "4.50" }]);
	},
);
