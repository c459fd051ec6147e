import type { z } from "zod";
import { secretCommands } from "../../accounts/accounts.js";
import { auditCommand } from "../access/audit-log.js";
import { keyCommands } from "../access/operator-keys.js";
import { priceCommand } from "../graphs/price-versions.js";
import { reportCommands } from "../reports/shop-reports.js";
import {
	type Change,
	command,
	editor,
	FILES,
	itemOf,
	nothing,
	owner,
	reads,
} from "./command-row.js";
import { type Operator, operatorCommands } from "./operator-interface.js";
import { feedCommands, jobCommands } from "./work-operator.js";

/** Jobs, feeds, reports, prices, operators and their log. */

const ofJob = {
	target: ({ job_id }: { readonly job_id: string }) => `job/${job_id}`,
	state: (operator: Operator, request: { readonly job_id: string }) => operator.getJob(request),
};

const ofFeed = {
	target: ({ feed_id }: { readonly feed_id: string }) => `feed/${feed_id}`,
	state: (operator: Operator, { feed_id }: { readonly feed_id: string }) =>
		operator.getFeed({ feed_id }),
};

export const REPORT_ROWS = {
	getOverview: command(nothing, {
		...reads,
		at: "GET /overview",
		summary: "Today: revenue, calls, refusals, failures, latency, liability",
		isSlow: true,
	}),
	reportRevenue: command(operatorCommands.revenue, {
		...reads,
		at: "GET /revenue",
		summary: "Revenue by day, operation, graph, payer or rail",
		isSlow: true,
	}),
	reportUsage: command(reportCommands.usage, {
		...reads,
		at: "GET /usage",
		summary: "How many calls saw a price, were paid, and came again",
		isSlow: true,
	}),
	reportRefusals: command(reportCommands.refusals, {
		...reads,
		at: "GET /refusals",
		summary: "Calls that had no result, by the code of their error",
	}),
	listHolds: command(nothing, {
		...reads,
		at: "GET /holds",
		summary: "What is set aside for calls and jobs under way",
	}),
	listSchedules: command(nothing, {
		...reads,
		at: "GET /schedules",
		summary: "Schedules of briefings, without their topics",
	}),
	listWebhooks: command(nothing, {
		...reads,
		at: "GET /webhooks",
		summary: "Webhooks, of their addresses the hosts alone",
	}),
	listMovements: command(reportCommands.movements, {
		...reads,
		at: "GET /ledger",
		summary: "Movements of the ledger, newest first",
		isSlow: true,
	}),
	getReconciliation: command(nothing, {
		...reads,
		at: "GET /reconciliation",
		summary: "What the latest reconciliation found",
	}),
	getPrices: command(nothing, {
		...reads,
		at: "GET /prices",
		summary: "The price book, and its versions",
		isOneThing: true,
	}),
	setPrices: command(priceCommand, {
		...owner,
		at: "PUT /prices",
		summary: "A new version of the price book: all that differs from the configuration",
		changes: { target: () => "prices", state: (operator) => operator.getPrices() },
	}),
	listJobs: command(jobCommands.list, { ...reads, at: "GET /jobs", summary: "Jobs, newest first" }),
	getJob: command(jobCommands.one, {
		...reads,
		at: "GET /jobs/{job_id}",
		summary: "One job",
		isOneThing: true,
	}),
	retryJob: command(jobCommands.one, {
		...editor,
		at: "POST /jobs/{job_id}/retry",
		summary: "Let a failed job begin again, at no price",
		changes: { ...ofJob, unrehearsed: "it begins work" },
	}),
	listFeeds: command(nothing, {
		...reads,
		at: "GET /feeds",
		summary: "Feeds of supplemental data, and how their sources answered last",
	}),
	getFeed: command(feedCommands.one, {
		...reads,
		at: "GET /feeds/{feed_id}",
		summary: "What is set of a feed of supplemental data",
		isOneThing: true,
	}),
	setFeed: command(feedCommands.set, {
		...editor,
		at: "PATCH /feeds/{feed_id}",
		summary: "Switch a feed on or off, or say how often its host is asked",
		changes: ofFeed,
	}),
};

const ofSecret: Change<z.output<typeof secretCommands.rotate>> = {
	target: ({ name }) => `secret/${name}`,
	state: (operator, { name }) => operator.getSecret({ name }),
	unrehearsed: FILES,
};

export const OPERATOR_ROWS = {
	listOperators: command(nothing, {
		...reads,
		at: "GET /operators",
		summary: "Operators and their roles, never their keys",
	}),
	addOperator: command(keyCommands.add, {
		...owner,
		at: "POST /operators",
		summary: "A key for the admin API; it is shown once",
		changes: {
			target: (_input, result) => `operator/${result?.["id"] ?? "new"}`,
			state: (operator, _input, result) => itemOf(operator.listOperators(), result?.["id"]),
		},
	}),
	revokeOperator: command(keyCommands.revoke, {
		...owner,
		at: "DELETE /operators/{id}",
		summary: "End an operator's key",
		changes: {
			target: ({ id }) => `operator/${id}`,
			state: (operator, { id }) => itemOf(operator.listOperators(), id),
		},
	}),
	listSecrets: command(nothing, {
		...reads,
		at: "GET /secrets",
		summary: "The service's own keys: how many of each there are, and what only older ones know",
	}),
	getSecret: command(secretCommands.rotate, {
		...reads,
		at: "GET /secrets/{name}",
		summary: "One kind of key",
		isOneThing: true,
	}),
	rotateSecret: command(secretCommands.rotate, {
		...owner,
		at: "POST /secrets/{name}/rotate",
		summary: "A new key for all that is made from now on; the older ones still know what they made",
		isSlow: true,
		changes: ofSecret,
	}),
	retireSecret: command(secretCommands.retire, {
		...owner,
		at: "POST /secrets/{name}/retire",
		summary: 'End all keys but the newest; without "confirm" it says what would be lost',
		isSlow: true,
		changes: ofSecret,
	}),
	listAudit: command(auditCommand, {
		...reads,
		at: "GET /audit",
		summary: "What operators changed, newest first",
	}),
	verifyAudit: command(nothing, {
		...reads,
		at: "GET /audit/verification",
		summary: "Whether every entry of the audit log is there and as it was written",
		isSlow: true,
	}),
};
