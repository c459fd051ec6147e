import { ledgerCommands } from "../reports/ledger-operator.js";
import { CHAIN, command, FILES, itemOf, nothing, owner, reads, type Wire } from "./command-row.js";
import { operatorCommands } from "./operator-interface.js";

/** The data folder, and money. */

export const DATA_ROWS = {
	readClock: command(nothing, {
		...reads,
		at: "GET /clock",
		summary: "Whether the time of the server's machine can be trusted",
	}),
	acceptClock: command(nothing, {
		...owner,
		at: "POST /clock/accept",
		summary: "Say that the clock is right: what it makes past its time is deleted from now on",
		changes: {
			target: () => "clock",
			state: (operator) => operator.readClock(),
			unrehearsed: "it is trusted at once",
		},
	}),
	purge: command(nothing, {
		...owner,
		at: "POST /retention/purge",
		summary: "Forget what is past its time now",
		isSlow: true,
		changes: { target: () => "retention", unrehearsed: FILES },
	}),
	backUp: command(operatorCommands.backUp, {
		...owner,
		at: "POST /backups",
		also: ["POST /backup"],
		summary: "A consistent backup into a folder on this machine",
		kind: "long",
		changes: { target: ({ folder }) => `backup/${folder}`, unrehearsed: FILES },
	}),
};

const ofRefund = {
	target: (_input: unknown, result?: Wire) => `refund/${result?.["id"] ?? "new"}`,
};

export const LEDGER_ROWS = {
	verifyLedger: command(nothing, {
		...reads,
		at: "GET /ledger/verification",
		summary: "Read the whole journal and check every invariant",
		isSlow: true,
	}),
	readAnchor: command(ledgerCommands.anchor, {
		...reads,
		at: "GET /ledger/anchor",
		summary: "Number and SHA-256 of the journal up to a frame, to be published elsewhere",
		isSlow: true,
	}),
	reportLedger: command(ledgerCommands.report, {
		...reads,
		at: "GET /ledger/report",
		summary: "Revenue, added up by one key",
		isSlow: true,
	}),
	exportLedger: command(nothing, {
		...reads,
		at: "GET /ledger/export",
		summary: "Every transaction, a line of JSON each",
		kind: "lines",
	}),
	listRefunds: command(nothing, { ...reads, at: "GET /ledger/refunds", summary: "Refunds" }),
	refundReceipt: command(ledgerCommands.refundReceipt, {
		...owner,
		at: "POST /ledger/refunds",
		summary: "Refund a call",
		changes: { ...ofRefund },
	}),
	refundToken: command(ledgerCommands.refundToken, {
		...owner,
		at: "POST /ledger/refunds/tokens",
		summary: "Refund what a token has left",
		changes: { ...ofRefund },
	}),
	listRefundRequests: command(nothing, {
		...reads,
		at: "GET /ledger/refunds/requests",
		summary: "What callers asked back and no one has decided yet",
	}),
	decideRefund: command(ledgerCommands.decideRefund, {
		...owner,
		at: "POST /ledger/refunds/decisions",
		summary: "Grant or decline what a caller asked back",
		changes: {
			target: ({ id }) => `refund/${id}`,
			state: (operator, { id }) => itemOf(operator.listRefundRequests(), id),
		},
	}),
	payRefund: command(ledgerCommands.payRefund, {
		...owner,
		at: "POST /ledger/refunds/payments",
		summary: "Pay a refund, or record that it was paid by hand",
		isSlow: true,
		changes: {
			target: ({ id }) => `refund/${id}`,
			state: (operator, { id }) => itemOf(operator.listRefunds(), id),
			unrehearsed: CHAIN,
		},
	}),
	listPayouts: command(nothing, {
		...reads,
		at: "GET /payouts",
		also: ["GET /ledger/payouts"],
		summary: "What owners of graphs are owed of the revenue, and were paid",
	}),
	payOwner: command(ledgerCommands.payOwner, {
		...owner,
		at: "POST /payouts",
		also: ["POST /ledger/payouts"],
		summary: "Pay an owner what is owed, or record that it was paid by hand",
		isSlow: true,
		changes: {
			target: ({ owner: name }) => `owner/${name}`,
			state: async (operator, { owner: name }) =>
				(await operator.listPayouts()).owners.find((one) => one.owner === name),
			unrehearsed: CHAIN,
		},
	}),
	reconcileLedger: command(ledgerCommands.reconcile, {
		...owner,
		at: "POST /ledger/reconciliation",
		also: ["POST /reconciliation"],
		summary: "Hold the ledger against the chain",
		kind: "long",
		changes: { target: () => "ledger", unrehearsed: CHAIN },
	}),
};
