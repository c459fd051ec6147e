import type { Test } from "tap";
import type { OnchainParts } from "../../payments/onchain/facilitator.js";
import { type Clock, systemClock } from "../../src/kernel/clock.js";
import { createSimChain, type SimChain } from "../support/sim-chain.js";
import {
	createSimFacilitator,
	type FacilitatorKind,
	type SimFacilitator,
} from "../support/sim-facilitator.js";
import { createSimWallet, type SimWallet } from "../support/sim-wallet.js";
import { type StartedA2a, type StartOptions, startA2a } from "./start-a2a.js";

export interface PaidA2a extends StartedA2a {
	readonly chain: SimChain;
	readonly facilitator: SimFacilitator;
	readonly wallet: SimWallet;
	/** What the wallet still holds on the chain. */
	funds(): Promise<bigint>;
}

/** The transport with a simulated chain and a wallet of 10 USD on it. */
export async function startPaidA2a(
	t: Test,
	{ kind = "strict", ...options }: StartOptions & { kind?: FacilitatorKind } = {},
): Promise<PaidA2a> {
	const clock: Clock = options.clock ?? systemClock;
	const chain = createSimChain({ now: () => clock.now() });
	const facilitator = createSimFacilitator({ chain, clock, kind });
	const { terms } = chain;
	const onchain: OnchainParts = { terms, facilitator, chain, close: async () => undefined };
	const wallet = createSimWallet(chain, {
		name: "agent",
		now: () => clock.now(),
		balance: 10_000_000n,
	});
	const shop = await startA2a(t, { ...options, onchain });
	const funds = () => chain.balanceOf(terms, wallet.address);
	return { ...shop, chain, facilitator, wallet, funds };
}
