import type { BriefingWire, RunWire, ScheduleWire } from "./schedule-wire.js";

export const SCHEDULE_ID = "sch_2q4t7w1ab2c0f6x2m8k9yz3v5n7r1d3h";
export const RUN_ID = "run_8kq4t7w1ab2c0f6x2m9yz3v5n7";
export const LINK_TOKEN = "c2FtcGxlLXRva2VuLW9mLW5vLXNjaGVkdWxl";

export const SCHEDULE: ScheduleWire = {
	schedule_id: SCHEDULE_ID,
	topic: "Payments by agents over HTTP",
	frequency: "weekly",
	timezone: "Europe/Berlin",
	hour: 8,
	weekday: "monday",
	status: "active",
	reason: null,
	channels: [{ kind: "email", target_masked: "a…@e…", status: "unconfirmed" }],
	next_run_at: "2026-11-30T07:00:00.000Z",
	last_run: null,
	weeks_prepaid: 1,
	covered_through: null,
	week_price_usd: "10.00",
	renews: true,
	created_at: "2026-11-24T12:00:00.000Z",
};

const TREND_ID = "agent-payments:authorizations.eip-3009-transfer-with-authorization";

export const BRIEFING: BriefingWire = {
	topic: SCHEDULE.topic,
	frequency: "weekly",
	as_of: "2026-11-30T07:00:00.000Z",
	since: null,
	is_first: true,
	is_nothing_new: false,
	changes: [],
	top: [
		{
			trend_id: TREND_ID,
			graph_id: "agent-payments",
			title: "EIP-3009 transfer with authorization",
			what: {
				text: "A token holder signs a transfer, and anybody may send it to the chain.",
				citation_ids: [1],
			},
			why_it_matters: null,
		},
	],
	movers: [],
	numbers: [],
	watch_list: [],
	citations: [
		{
			n: 1,
			evidence_id: `${TREND_ID}~0`,
			trend_id: TREND_ID,
			article_id: "eip-3009",
			title: "ERC-3009: Transfer With Authorization",
			source_url: "https://eips.ethereum.org/EIPS/eip-3009",
			published_at: "2020-09-28",
			publisher: "eips.ethereum.org",
			excerpt: "A token holder signs a transfer, and anybody may send it to the chain.",
			trust_tier: "unverified",
			graph_id: "agent-payments",
		},
	],
	writer: "extractive",
	warnings: [],
};

export const RUN: RunWire = {
	run_id: RUN_ID,
	schedule_id: SCHEDULE_ID,
	kind: "scheduled",
	slot: "2026-11-30",
	due_at: "2026-11-30T07:00:00.000Z",
	status: "delivered",
	attempts: 1,
	channels: [{ kind: "email", status: "sent" }],
	started_at: "2026-11-30T07:00:04.000Z",
	finished_at: "2026-11-30T07:00:05.000Z",
	receipt_id: null,
	briefing: BRIEFING,
	kept_until: "2026-12-01T07:00:05.000Z",
};
