import { join } from "node:path";
import root, { type Test } from "tap";
import { type ClientOptions, createClient, spt } from "../../client/src/index.js";
import { systemClock } from "../../src/kernel/clock.js";
import { createSimChain, signatureOf } from "../support/sim-chain.js";
import { createSimFacilitator } from "../support/sim-facilitator.js";
import { createSimWallet } from "../support/sim-wallet.js";
import { startApp, sumOfAllEntries, type TestApp } from "../support/start-app.js";
import { startFaultProxy } from "./fault-proxy.js";

export const GRAPH = "agent-payments";
/** So short that no test waits, so long that a slow machine does not count. */
const HASTY = { retry: { pauseMs: 1, pauseMostMs: 50, attempts: 4 } } as const;

let shared: Promise<{ app: TestApp; chain: ReturnType<typeof createSimChain> }> | undefined;

async function openApp() {
	const chain = createSimChain({ now: systemClock.now });
	const facilitator = createSimFacilitator({ chain, clock: systemClock });
	const onchain = { terms: chain.terms, facilitator, chain, close: async () => undefined };
	// One server for all tests of a file: it outlives each of them.
	const folder = join(root.testdir({}), "data");
	const app = await startApp(root, { settings: { model: "none" }, onchain, folder });
	return { app, chain };
}

/** One server for the tests of a file; for each of them a token and a proxy of its own. */
export async function openShop(t: Test, usd = "9.00") {
	shared ??= openApp();
	const { app, chain } = await shared;
	const { token, id } = await app.issueSpt(usd);
	const proxy = await startFaultProxy(t, app.baseUrl);
	return {
		app,
		chain,
		proxy,
		token,
		client: (options: ClientOptions = {}) =>
			createClient(proxy.url, { pay: spt(token), ...HASTY, ...options }),
		balance: () => app.app.store.read((reader) => reader.balance(`cust:${id}`)),
		sumOfAllEntries: () => sumOfAllEntries(app.app),
		/** An account that signs on the simulated chain. */
		wallet(name: string, balance = 9_000_000n) {
			const { address } = createSimWallet(chain, { name, now: systemClock.now, balance });
			return {
				address,
				async signTypedData({ message }: { message: Parameters<typeof signatureOf>[0] }) {
					return signatureOf(message);
				},
			};
		},
	};
}
