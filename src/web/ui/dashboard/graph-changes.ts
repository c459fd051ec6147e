import type { Change } from "./change-dialog.js";

/** What operators can do with graphs. */

type Done = () => void;

export interface GraphRow {
	readonly id: string;
	readonly title: string;
	readonly type: string;
	readonly version: string;
	readonly nodes: number;
	/** Whether its files may be changed from here. */
	readonly imported: boolean;
	readonly calls: number;
	readonly net_usd: string;
}

export interface Version {
	readonly number: number;
	readonly at: string;
	readonly cause: string;
	readonly nodes: number;
	readonly release?: { readonly label: string };
}

export function priceChange({ id }: GraphRow, onDone: Done): Change {
	return {
		title: `Price of ${id}`,
		words:
			"What any question to this graph alone costs from now on. Quotes that were made keep their price.",
		verb: "Set the price",
		rehearses: false,
		fields: [
			{
				name: "price",
				label: "Price of a call, USD",
				hint: "Empty: what the price book says",
				isAmount: true,
				isOptional: true,
			},
		],
		toOrder: ({ price: amount = "" }) => ({
			method: "POST",
			path: `/graphs/${encodeURIComponent(id)}/prices`,
			body: { price: amount },
		}),
		onDone,
	};
}

export function removeChange({ id, nodes }: GraphRow, onDone: Done): Change {
	return {
		title: `Take ${id} off sale`,
		words: `Its ${nodes} concepts are no longer sold. Rolling it back brings it back, until another graph of its id is removed.`,
		verb: "Take it off sale",
		isStop: true,
		rehearses: false,
		toOrder: () => ({ method: "DELETE", path: `/graphs/${encodeURIComponent(id)}` }),
		onDone,
	};
}

export function rollBackChange(id: string, { number, nodes }: Version, onDone: Done): Change {
	return {
		title: `Roll ${id} back to version ${number}`,
		words: `Version ${number} with ${nodes} concepts is put on sale again, as a new version; what is on sale now is kept.`,
		verb: `Put version ${number} on sale`,
		rehearses: false,
		toOrder: () => ({
			method: "POST",
			path: `/graphs/${encodeURIComponent(id)}/rollback`,
			body: { to: number },
		}),
		onDone,
	};
}
