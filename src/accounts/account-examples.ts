/** Replies about an account, its keys and its connection tokens. */

export const ACCOUNT_ID = "acc_01kg9yz3v0f6x2m8q4t7w1ab2c";
export const KEY_ID = "key_01kg9yz3v0f6x2m8q4t7w1ab2c";
export const KEY_SECRET = "sk_live_0123456789abcdefghijklmnopqrstuvwxyz";
export const CONNECTION_ID = "con_01kg9yz3v0f6x2m8q4t7w1ab2d";

export const BUDGET_EXAMPLE = {
	limit_usd: "50.00",
	spent_this_month_usd: "41.50",
	remaining_usd: "8.50",
	alert_percent: [50, 80, 100],
	alerts_reached: [50, 80],
	resets_at: "2026-12-01T00:00:00.000Z",
};

export const ACCOUNT_EXAMPLE = {
	id: ACCOUNT_ID,
	label: "research crew",
	contact: "",
	plan: "free",
	has_payment_method: false,
	retention: "standard",
	may_choose_zero_retention: false,
	created_at: "2026-11-01T12:00:00.000Z",
	balance_usd: "58.50",
	held_usd: "0.00",
	budget: BUDGET_EXAMPLE,
	credential: { key_id: KEY_ID, manages_account: true },
};

export const CALL_EXAMPLE = {
	receipt_id: "rcpt_01kg9yz3v0f6x2m8q4t7w1ab2c",
	at: "2026-11-30T12:00:00.000Z",
	operation: "graphs.search",
	billing_type: "per_call",
	graph_ids: ["agent-payments"],
	key_id: KEY_ID,
	amount_usd: "0.50",
	balance_after_usd: "58.50",
};

export const QUOTA_EXAMPLE = {
	plan: "free",
	has_payment_method: false,
	max_price_usd: "0.50",
	remaining: 38,
	month: { limit: 100, used: 40, resets_at: "2026-12-01T00:00:00.000Z" },
	day: { limit: 50, used: 12, resets_at: "2026-12-01T00:00:00.000Z" },
};

export const USED_EXAMPLE = { calls: 3, spent_usd: "1.50" };

export const CONNECTION_EXAMPLE = {
	id: CONNECTION_ID,
	label: "desktop assistant",
	skills: ["graph_search"],
	graphs: [],
	expires_at: "2026-12-31T00:00:00.000Z",
	created_at: "2026-11-30T12:00:00.000Z",
	last_used_on: "2026-11-30",
};

export const KEY_EXAMPLE = {
	...CONNECTION_EXAMPLE,
	id: KEY_ID,
	label: "research crew",
	status: "active",
	manages_account: false,
	max_total_usd: null,
	max_per_month_usd: "20.00",
	spent_usd: "31.50",
	spent_this_month_usd: "4.50",
	rotated_at: null,
	old_secret_until: null,
};
