import type { Test } from "tap";
import type { PairJudge } from "../../src/search/judge/pair-judge.js";
import type { Settings } from "../../src/settings/read-settings.js";
import { type HeldClock, heldClock } from "../support/held-clock.js";
import { type ManualClock, manualClock } from "../support/manual-clock.js";
import { type Answer, KNOWN_QUERY, startApp, type TestApp } from "../support/start-app.js";

/** A shop with keyword search over the sample graphs, a clock that stands still, and one funded account. */
export interface AccountShop extends TestApp {
	readonly clock: ManualClock & HeldClock;
	/** Secret of the account's first key, which manages it. */
	readonly key: string;
	readonly accountId: string;
	/** Any request of the account's owner, or of another key. */
	ask(method: string, path: string, body?: object, key?: string): Promise<Answer>;
	/** One search with a key; its status. */
	buy(key: string, graph?: string): Promise<number>;
}

export async function openAccount(
	t: Test,
	options: {
		usd?: string;
		settings?: Partial<Settings>;
		folder?: string;
		at?: string;
		clock?: ManualClock;
		judge?: PairJudge;
	} = {},
): Promise<AccountShop> {
	const clock = heldClock(options.clock ?? manualClock(options.at ?? "2026-03-10T12:00:00Z"));
	const shop = await startApp(t, {
		clock,
		settings: { model: "none", ...options.settings },
		...(options.folder !== undefined && { folder: options.folder }),
		...(options.judge && { judge: options.judge }),
	});
	const { usd } = options;
	const { key, account_id: accountId } = await shop.app.operator.createKey({
		label: "canary-label",
		...(usd !== undefined && { usd }),
	});
	return {
		...shop,
		clock,
		key,
		accountId,
		ask: (method, path, body, secret = key) =>
			shop.send(path, {
				method,
				headers: { "X-API-Key": secret, "Content-Type": "application/json" },
				...(body && { body: JSON.stringify(body) }),
			}),
		async buy(secret, graph = "agent-payments") {
			const body = { query: KNOWN_QUERY, limit: 1 };
			return (await shop.search({ graph, body, headers: { "X-API-Key": secret } })).status;
		},
	};
}

/** Uses up the free calls of the month, so that what follows is paid from the balance. */
export async function useFreeCalls({ app, accountId, clock }: AccountShop): Promise<void> {
	const month = new Date(clock.now()).toISOString().slice(0, 7);
	await app.store.transaction((tx) =>
		tx.put("quotas", { id: `${accountId}|${month}`, used: 100, expiresAt: clock.now() + 4e9 }),
	);
}
