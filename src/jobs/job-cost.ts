import type { JobRow } from "../../store/store.js";
import { isOpenJob } from "../contract/contract.js";
import { formatUsd } from "../kernel/kernel.js";

/** What a job costs, as its caller is told at any time: the price while it is held, then what was taken of it. */
export function toJobCost(row: JobRow) {
	const isHeld = isOpenJob(row.state) && row.holdId !== undefined;
	const chargedMicros = row.chargedMicros ?? 0n;
	return {
		amount_usd: formatUsd(isHeld ? row.priceMicros : chargedMicros),
		price_usd: formatUsd(row.priceMicros),
		billing_type: row.billingType,
		rail: row.rail,
		receipt_id: row.receiptId ?? null,
		charged: chargedMicros > 0n,
		held: isHeld,
	};
}
