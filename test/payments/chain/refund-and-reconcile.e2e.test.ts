import { ExactEvmScheme } from "@x402/evm/exact/client";
import { wrapFetchWithPaymentFromConfig } from "@x402/fetch";
import t from "tap";
import { KNOWN_QUERY, startApp } from "../../support/start-app.js";
import { startLocalChain, withoutChain } from "./local-chain.js";

t.test("the ledger is held against a real chain", { skip: withoutChain }, async (t) => {
	const { parts, payer, sign } = await startLocalChain(t);
	const { terms, chain } = parts;
	const shop = await startApp(t, { onchain: parts, settings: { model: "none" } });
	const { operator } = shop.app;
	const allowed = {
		network: "eip155:84532",
		asset: terms.asset,
		maxAmountPerPayment: "1000000",
	} as const;
	const pay = wrapFetchWithPaymentFromConfig(fetch, {
		schemes: [{ network: "eip155:84532", client: new ExactEvmScheme(payer) }],
		spendControls: { allowedAssets: [allowed] },
	});
	const response = await pay(`${shop.baseUrl}/v1/graphs/agent-payments/search`, {
		method: "POST",
		headers: { "Content-Type": "application/json" },
		body: JSON.stringify({ query: KNOWN_QUERY }),
	});
	t.equal(response.status, 200);
	const receipt_id = response.headers.get("x-receipt-id") ?? "";

	t.match(await operator.reconcileLedger({}), {
		status: "ok",
		matched: { count: 1, in_usd: "0.50" },
		chain_balance_usd: "0.50",
		ledger_balance_usd: "0.50",
	});

	const refund = await operator.refundReceipt({ receipt_id, reason: "a test", usd: "0.20" });
	t.match(refund, {
		state: "pending",
		destination: `eip155:84532:${payer.address.toLowerCase()}`,
	});
	const paid = await operator.payRefund({ id: refund.id });
	t.match(paid, { state: "paid", transaction: /^0x[0-9a-f]{64}$/ });
	t.equal(await chain?.balanceOf(terms, payer.address), 99_700_000n);
	t.match(await operator.reconcileLedger({}), {
		status: "ok",
		matched: { count: 2, in_usd: "0.50", out_usd: "0.20" },
		chain_balance_usd: "0.30",
		ledger_balance_usd: "0.30",
	});

	// Somebody settles an authorization to us without notifying us.
	const onBroadcast = async () => undefined;
	const signed = await sign({ value: 1_000_000n });
	const settled = await parts.facilitator.settle(terms, signed, { onBroadcast });
	t.equal(settled.kind, "settled");
	t.match(await operator.reconcileLedger({ book: true }), {
		status: "differs",
		chain_only: [
			{ counterparty: payer.address.toLowerCase(), direction: "in", amount_usd: "1.00" },
		],
		booked: 1,
	});
	t.match(await operator.reconcileLedger({}), { status: "ok", ledger_balance_usd: "1.30" });
	t.match(await operator.verifyLedger(), { status: "ok", failures: [], pending_refunds: 0 });
	t.match((await operator.reportLedger({ by: "rail" })).rows, [
		{ key: "x402", gross_usd: "0.50", refunded_usd: "0.20", net_usd: "0.30" },
	]);
});
