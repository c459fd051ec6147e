import type { Test } from "tap";
import type { OnchainProcess } from "./start-onchain.js";

const CASH = "cash:x402:eip155:84532";

/** Money that came is revenue or a token of its payer's, to the last unit. */
export async function assertWhole(
	t: Test,
	{ balances, chain, wallet }: OnchainProcess,
): Promise<void> {
	const accounts = await balances();
	const came = await chain.balanceOf(chain.terms, chain.terms.payTo);
	t.equal(-(accounts[CASH] ?? 0n), came, "the books show what the chain shows");
	t.equal(accounts[`cust:${wallet.owner}`], undefined, "no money lies about");
	const others = Object.entries(accounts).filter(([account]) => account !== CASH);
	t.equal(
		others.reduce((sum, [, amount]) => sum + amount, 0n),
		came,
	);
}
