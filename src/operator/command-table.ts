import { z } from "zod";
import type { OperatorRole } from "../../store/store.js";
import { accountCommands, secretCommands } from "../accounts/accounts.js";
import { LIMITS } from "../contract/contract.js";
import { auditCommand } from "./audit-log.js";
import { conceptCommands } from "./concept-editor.js";
import { gapCommand } from "./gap-report.js";
import { expertCommand } from "./graph-expert.js";
import { graphCommands } from "./graph-owner.js";
import { graphPricesCommand } from "./graph-prices.js";
import { importCommand } from "./import-command.js";
import { importJobCommands } from "./import-jobs.js";
import { ledgerCommands } from "./ledger-operator.js";
import { type Operator, operatorCommands } from "./operator-interface.js";
import { keyCommands } from "./operator-keys.js";
import { priceCommand } from "./price-versions.js";
import { publishCommands } from "./publish-commands.js";
import { reportCommands } from "./shop-reports.js";
import { feedCommands, jobCommands } from "./work-operator.js";

/**
 * What operators can do, one row for each command: the admin API, its OpenAPI document and the command line are made from it,
 * and the work of a row is the function of the same name of `Operator`.
 */

export interface CommandRow {
	/** Method, and path below /v1/admin, or one that begins with another root; `{id}` is the field `id` of the input. */
	readonly at: CommandAddress;
	/** Further addresses that mean the same. */
	readonly also?: readonly CommandAddress[] | undefined;
	/** The least role that may give it. */
	readonly role: OperatorRole;
	readonly summary: string;
	readonly takes: z.ZodType;
	/** One JSON object; lines of progress and then a result; or lines alone. */
	readonly kind: "quick" | "long" | "lines";
	/** Takes longer than a client usually waits. */
	readonly isSlow?: boolean | undefined;
	readonly bodyBytes?: number | undefined;
	/** The field that may name a file on this machine, for which HTTP takes a zip as well. */
	readonly archive?: "source" | undefined;
	/** Reads one thing, whose ETag a change of it can name. */
	readonly isOneThing?: boolean | undefined;
	/** Absent where it only reads. */
	readonly changes?: Change | undefined;
}

/** What operators do as such, and what publishers do with their graphs. */
export const COMMAND_ROOTS = ["/v1/admin", "/v1/publish"] as const;
export type CommandRoot = (typeof COMMAND_ROOTS)[number];

/** The parts of an address; `path` begins below its root. */
export function readAddress(address: string) {
	const [method = "", written = ""] = address.split(" ");
	const root = COMMAND_ROOTS.find((one) => written.startsWith(`${one}/`));
	return { method, root: root ?? COMMAND_ROOTS[0], path: written.slice(root?.length ?? 0) };
}

type CommandAddress = `${"GET" | "POST" | "PUT" | "PATCH" | "DELETE"} /${string}`;

export interface Change<Input = never> {
	/** What it changes, as the audit log names it; the result is at hand once it is done. */
	readonly target: (input: Input, result?: Wire) => string;
	/** That thing as it is, for the audit log and for If-Match; of what has no state of its own, the result is logged. */
	readonly state?: (operator: Operator, input: Input, result?: Wire) => Promise<unknown>;
	/** Why it cannot be rehearsed; absent where it can. */
	readonly unrehearsed?: string | undefined;
	/** Whether this input changes nothing. */
	readonly isRead?: (input: Input) => boolean;
}

type Wire = Readonly<Record<string, unknown>>;

/** Ties what a row says of a change to its schema. */
function command<S extends z.ZodType>(
	takes: S,
	row: Omit<CommandRow, "takes" | "kind" | "changes"> & {
		readonly kind?: CommandRow["kind"];
		readonly changes?: Change<z.output<S>>;
	},
): CommandRow {
	return { kind: "quick", ...row, takes } as CommandRow;
}

const nothing = z.strictObject({});
const named = z.strictObject({ id: z.string().min(1) });
const reads = { role: "reader" } as const;
const owner = { role: "owner" } as const;
const editor = { role: "editor" } as const;

const FILES = "it works on files, which cannot be put back";
const CHAIN = "it may move money on a chain, which cannot be taken back";

const idOf = (input: { readonly id: string }) => input.id;
/** The item of a list that has this id; null where none does. */
const itemOf = async (
	list: Promise<{ readonly items: readonly { readonly id: string }[] }>,
	id: unknown,
) => (await list).items.find((item) => item.id === id) ?? null;

const ofSpt = {
	target: ({ token_id }: { readonly token_id: string }) => `spt/${token_id}`,
	state: (operator: Operator, request: { readonly token_id: string }) => operator.getSpt(request),
};

const SPT_ROWS = {
	listSpts: command(operatorCommands.listSpts, {
		...reads,
		at: "GET /spts",
		summary: "Shared Payment Tokens, and what customers have in them",
	}),
	getSpt: command(operatorCommands.freezeSpt, {
		...reads,
		at: "GET /spts/{token_id}",
		summary: "One token",
		isOneThing: true,
	}),
	freezeSpt: command(operatorCommands.freezeSpt, {
		...owner,
		at: "POST /spts/{token_id}/freeze",
		summary: "Let a token pay for nothing; its balance stays, what is held is finished",
		changes: ofSpt,
	}),
	unfreezeSpt: command(operatorCommands.freezeSpt, {
		...owner,
		at: "POST /spts/{token_id}/unfreeze",
		summary: "Let a frozen token pay again",
		changes: ofSpt,
	}),
	issueSpt: command(operatorCommands.issueSpt, {
		...owner,
		at: "POST /spts",
		summary: "Issue a token with a balance; its secret is shown once",
		changes: {
			target: (_input, result) => `spt/${result?.["id"] ?? "new"}`,
			state: (operator, _input, result) => itemOf(operator.listSpts(), result?.["id"]),
		},
	}),
	revokeSpt: command(named, {
		...owner,
		at: "POST /spts/revoke",
		summary: "End a token",
		changes: {
			target: (input) => `spt/${idOf(input)}`,
			state: (operator, { id }) => itemOf(operator.listSpts(), id),
		},
	}),
};

const ofKey = {
	target: ({ id }: { readonly id: string }) => `key/${id}`,
	state: (operator: Operator, { id }: { readonly id: string }) => itemOf(operator.listKeys({}), id),
};
const ofAccount = {
	target: ({ account_id }: { readonly account_id: string }) => `account/${account_id}`,
	state: (operator: Operator, { account_id }: { readonly account_id: string }) =>
		operator.getAccount({ account_id }),
};

const ACCOUNT_ROWS = {
	listKeys: command(accountCommands.ofAccount, {
		...reads,
		at: "GET /keys",
		summary: "API keys, never their secrets",
	}),
	createKey: command(accountCommands.createKey, {
		...owner,
		at: "POST /keys",
		summary: "A key, of a new account or of one that is named; its secret is shown once",
		changes: {
			target: (_input, result) => `key/${result?.["id"] ?? "new"}`,
			state: (operator, _input, result) => itemOf(operator.listKeys({}), result?.["id"]),
		},
	}),
	rotateKey: command(accountCommands.rotateKey, {
		...owner,
		at: "POST /keys/rotate",
		summary: "A new secret for a key",
		changes: ofKey,
	}),
	revokeKey: command(named, {
		...owner,
		at: "POST /keys/revoke",
		summary: "End a key",
		changes: ofKey,
	}),
	listTokens: command(accountCommands.ofAccount, {
		...reads,
		at: "GET /connection-tokens",
		summary: "Connection tokens, never their secrets",
	}),
	createToken: command(accountCommands.createToken, {
		...owner,
		at: "POST /connection-tokens",
		summary: "A connection token; its secret is shown once",
		changes: {
			target: (_input, result) => `connection-token/${result?.["id"] ?? "new"}`,
			state: (operator, _input, result) => itemOf(operator.listTokens({}), result?.["id"]),
		},
	}),
	revokeToken: command(named, {
		...owner,
		at: "POST /connection-tokens/revoke",
		summary: "End a connection token",
		changes: {
			target: ({ id }) => `connection-token/${id}`,
			state: (operator, { id }) => itemOf(operator.listTokens({}), id),
		},
	}),
	listAccounts: command(nothing, { ...reads, at: "GET /accounts", summary: "Accounts" }),
	getAccount: command(accountCommands.account, {
		...reads,
		at: "GET /accounts/{account_id}",
		summary: "One account",
		isOneThing: true,
	}),
	setAccount: command(accountCommands.setAccount, {
		...owner,
		at: "POST /accounts/set",
		also: ["PATCH /accounts/{account_id}"],
		summary: "What the operator decides of an account",
		changes: ofAccount,
	}),
	creditAccount: command(accountCommands.credit, {
		...owner,
		at: "POST /accounts/credit",
		summary: "Add prepaid balance to an account",
		changes: ofAccount,
	}),
};

const ofGraph = {
	target: ({ graph_id }: { readonly graph_id: string }) => `graph/${graph_id}`,
	state: (operator: Operator, { graph_id }: { readonly graph_id: string }) =>
		itemOf(operator.listGraphs(), graph_id),
	unrehearsed: FILES,
};

const GRAPH_ROWS = {
	listGraphs: command(nothing, {
		...reads,
		at: "GET /graphs",
		summary: "Graphs on sale, and drafts",
	}),
	importGraph: command(importCommand, {
		...editor,
		at: "POST /imports",
		summary: "Import a folder or a zip as a graph",
		kind: "long",
		archive: "source",
		changes: {
			target: (input) => `graph/${input.as}`,
			unrehearsed: FILES,
			isRead: (input) => input.dry_run === true,
		},
	}),
	listVersions: command(graphCommands.named, {
		...reads,
		at: "GET /graphs/{graph_id}/versions",
		also: ["GET /v1/publish/graphs/{graph_id}/versions"],
		summary: "Versions of an imported graph that are kept",
	}),
	rollBack: command(graphCommands.rollBack, {
		...editor,
		at: "POST /graphs/{graph_id}/rollback",
		also: ["POST /v1/publish/graphs/{graph_id}/rollback"],
		summary: "Put an earlier version on sale again, or a graph that was removed",
		isSlow: true,
		changes: ofGraph,
	}),
	removeGraph: command(graphCommands.named, {
		...editor,
		at: "DELETE /graphs/{graph_id}",
		also: ["DELETE /v1/publish/graphs/{graph_id}"],
		summary: "Take an imported graph off sale",
		isSlow: true,
		changes: ofGraph,
	}),
	renameGraph: command(graphCommands.rename, {
		...editor,
		at: "POST /graphs/{graph_id}/rename",
		summary: "Give an imported graph another id",
		isSlow: true,
		changes: ofGraph,
	}),
	setGraph: command(graphCommands.set, {
		...editor,
		at: "PATCH /graphs/{graph_id}",
		also: ["PATCH /v1/publish/graphs/{graph_id}"],
		summary: "Change what an imported graph says of itself",
		isSlow: true,
		changes: ofGraph,
	}),
	checkGraph: command(graphCommands.named, {
		...reads,
		at: "GET /graphs/{graph_id}/check",
		also: ["GET /v1/publish/graphs/{graph_id}/lint"],
		summary: "What is in a graph, what is missing, and what it answers",
		isSlow: true,
	}),
	priceGraph: command(graphPricesCommand, {
		...owner,
		at: "POST /graphs/{graph_id}/prices",
		also: ["PUT /v1/publish/graphs/{graph_id}/price"],
		summary: "What a graph costs and who shares in its revenue, changed where something is given",
		isSlow: true,
		changes: {
			...ofGraph,
			isRead: ({ graph_id: _, ...given }) =>
				Object.values(given).every((value) => value === undefined || value === false),
		},
	}),
	// They wait for an import that runs.
	putConcept: command(conceptCommands.put, {
		...editor,
		at: "PUT /graphs/{graph_id}/concepts",
		summary: "Add or replace a concept of an imported graph",
		isSlow: true,
		// A concept's file is longer than any other command.
		bodyBytes: LIMITS.conceptBodyBytes,
		changes: {
			target: ({ graph_id, path }) => `graph/${graph_id}/${path}`,
			unrehearsed: FILES,
		},
	}),
	removeConcept: command(conceptCommands.remove, {
		...editor,
		at: "DELETE /graphs/{graph_id}/concepts/{concept_id}",
		also: ["DELETE /v1/publish/graphs/{graph_id}/nodes/{concept_id}"],
		summary: "Remove a concept of an imported graph",
		isSlow: true,
		changes: {
			target: ({ graph_id, concept_id }) => `graph/${graph_id}/${concept_id}`,
			unrehearsed: FILES,
		},
	}),
	reindex: command(nothing, {
		...editor,
		at: "POST /reindex",
		summary: "Build the index of search again",
		kind: "long",
		changes: { target: () => "index", unrehearsed: FILES },
	}),
	reportWriter: command(nothing, {
		...reads,
		at: "GET /writer",
		summary: "What the language model took since the server was started",
	}),
	tryWriter: command(operatorCommands.tryWriter, {
		...editor,
		at: "POST /writer/trials",
		summary: "Have the language model answer questions, at the operator's cost",
		kind: "long",
		changes: { target: () => "writer", unrehearsed: "it is a trial itself" },
	}),
	reportGaps: command(gapCommand, {
		...reads,
		at: "GET /gaps",
		also: ["GET /v1/publish/graphs/{graph}/gaps"],
		summary: "What could not be answered",
		isSlow: true,
	}),
};

const PUBLISH_ROWS = {
	createGraph: command(graphCommands.create, {
		...editor,
		at: "POST /v1/publish/graphs",
		summary: "A draft: a graph without concepts, which is sold once it has one",
		changes: ofGraph,
	}),
	putNodes: command(publishCommands.putNodes, {
		...editor,
		at: "POST /v1/publish/graphs/{graph_id}/nodes",
		summary: "Add or replace concepts of an imported graph, all that are given or none",
		isSlow: true,
		bodyBytes: LIMITS.conceptBodyBytes,
		changes: ofGraph,
	}),
	putEdges: command(publishCommands.putEdges, {
		...editor,
		at: "POST /v1/publish/graphs/{graph_id}/edges",
		summary: "Add or replace typed relations between concepts of an imported graph",
		isSlow: true,
		changes: ofGraph,
	}),
	removeEdge: command(publishCommands.removeEdge, {
		...editor,
		at: "DELETE /v1/publish/graphs/{graph_id}/edges/{edge_id}",
		summary: "Remove a typed relation, named source:type:target",
		isSlow: true,
		changes: ofGraph,
	}),
	startImport: command(importJobCommands.start, {
		...editor,
		at: "POST /v1/publish/graphs/{graph_id}/imports",
		summary: "Bring a graph in line with a folder, a zip or files, behind the reply",
		bodyBytes: LIMITS.conceptBodyBytes,
		changes: {
			target: ({ graph_id }, result) => `graph/${graph_id}/import/${result?.["id"] ?? "new"}`,
			unrehearsed: FILES,
		},
	}),
	getImport: command(importJobCommands.one, {
		...reads,
		at: "GET /v1/publish/graphs/{graph_id}/imports/{import_id}",
		summary: "How far an import is, and what became of its files",
	}),
	cancelImport: command(importJobCommands.one, {
		...editor,
		at: "DELETE /v1/publish/graphs/{graph_id}/imports/{import_id}",
		summary: "Stop an import that is under way",
		changes: {
			target: ({ graph_id, import_id }) => `graph/${graph_id}/import/${import_id}`,
			unrehearsed: FILES,
		},
	}),
	setExpert: command(expertCommand, {
		...owner,
		at: "PUT /v1/publish/experts/{expert_id}",
		summary:
			"Who an imported graph of type expert speaks for, on whose consent, and who shares in it",
		isSlow: true,
		changes: { target: ({ expert_id }) => `expert/${expert_id}`, unrehearsed: FILES },
	}),
	listDuplicates: command(graphCommands.named, {
		...reads,
		at: "GET /v1/publish/graphs/{graph_id}/duplicates",
		summary: "Concepts that may be one: of one title, or much alike",
		isSlow: true,
	}),
	mergeNodes: command(publishCommands.mergeNodes, {
		...editor,
		at: "POST /v1/publish/graphs/{graph_id}/merges",
		summary: "Make two concepts one: text, sources and edges of the one go to the other",
		isSlow: true,
		changes: ofGraph,
	}),
	releaseGraph: command(graphCommands.release, {
		...editor,
		at: "POST /v1/publish/graphs/{graph_id}/release",
		summary: "Name the version on sale, with notes",
		isSlow: true,
		changes: ofGraph,
	}),
	addEvidence: command(publishCommands.addEvidence, {
		...editor,
		at: "POST /v1/publish/graphs/{graph_id}/evidence",
		summary: "Name a source of a concept, or of one of its sentences",
		isSlow: true,
		changes: ofGraph,
	}),
};

const DATA_ROWS = {
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

const LEDGER_ROWS = {
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

const ofJob = {
	target: ({ job_id }: { readonly job_id: string }) => `job/${job_id}`,
	state: (operator: Operator, request: { readonly job_id: string }) => operator.getJob(request),
};

const ofFeed = {
	target: ({ feed_id }: { readonly feed_id: string }) => `feed/${feed_id}`,
	state: (operator: Operator, { feed_id }: { readonly feed_id: string }) =>
		operator.getFeed({ feed_id }),
};

const REPORT_ROWS = {
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

const OPERATOR_ROWS = {
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

export const COMMANDS: Readonly<Record<CommandName, CommandRow>> = {
	...SPT_ROWS,
	...ACCOUNT_ROWS,
	...GRAPH_ROWS,
	...PUBLISH_ROWS,
	...DATA_ROWS,
	...LEDGER_ROWS,
	...REPORT_ROWS,
	...OPERATOR_ROWS,
} satisfies Record<CommandName, CommandRow>;

export type CommandName = keyof Operator;

export const COMMAND_NAMES = Object.keys(COMMANDS) as CommandName[];
