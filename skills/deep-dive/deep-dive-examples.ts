/** Replies about one deep dive, from its launch to its report. */

export const JOB_ID = "job_01kg9yz3v0f6x2m8q4t7w1ab2c";
export const DEEP_DIVE_QUERY = "How do agents pay for what they call?";

const at = (path: string) => `/v1/research/deep-dive/${path}`;
const CREATED_AT = "2026-11-22T12:00:00.000Z";

const HELD = {
	amount_usd: "10.00",
	price_usd: "10.00",
	billing_type: "deep_research_light",
	rail: "spt",
	receipt_id: null,
	charged: false,
	held: true,
};

export const DEEP_DIVE_JOB = {
	job_id: JOB_ID,
	operation: "research.deep_dive",
	status: "queued" as const,
	mode: "fast",
	percent: 0,
	pass: null,
	pass_number: 0,
	passes: 6,
	sources_considered: 0,
	sources_read: 0,
	stop_reason: null,
	price_usd: "10.00",
	cost: HELD,
	created_at: CREATED_AT,
	started_at: null,
	ended_at: null,
	report_expires_at: null,
	links: {
		status: at(`status/${JOB_ID}`),
		events: at(`${JOB_ID}/events`),
		cancel: at(`${JOB_ID}/cancel`),
		sources: at(`${JOB_ID}/sources`),
		export: at(`${JOB_ID}/export`),
	},
};

const { price_usd: _price, ...held } = HELD;
export const DEEP_DIVE_LAUNCHED = {
	ok: true,
	data: DEEP_DIVE_JOB,
	meta: {
		query: DEEP_DIVE_QUERY,
		as_of: CREATED_AT,
		request_id: "req_01kg9yz3v0f6x2m8q4t7w1ab2c",
		cost: { ...held, balance_after_usd: "15.00" },
	},
};

export const DEEP_DIVE_STATUS = {
	...DEEP_DIVE_JOB,
	status: "completed" as const,
	percent: 100,
	pass: "write",
	pass_number: 6,
	sources_considered: 160,
	sources_read: 48,
	stop_reason: "done",
	cost: {
		...HELD,
		receipt_id: "rcpt_01kg9yz3v0f6x2m8q4t7w1ab2c",
		charged: true,
		held: false,
	},
	started_at: "2026-11-22T12:00:00.100Z",
	ended_at: "2026-11-22T12:00:04.200Z",
	report_expires_at: "2026-11-23T12:00:04.200Z",
	query: DEEP_DIVE_QUERY,
	report: { title: DEEP_DIVE_QUERY, query: DEEP_DIVE_QUERY, mode: "fast" },
	credit: null,
};

export const DEEP_DIVE_SOURCE = {
	n: 1,
	evidence_id: "agent-payments:protocols.x402~1",
	trend_id: "agent-payments:protocols.x402",
	title: "x402",
	source_url: "https://www.x402.org/",
	published_at: null,
	publisher: "x402.org",
	trust_tier: "human-reviewed",
	excerpt: "x402 carries a payment in an HTTP header.",
	used_in: ["finding 1"],
};

export const DEEP_DIVE_EVENTS = `retry: 3000
id: 1
event: research.created
data: {"job_id":"${JOB_ID}","mode":"fast","passes":["plan","search"],"created_at":"${CREATED_AT}"}

id: 2
event: research.cancelled
data: {"job_id":"${JOB_ID}","status":"cancelled","stop_reason":"cancelled","percent":0,"sources_considered":0,"sources_read":0}
`;
