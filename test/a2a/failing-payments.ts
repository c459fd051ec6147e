import type { Task } from "@a2a-js/sdk";
import { digest } from "../support/sim-chain.js";
import { createSimWallet, toV1Payload, toV2Payload } from "../support/sim-wallet.js";
import type { PaidA2a } from "./start-paid-a2a.js";
import { payment, signFor } from "./x402-agent.js";

/** For each code of the extension, a payment that earns it. */
export const FAILURES: Readonly<Record<string, (shop: PaidA2a, asked: Task) => unknown>> = {
	INSUFFICIENT_FUNDS: ({ chain }, asked) => {
		const poor = createSimWallet(chain, { name: `poor ${asked.id}`, now: Date.now, balance: 1n });
		return signFor(asked, chain, poor);
	},
	INVALID_SIGNATURE: ({ chain, wallet }, asked) => {
		const payload = signFor(asked, chain, wallet);
		const { authorization } = payload.payload;
		return { ...payload, payload: { authorization, signature: `0x${"11".repeat(65)}` } };
	},
	EXPIRED_PAYMENT: ({ chain, wallet }, asked) => signFor(asked, chain, wallet, { validForS: -5 }),
	DUPLICATE_NONCE: ({ chain, wallet }, asked) => {
		const nonce = digest(asked.id);
		chain.cancel(wallet.address, nonce);
		return signFor(asked, chain, wallet, { nonce });
	},
	NETWORK_MISMATCH: ({ chain, wallet }, asked) => {
		const authorization = wallet.sign({ value: 500_000n });
		const { required } = payment(asked.status);
		if (required.x402Version === 1) return toV1Payload(authorization, { network: "polygon" });
		const accepted = { ...required.accepts[0], network: "eip155:137" };
		return toV2Payload(chain, authorization, { accepted });
	},
	INVALID_AMOUNT: ({ chain, wallet }, asked) => signFor(asked, chain, wallet, { value: 499_999n }),
};
