import type { Change } from "./change-dialog.js";

/** What an owner can do with refunds. */

type Done = () => void;

export interface Refund {
	readonly id: string;
	readonly ref: string;
	readonly owner: string;
	readonly amount_usd: string;
	readonly reason: string;
	readonly state: string;
	readonly destination: string | null;
	readonly transaction: string | null;
	readonly created_at: string;
}

export interface RefundRequest {
	readonly id: string;
	readonly receipt_id: string;
	readonly owner: string;
	readonly reason: string | null;
	readonly created_at: string;
}

export function decideChange({ id, owner }: RefundRequest, grant: boolean, onDone: Done): Change {
	return {
		title: grant ? `Grant ${id}` : `Decline ${id}`,
		words: grant
			? `What ${owner} asked back is refunded.`
			: `${owner} is answered that nothing is refunded.`,
		verb: grant ? "Grant the refund" : "Decline it",
		isStop: !grant,
		rehearses: true,
		toOrder: () => ({ method: "POST", path: "/ledger/refunds/decisions", body: { id, grant } }),
		onDone,
	};
}

export function refundChange(onDone: Done): Change {
	return {
		title: "Refund a call",
		words: "The receipt is refunded once, to the balance that paid, or to the wallet.",
		verb: "Refund",
		rehearses: true,
		fields: [
			{ name: "receipt_id", label: "Receipt", hint: "rcp_…" },
			{ name: "reason", label: "Reason" },
			{
				name: "usd",
				label: "Amount, USD",
				hint: "Empty: all that was charged",
				isAmount: true,
				isOptional: true,
			},
		],
		toOrder: ({ receipt_id, reason, usd: amount }) => ({
			method: "POST",
			path: "/ledger/refunds",
			body: { receipt_id, reason, ...(amount && { usd: amount }) },
		}),
		onDone,
	};
}

export function payChange({ id, amount_usd, destination }: Refund, onDone: Done): Change {
	const isSent = destination !== null;
	return {
		title: `Pay ${id}`,
		words: isSent
			? `${amount_usd} USD. With the hash of a transfer it is recorded as paid by hand; without one it is sent to ${destination} on the chain, which cannot be taken back.`
			: `${amount_usd} USD. There is no wallet to send it to: it is recorded as paid by hand, and nothing is sent. Pay it first.`,
		verb: isSent ? "Pay the refund" : "Record it as paid",
		rehearses: false,
		toSaid: ({ state }: { readonly state?: unknown }) =>
			state === "paid"
				? `${id} is paid.`
				: `${id} is ${String(state)}: the chain has not confirmed it yet.`,
		fields: [{ name: "tx", label: "Hash of a transfer", isOptional: true }],
		toOrder: ({ tx }) => ({
			method: "POST",
			path: "/ledger/refunds/payments",
			body: { id, ...(tx && { tx }) },
		}),
		onDone,
	};
}
