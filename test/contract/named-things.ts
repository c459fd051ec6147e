import type { Send, Sent } from "./contract-client.js";

/** USD that anyone who asks begins with; who erases an account has to name what is left. */
export const START_USD = "50.00";

/** Makes what an operation's path names, for anyone who holds the credential in the headers. */
type Naming = (world: {
	readonly send: Send;
	readonly headers: Sent["headers"];
}) => Promise<Readonly<Record<string, string>>>;

const post =
	(path: string, body: unknown, read: (data: never) => Record<string, string>): Naming =>
	async ({ send, headers }) => {
		const reply = await send({ method: "POST", path, headers, body: JSON.stringify(body) });
		return read((reply.body as { data: never }).data);
	};

const receipt: Naming = async ({ send, headers }) => {
	const reply = await send({
		method: "POST",
		path: "/v1/search/domain",
		headers,
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
	await world.send({ method: "GET", path, headers: world.headers });
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

/** One that was to be notified that a schedule is paused. */
const toldWebhook: Naming = async (world) => {
	const names = await webhook(world);
	const { schedule_id: id } = await schedule(world);
	const { headers } = world;
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
export const NAMES: Readonly<Record<string, Naming>> = {
	quotes_get: post(
		"/v1/quotes",
		{ operation: "search.domain", input: { query: "retries" } },
		({ quote_id }: { quote_id: string }) => ({ quote_id }),
	),
	receipts_get: receipt,
	refunds_ask: receipt,
	refunds_get: async (world) => {
		const names = await receipt(world);
		const ask = post("/v1/refunds", names, ({ refund_id }: { refund_id: string }) => ({
			refund_id,
		}));
		return ask(world);
	},
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
