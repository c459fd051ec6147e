import type { Change } from "./change-dialog.js";

/** What an owner can do with accounts and tokens. */

type Done = () => void;

export interface Account {
	readonly id: string;
	readonly label: string;
	readonly contact: string | null;
	readonly status: string;
	readonly balance_usd: string;
	readonly max_per_month_usd: string | null;
	readonly retention: string;
	readonly created_at: string;
}

export interface Token {
	readonly id: string;
	readonly label: string;
	readonly status: string;
	readonly balance_usd: string;
	readonly held_usd: string;
	readonly max_per_day_usd?: string | null;
	readonly expires_at: string | null;
}

const secretOnce = "The secret is shown once, after that.";

export function addChange(onDone: Done): Change {
	return {
		title: "A new account with a key",
		words: `The key pays from the account's balance. ${secretOnce}`,
		verb: "Make it",
		rehearses: true,
		fields: [
			{ name: "label", label: "Label", isOptional: true },
			{ name: "usd", label: "Prepaid balance, USD", isAmount: true, isOptional: true },
		],
		toOrder: ({ label, usd: amount }) => ({
			method: "POST",
			path: "/keys",
			body: { ...(label && { label }), ...(amount && { usd: amount }) },
		}),
		onDone,
	};
}

export function creditChange({ id, balance_usd }: Account, onDone: Done): Change {
	return {
		title: `Add balance to ${id}`,
		words: `It has ${balance_usd} USD.`,
		verb: "Add it",
		rehearses: true,
		fields: [{ name: "usd", label: "Amount, USD", isAmount: true }],
		toOrder: ({ usd: amount }) => ({
			method: "POST",
			path: "/accounts/credit",
			body: { account_id: id, usd: amount },
		}),
		onDone,
	};
}

export function issueChange(onDone: Done): Change {
	return {
		title: "Issue a token",
		words: `Who has it pays with it, up to its balance. ${secretOnce}`,
		verb: "Issue it",
		rehearses: true,
		fields: [
			{ name: "usd", label: "Balance, USD", isAmount: true },
			{ name: "label", label: "Label", isOptional: true },
			{ name: "day", label: "Most per day, USD", isAmount: true, isOptional: true },
		],
		toOrder: ({ usd: amount, label, day }) => ({
			method: "POST",
			path: "/spts",
			body: { usd: amount, ...(label && { label }), ...(day && { max_per_day_usd: day }) },
		}),
		onDone,
	};
}

export function revokeChange({ id, balance_usd }: Token, onDone: Done): Change {
	return {
		title: `End ${id}`,
		words: `It has ${balance_usd} USD and pays for nothing from then on. This cannot be undone; what it has left can be refunded.`,
		verb: "End it for good",
		isStop: true,
		rehearses: true,
		toOrder: () => ({ method: "POST", path: "/spts/revoke", body: { id } }),
		onDone,
	};
}

export function refundChange({ id, balance_usd }: Token, onDone: Done): Change {
	return {
		title: `Refund what ${id} has left`,
		words: `${balance_usd} USD goes to the wallet that bought it, or back by other means.`,
		verb: "Refund",
		isStop: true,
		rehearses: true,
		fields: [{ name: "reason", label: "Reason" }],
		toOrder: ({ reason }) => ({
			method: "POST",
			path: "/ledger/refunds/tokens",
			body: { token_id: id, reason },
		}),
		onDone,
	};
}

export function freezeAccountChange({ id, status }: Account, onDone: Done): Change {
	const isFrozen = status === "frozen";
	return {
		title: isFrozen ? `Let ${id} pay again` : `Freeze ${id}`,
		words: isFrozen
			? "Its keys pay again."
			: "It pays for nothing from now on; what is held already is finished.",
		verb: isFrozen ? "Let it pay" : "Freeze it",
		isStop: !isFrozen,
		rehearses: true,
		toOrder: () => ({
			method: "POST",
			path: "/accounts/set",
			body: { account_id: id, frozen: !isFrozen },
		}),
		onDone,
	};
}

export function freezeTokenChange({ id, status }: Token, onDone: Done): Change {
	const isFrozen = status === "frozen";
	const path = `/spts/${encodeURIComponent(id)}/${isFrozen ? "unfreeze" : "freeze"}`;
	return {
		title: isFrozen ? `Let ${id} pay again` : `Freeze ${id}`,
		words: isFrozen
			? "It pays again."
			: "It pays for nothing; its balance stays, what is held is finished.",
		verb: isFrozen ? "Let it pay" : "Freeze it",
		isStop: !isFrozen,
		rehearses: true,
		toOrder: () => ({ method: "POST", path }),
		onDone,
	};
}
