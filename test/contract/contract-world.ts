import type { Test } from "tap";
import { createCallerEgress } from "../../src/delivery/caller-egress.js";
import type { Clock } from "../../src/kernel/clock.js";
import { formatUsd } from "../../src/kernel/money.js";
import type { Settings } from "../../src/settings/read-settings.js";
import { startApp, type TestApp } from "../support/start-app.js";
import { handJudge } from "../support/word-judge.js";
import { createSend, type Send } from "./contract-client.js";
import type { Operation } from "./described-operations.js";
import { NAMES, START_USD } from "./named-things.js";

/** A running service, and for each operation a request that works: its own example, with names that exist. */
export interface ContractWorld {
	readonly testApp: TestApp;
	/** A fresh credential of a kind the operation takes; no header for a free one. */
	credentialFor(operation: Operation): Promise<Held>;
	/** Values of path and query parameters that name something the credential may see. */
	namesFor(operation: Operation, held: Held): Promise<Readonly<Record<string, string>>>;
	readonly send: Send;
}

export interface Held {
	readonly headers: Readonly<Record<string, string>>;
	/** USD the credential's owner has left. */
	balance(): Promise<string | undefined>;
}

export type Models = Pick<Partial<Settings>, "model" | "judge">;

/** The models that operations need which sell them; the others go by words here, which is faster. */
export const MODELS = { model: "table", judge: "bundled" } as const;
const SELLS_MODELS: ReadonlySet<string> = new Set(["embeddings_create", "rerank_create"]);
export const sellsModels = ({ operationId }: Operation): boolean => SELLS_MODELS.has(operationId);

export async function startContractWorld(
	t: Test,
	{ clock, models = {} }: { readonly clock?: Clock; readonly models?: Models } = {},
): Promise<ContractWorld> {
	const settings = { model: "none", accounts: "open", ...models } as const;
	// No one is called: no name leads anywhere.
	const callerEgress = createCallerEgress({ resolve: async () => [] });
	// What claims are told is not looked at here; that they are told is.
	const judge = models.judge ? {} : { judge: handJudge() };
	const testApp = await startApp(t, { settings, callerEgress, ...judge, ...(clock && { clock }) });
	const { baseUrl, app } = testApp;
	const send = createSend(baseUrl);
	const sptHolder = async (): Promise<Held> => {
		const { token } = await testApp.issueSpt(START_USD);
		const headers = { "X-Pay-SPT": token };
		return {
			headers,
			async balance() {
				const reply = await send({ method: "GET", path: "/v1/spt/balance", headers });
				return (reply.body as { data?: { balance_usd?: string } }).data?.balance_usd;
			},
		};
	};
	const keyHolder = async (): Promise<Held> => {
		const { key, account_id: accountId } = await app.operator.createKey({ usd: START_USD });
		const balance = async () => {
			const left = await app.store.read((reader) => reader.balance(`cust:${accountId}`));
			return formatUsd(left);
		};
		return { headers: { "X-API-Key": key }, balance };
	};
	return {
		testApp,
		send,
		async credentialFor({ security, operationId }) {
			const schemes = security.flatMap((one) => Object.keys(one));
			if (SHOW_A_TOKEN.has(operationId) || schemes.includes("paymentSPT")) return sptHolder();
			if (schemes.includes("apiKey")) return keyHolder();
			return { headers: {}, balance: async () => undefined };
		},
		namesFor: async ({ operationId }, { headers }) =>
			(await NAMES[operationId]?.({ send, headers })) ?? {},
	};
}

/** Free, and for anyone who shows the token they are about. */
const SHOW_A_TOKEN: ReadonlySet<string> = new Set([
	"spt_validate",
	"receipts_get",
	"research_schedules_list",
	"research_schedules_change",
	"research_schedules_cancel",
]);
