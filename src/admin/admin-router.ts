import { timingSafeEqual } from "node:crypto";
import { type Request, type RequestHandler, Router } from "express";
import { z } from "zod";
import type { AccountOperator } from "../accounts/accounts.js";
import { GRAPH_TYPES, graphIdField, LIMITS } from "../contract/contract.js";
import { isForwarded } from "../http/http.js";
import { type Clock, type Logger, ServiceError } from "../kernel/kernel.js";
import type { LedgerOperator, Operator } from "../operator/operator.js";
import {
	type LongDeps,
	lines,
	long,
	look,
	named,
	nothing,
	quick,
	quickAt,
	readCommand,
	usd,
} from "./command-handler.js";

/** The operator's own transport: the CLI's commands over HTTP, for this machine alone, behind the admin token. */

export interface AdminRouterDeps {
	readonly operator: Operator;
	readonly check: OperatorCheck;
	readonly logger: Logger;
	readonly clock: Clock;
}

const sptRequest = z.strictObject({
	usd,
	label: z.string().max(200).optional(),
	max_per_call_usd: usd.optional(),
	max_per_day_usd: usd.optional(),
	skills: z.array(z.string()).optional(),
	graphs: z.array(z.string()).optional(),
	expires_in_days: z.number().positive().max(3_660).optional(),
});
const importRequest = z.strictObject({
	source: z.string().min(1),
	as: graphIdField,
	source_url: z.string().optional(),
	date_key: z.string().optional(),
	edge_keys: z.array(z.string()).optional(),
	type: z.enum(GRAPH_TYPES).optional(),
	title: z.string().optional(),
	update: z.boolean().optional(),
	full: z.boolean().optional(),
});
const backupRequest = z.strictObject({ folder: z.string().min(1).max(4_096) });

/** Mounted at `/v1/admin`. Quick answers are one JSON object; long work streams NDJSON `{progress}` lines, then `{result}` or `{error}`. */
export function createAdminRouter({ operator, check, ...deps }: AdminRouterDeps): Router {
	const router = Router();
	router.use(onlyOperator(check));
	addConceptRoutes(router, operator);
	router.use(readCommand());
	router.get("/spts", quick(nothing, operator.listSpts));
	router.post("/spts", quick(sptRequest, operator.issueSpt));
	router.post("/spts/revoke", quick(named, operator.revokeSpt));
	addAccountRoutes(router, operator);
	router.get("/graphs", quick(nothing, operator.listGraphs));
	router.post("/imports", long(importRequest, deps, operator.importGraph));
	router.post("/retention/purge", quick(nothing, operator.purge));
	router.post(
		"/reindex",
		long(nothing, deps, (_input, tell) => operator.reindex(tell)),
	);
	router.post("/backups", long(backupRequest, deps, operator.backUp));
	addLedgerRoutes(router, { operator, ...deps });
	return router;
}

function onlyOperator({ isNear, isOperator }: OperatorCheck): RequestHandler {
	return (request, response, next) => {
		response.setHeader("Cache-Control", "no-store");
		if (!isNear(request)) {
			throw new ServiceError("NOT_FOUND", "There is nothing at this address.");
		}
		if (!isOperator(request)) {
			throw new ServiceError(
				"UNAUTHENTICATED",
				"The admin API wants the admin token as a bearer token.",
			);
		}
		next();
	};
}

const ofAccount = z.strictObject({ account_id: z.string().min(1).optional() });
const scope = {
	label: z.string().max(LIMITS.sptLabelChars).optional(),
	skills: z.array(z.string()).optional(),
	graphs: z.array(z.string()).optional(),
	expires_in_days: z.number().positive().max(LIMITS.sptDaysMax).optional(),
};
const keyRequest = z.strictObject({
	...scope,
	account_id: z.string().min(1).optional(),
	usd: usd.optional(),
	has_payment_method: z.boolean().optional(),
	zero_retention: z.boolean().optional(),
	max_total_usd: usd.optional(),
	max_per_month_usd: usd.optional(),
	manages_account: z.boolean().optional(),
});
const rotationRequest = z.strictObject({
	id: z.string().min(1),
	overlap_seconds: z.int().min(0).max(LIMITS.keyOverlapSecondsMax).optional(),
});
const tokenRequest = z.strictObject({ ...scope, account_id: z.string().min(1) });
const accountSetting = z.strictObject({
	account_id: z.string().min(1),
	has_payment_method: z.boolean().optional(),
	zero_retention: z.boolean().optional(),
});
const creditRequest = z.strictObject({ account_id: z.string().min(1), usd });

/** Accounts, their keys and their connection tokens. */
function addAccountRoutes(router: Router, operator: AccountOperator): void {
	router.get("/keys", look(ofAccount, operator.listKeys));
	router.post("/keys", quick(keyRequest, operator.createKey));
	router.post("/keys/rotate", quick(rotationRequest, operator.rotateKey));
	router.post("/keys/revoke", quick(named, operator.revokeKey));
	router.get("/connection-tokens", look(ofAccount, operator.listTokens));
	router.post("/connection-tokens", quick(tokenRequest, operator.createToken));
	router.post("/connection-tokens/revoke", quick(named, operator.revokeToken));
	router.get("/accounts", look(nothing, operator.listAccounts));
	router.post("/accounts/set", quick(accountSetting, operator.setAccount));
	router.post("/accounts/credit", quick(creditRequest, operator.creditAccount));
}

const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/, "must be a day such as 2026-03-31");
const reportRequest = z.strictObject({
	by: z.string(),
	from: day.optional(),
	to: day.optional(),
});
const refundRequest = z.strictObject({
	receipt_id: z.string().min(1),
	reason: z.string().min(1).max(500),
	usd: usd.optional(),
});
const tokenRefundRequest = z.strictObject({
	token_id: z.string().min(1),
	reason: z.string().min(1).max(500),
	usd: usd.optional(),
});
const refundPayment = z.strictObject({
	id: z.string().min(1),
	tx: z.string().optional(),
	again: z.boolean().optional(),
});
const reconcileRequest = z.strictObject({ book: z.boolean().optional() });

/** The books: what can be asked of them, and refunds. */
function addLedgerRoutes(
	router: Router,
	{ operator, ...deps }: LongDeps & { readonly operator: LedgerOperator },
): void {
	router.get("/ledger/verification", look(nothing, operator.verifyLedger));
	router.get("/ledger/report", look(reportRequest, operator.reportLedger));
	router.get("/ledger/export", lines(deps.logger, operator.exportLedger));
	router.get("/ledger/refunds", look(nothing, operator.listRefunds));
	router.post("/ledger/refunds", quick(refundRequest, operator.refundReceipt));
	router.post("/ledger/refunds/tokens", quick(tokenRefundRequest, operator.refundToken));
	router.post("/ledger/refunds/payments", quick(refundPayment, operator.payRefund));
	router.post("/ledger/reconciliation", long(reconcileRequest, deps, operator.reconcileLedger));
}

const putRequest = z.strictObject({
	graph_id: graphIdField,
	path: z.string().min(1).max(4_096),
	markdown: z.string(),
});
const removal = z.strictObject({
	graph_id: graphIdField,
	concept_id: z.string().min(1).max(4_096),
});

/** One concept at a time; its file is longer than any other command, so these routes read their own body. */
function addConceptRoutes(router: Router, operator: Operator): void {
	router.put(
		"/graphs/:graph_id/concepts",
		readCommand(LIMITS.conceptBodyBytes),
		quickAt(putRequest, operator.putConcept),
	);
	router.delete("/graphs/:graph_id/concepts/:concept_id", quickAt(removal, operator.removeConcept));
}

/** Tells the operator of this machine from everyone else. */
export interface OperatorCheck {
	/** The request was made on this machine, and no proxy says that it carried it here for another. */
	isNear(req: Request): boolean;
	/** It is near, and comes with the admin token. */
	isOperator(req: Request): boolean;
}

export function createOperatorCheck(adminToken: string): OperatorCheck {
	const expected = Buffer.from(`Bearer ${adminToken}`);
	const isNear = (req: Request) => isFromThisMachine(req) && !isForwarded(req);
	return {
		isNear,
		isOperator(req) {
			const shown = Buffer.from(req.headers.authorization ?? "");
			const isToken = shown.length === expected.length && timingSafeEqual(shown, expected);
			return isToken && isNear(req);
		},
	};
}

/** Loopback, or one of this machine's own addresses calling itself. */
function isFromThisMachine({ socket }: Request): boolean {
	const { remoteAddress: peer, localAddress: own } = socket;
	return peer !== undefined && (peer === own || /^(127\.|::1$|::ffff:127\.)/.test(peer));
}
