/** What a caller with a Shared Payment Token is told of the cost, in examples. */
const EXAMPLE_COST = {
	request_id: "req_01kg9yz3v0f6x2m8q4t7w1ab2c",
	cost: {
		amount_usd: "0.50",
		billing_type: "per_call",
		rail: "spt",
		balance_after_usd: "24.50",
		receipt_id: "rcpt_01kg9yz3v0f6x2m8q4t7w1ab2c",
		charged: true,
	},
} as const;

/** An answer of `data` as a caller with a Shared Payment Token would get it; `more` stands in its meta. */
export const toDataReply = (data: object, more: object = {}) => ({
	ok: true,
	data,
	meta: { ...more, ...EXAMPLE_COST },
});
