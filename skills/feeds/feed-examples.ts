/** Replies of the operations on supplemental feeds, with figures of the bundled observations. */

const DESCRIBED = {
	feed_id: "eia:brent",
	provider: "US Energy Information Administration, by way of FRED",
	title: "Brent crude oil price",
	kind: "series",
	unit: "US dollars per barrel",
	frequency: "monthly",
	source_url: "https://fred.stlouisfed.org/series/MCOILBRENTEU",
	licence: "US government work, public domain",
	terms_url: "https://www.eia.gov/about/copyrights_reuse.php",
};

const LAST = { period: "2026-07", value: 83.76, value_text: "83.76" };

export const OBSERVED = {
	...DESCRIBED,
	retrieved_at: "2026-11-22T00:00:00.000Z",
	stale: true,
	last: LAST,
	change: { abs: -1.64, pct: -1.9204, yoy: 17.9054, yoy_unit: "percent" },
	observations: [{ period: "2026-06", value: 85.4, value_text: "85.4" }, LAST],
	items: [],
	total: 319,
};

export const SKIPPED = {
	feed_id: "eia:brent",
	reason: "Feeds are not fetched here.",
	shown: "bundle",
};

export const SUGGESTED = {
	feed_id: DESCRIBED.feed_id,
	title: DESCRIBED.title,
	provider: DESCRIBED.provider,
	reason: 'Its topics and title have "oil", "price".',
};

export const FEED = {
	...DESCRIBED,
	topics: ["oil", "crude", "energy", "commodities", "brent", "petroleum"],
	connector: "csv",
	is_search: false,
	is_bundled: true,
};

export const HEALTH_ITEM = {
	last_success_at: null,
	last_period: "2026-07",
	lag_days: 144,
	stale: true,
	failures: 0,
	reason: "Feeds are not fetched here.",
};

export const FEED_META = { mode: "bundled", as_of: "2026-11-22T12:00:00.000Z" };

const {
	last: _last,
	change: _change,
	observations: _observations,
	items: _items,
	total: _total,
	...about
} = OBSERVED;
export const OTHER = {
	...about,
	feed_id: "eia:wti",
	title: "West Texas Intermediate crude oil price",
};

export const COMPARISON = {
	frequency: "monthly",
	transform: "none",
	feeds: [about, OTHER],
	rows: [
		{ period: "2026-06", values: { "eia:brent": 85.4, "eia:wti": 84.81 } },
		{ period: "2026-07", values: { "eia:brent": 83.76, "eia:wti": 80.46 } },
	],
	correlations: [{ feeds: ["eia:brent", "eia:wti"], r: null, n: 2, is_small_sample: true }],
	notes: ["Fewer than 12 periods in common: a correlation says little."],
	skipped: [SKIPPED, { ...SKIPPED, feed_id: OTHER.feed_id }],
};
