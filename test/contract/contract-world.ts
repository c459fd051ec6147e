import type { Test } from "tap";
import type { Clock } from "../../src/core/clock.js";
import { formatUsd } from "../../src/core/money.js";
import { createCallerEgress } from "../../src/delivery/caller-egress.js";
import { startApp, type TestApp } from "../support/start-app.js";
import type { Operation } from "./described-operations.js";

/** A running service, and for each operation a request that works: its own example, with names that exist. */
export interface ContractWorld {
	readonly testApp: TestApp;
	/** A fresh credential of a kind the operation takes; no header for a free one. */
	credentialFor(operation: Operation): Promise<Held>;
	/** Values of path and query parameters that name something the credential may see. */
	namesFor(operation: Operation, held: Held): Promise<Readonly<Record<string, string>>>;
	send(request: Sent): Promise<Received>;
}

export interface Held {
	readonly headers: Readonly<Record<string, string>>;
	/** USD the credential's owner has left. */
	balance(): Promise<string | undefined>;
}

export interface Sent {
	readonly method: string;
	readonly path: string;
	readonly query?: Readonly<Record<string, string>>;
	readonly headers: Readonly<Record<string, string>>;
	readonly body?: string | undefined;
}

export interface Received {
	readonly status: number;
	readonly mediaType: string;
	readonly text: string;
	readonly body: unknown;
	readonly headers: Headers;
}

const START_USD = "50.00";

export async function startContractWorld(
	t: Test,
	{ clock }: { readonly clock?: Clock } = {},
): Promise<ContractWorld> {
	const settings = { model: "none", accounts: "open" } as const;
	// Nobody is called: no name leads anywhere.
	const callerEgress = createCallerEgress({ resolve: async () => [] });
	const testApp = await startApp(t, { settings, callerEgress, ...(clock && { clock }) });
	const { baseUrl, app } = testApp;
	const send: ContractWorld["send"] = async ({ method, path, query = {}, headers, body }) => {
		const search = new URLSearchParams(query);
		const url = `${baseUrl}${path}${search.size > 0 ? `?${search}` : ""}`;
		const json = body === undefined ? {} : { "Content-Type": "application/json" };
		const reply = await fetch(url, {
			method,
			headers: { ...json, ...headers },
			...(body !== undefined && { body }),
		});
		const text = await reply.text();
		const mediaType = reply.headers.get("content-type") ?? "";
		const parsed = mediaType.includes("json") ? JSON.parse(text) : text;
		return { status: reply.status, mediaType, text, body: parsed, headers: reply.headers };
	};
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
		namesFor: (operation, held) => NAMES[operation.operationId]?.({ send, held }) ?? none(),
	};
}

/** Free, and for whoever shows the token they are about. */
const SHOW_A_TOKEN: ReadonlySet<string> = new Set([
	"spt_validate",
	"receipts_get",
	"research_schedules_list",
	"research_schedules_change",
	"research_schedules_cancel",
]);

const none = async () => ({});

type Naming = (world: {
	readonly send: ContractWorld["send"];
	readonly held: Held;
}) => Promise<Readonly<Record<string, string>>>;

const post =
	(path: string, body: unknown, read: (data: never) => Record<string, string>): Naming =>
	async ({ send, held: { headers } }) => {
		const reply = await send({ method: "POST", path, headers, body: JSON.stringify(body) });
		return read((reply.body as { data: never }).data);
	};

const receipt: Naming = async ({ send, held }) => {
	const reply = await send({
		method: "POST",
		path: "/v1/search/domain",
		headers: held.headers,
		body: JSON.stringify({ query: "Which HTTP status code asks for payment?" }),
	});
	return {
		receipt_id: (reply.body as { meta: { cost: { receipt_id: string } } }).meta.cost.receipt_id,
	};
};

const key = post("/v1/account/keys", { label: "second" }, ({ id }: { id: string }) => ({
	key_id: id,
}));

const verification = post(
	"/v1/verify/claim",
	{ claim: "Pectra was activated on mainnet in May 2025." },
	({ verification_id }: { verification_id: string }) => ({ verification_id }),
);

const dossier = post(
	"/v1/intelligence/dossier",
	{ topic: "Gasless transfers with signed authorizations" },
	({ dossier_id }: { dossier_id: string }) => ({ dossier_id }),
);

const chat = post(
	"/v1/research/chat",
	{ sessionId: "session-1", message: "Which HTTP status code asks for payment?" },
	({ session }: { session: { id: string } }) => ({ session_id: session.id }),
);

const consultation = post(
	"/v1/human-agents/consult",
	{ agent_id: "transport-security-desk", question: "How should a server roll out HSTS?" },
	({ consultation_id }: { consultation_id: string }) => ({ consultation_id }),
);

const dive = post(
	"/v1/research/deep-dive",
	{ query: "How do agents pay for what they call?" },
	({ job_id }: { job_id: string }) => ({ job_id }),
);

/** One whose report is there: its events end with it. */
const endedDive: Naming = async (world) => {
	const names = await dive(world);
	const path = `/v1/research/deep-dive/${names["job_id"]}/events`;
	await world.send({ method: "GET", path, headers: world.held.headers });
	return names;
};

const schedule = post(
	"/v1/research/schedules",
	{ topic: "Payments by agents over HTTP", frequency: "daily" },
	({ schedule_id }: { schedule_id: string }) => ({ schedule_id }),
);

const webhook = post(
	"/v1/webhooks",
	{ url: "https://agents.example.com/hooks" },
	({ id }: { id: string }) => ({ wid: id }),
);

/** One that was to be told that a schedule is paused. */
const toldWebhook: Naming = async (world) => {
	const names = await webhook(world);
	const { schedule_id: id } = await schedule(world);
	const { headers } = world.held;
	const path = `/v1/research/schedules/${id}`;
	await world.send({ method: "PATCH", path, headers, body: JSON.stringify({ status: "paused" }) });
	const list = `/v1/webhooks/${names["wid"]}/deliveries`;
	const reply = await world.send({ method: "GET", path: list, headers });
	const [delivery] = (reply.body as { data: { items: { id: string }[] } }).data.items;
	return { ...names, did: delivery?.id ?? "" };
};

/** One that has run. */
const ranSchedule: Naming = async (world) => {
	const names = await schedule(world);
	const path = `/v1/research/schedules/${names["schedule_id"]}/run`;
	const run = post(path, {}, ({ run_id }: { run_id: string }) => ({ run_id }));
	return { ...names, ...(await run(world)) };
};

/** Operations whose path names something that has to be made first. */
const NAMES: Readonly<Record<string, Naming>> = {
	quotes_get: post(
		"/v1/quotes",
		{ operation: "search.domain", input: { query: "retries" } },
		({ quote_id }: { quote_id: string }) => ({ quote_id }),
	),
	receipts_get: receipt,
	spt_delegations_revoke: post(
		"/v1/spt/delegations",
		{ amount_usd: "1.00" },
		({ id }: { id: string }) => ({ delegation_id: id }),
	),
	account_erase: async () => ({ confirm: START_USD }),
	account_keys_change: key,
	account_keys_revoke: key,
	account_keys_rotate: key,
	research_chat_sessions_get: chat,
	research_chat_sessions_messages: chat,
	research_chat_sessions_change: chat,
	research_chat_sessions_delete: chat,
	human_agents_consultations_get: consultation,
	human_agents_follow_up: consultation,
	feedback_delete: post(
		"/v1/feedback",
		{ request_id: "req_01kg9yz3v0f6x2m8q4t7w1ab2c", useful: true },
		({ id }: { id: string }) => ({ feedback_id: id }),
	),
	verifications_batch: post(
		"/v1/verify/claims",
		{ claims: ["Pectra was activated on mainnet in May 2025."] },
		({ batch_id }: { batch_id: string }) => ({ batch_id }),
	),
	verifications_get: verification,
	intelligence_dossier_refresh: dossier,
	intelligence_dossiers_get: dossier,
	intelligence_dossiers_export: dossier,
	intelligence_dossiers_delete: dossier,
	verifications_claim_review: verification,
	research_deep_dive_status: endedDive,
	research_deep_dive_events: dive,
	research_deep_dive_cancel: dive,
	research_deep_dive_sources: endedDive,
	research_deep_dive_export: endedDive,
	research_deep_dive_delete: endedDive,
	research_deep_dive_follow_up: dive,
	research_schedules_run: schedule,
	research_schedules_get: schedule,
	research_schedules_change: schedule,
	research_schedules_cancel: schedule,
	research_schedules_test: schedule,
	research_schedules_runs_list: ranSchedule,
	research_schedules_runs_get: ranSchedule,
	webhooks_change: webhook,
	webhooks_delete: webhook,
	webhooks_test: webhook,
	webhooks_rotate_secret: webhook,
	webhooks_deliveries: webhook,
	webhooks_redeliver: toldWebhook,
	account_connection_tokens_revoke: post(
		"/v1/account/connection-tokens",
		{},
		({ id }: { id: string }) => ({ token_id: id }),
	),
};
