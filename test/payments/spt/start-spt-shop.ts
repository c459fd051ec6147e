import type { Test } from "tap";
import { type Clock, systemClock } from "../../../src/kernel/clock.js";
import { createSimChain, type SimChain } from "../../support/sim-chain.js";
import { createSimFacilitator, type SimFacilitator } from "../../support/sim-facilitator.js";
import { createSimWallet, type SimWallet } from "../../support/sim-wallet.js";
import { type Answer, startApp, type TestApp } from "../../support/start-app.js";

export interface SptShop extends TestApp {
	readonly chain: SimChain;
	readonly facilitator: SimFacilitator;
	walletOf(name: string, usd?: bigint): SimWallet;
	/** One request with a JSON body, with a token and a payment when given. */
	ask(request: ShopRequest): Promise<Answer>;
	/** Buys a token with one payment; the `data` of the reply. */
	buy(wallet: SimWallet, order?: Readonly<Record<string, unknown>>): Promise<Bought>;
	balanceOf(tokenId: string): Promise<bigint>;
}

export interface ShopRequest {
	readonly method?: "GET" | "POST" | "DELETE";
	readonly path: string;
	readonly token?: string | undefined;
	readonly payment?: string | undefined;
	readonly body?: unknown;
}

export interface Bought {
	readonly token: string;
	readonly id: string;
	readonly balance_usd: string;
	readonly recovered_usd: string;
}

/** A shop on a simulated chain, without a model. */
export async function startSptShop(t: Test, clock: Clock = systemClock): Promise<SptShop> {
	const chain = createSimChain({ now: clock.now });
	const facilitator = createSimFacilitator({ chain, clock });
	const onchain = { terms: chain.terms, facilitator, chain, close: async () => undefined };
	const shop = await startApp(t, { onchain, clock, settings: { model: "none" } });
	const ask = ({ method = "POST", path, token, payment, body }: ShopRequest) =>
		shop.send(path, {
			method,
			headers: {
				...(token !== undefined && { "X-Pay-SPT": token }),
				...(payment !== undefined && { "PAYMENT-SIGNATURE": payment }),
				...(body !== undefined && { "Content-Type": "application/json" }),
			},
			...(body !== undefined && { body: JSON.stringify(body) }),
		});
	return {
		...shop,
		chain,
		facilitator,
		walletOf: (name, usd = 100n) =>
			createSimWallet(chain, { name, now: clock.now, balance: usd * 1_000_000n }),
		ask,
		async buy(wallet, order = {}) {
			const body = { amount_usd: "5.00", ...order };
			const value = BigInt(Math.round(Number(body.amount_usd) * 1_000_000));
			const payment = wallet.v2(wallet.sign({ value }));
			const reply = await ask({ path: "/v1/spt", payment, body });
			if (reply.status !== 201) throw new Error(JSON.stringify(reply.body));
			return reply.body.data;
		},
		balanceOf: (id) => shop.app.store.read((reader) => reader.balance(`cust:${id}`)),
	};
}
