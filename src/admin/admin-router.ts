import { type RequestHandler, Router } from "express";
import { type AccountOperator, accountCommands } from "../accounts/accounts.js";
import { LIMITS } from "../contract/contract.js";
import type { OperatorCheck } from "../http/http.js";
import { ServiceError } from "../kernel/kernel.js";
import {
	conceptCommands,
	importCommand,
	type LedgerOperator,
	ledgerCommands,
	type Operator,
	operatorCommands,
} from "../operator/operator.js";
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
} from "./command-handler.js";

/** The operator's own transport: the CLI's commands over HTTP, for this machine alone, behind the admin token. */

/** Mounted at `/v1/admin`. Quick answers are one JSON object; long work streams NDJSON `{progress}` lines, then `{result}` or `{error}`. */
export function createAdminRouter({
	operator,
	check,
	...deps
}: LongDeps & { readonly operator: Operator; readonly check: OperatorCheck }): Router {
	const router = Router();
	router.use(onlyOperator(check));
	addConceptRoutes(router, operator);
	router.use(readCommand());
	router.get("/spts", quick(nothing, operator.listSpts));
	router.post("/spts", quick(operatorCommands.issueSpt, operator.issueSpt));
	router.post("/spts/revoke", quick(named, operator.revokeSpt));
	addAccountRoutes(router, operator);
	router.get("/graphs", quick(nothing, operator.listGraphs));
	router.post("/imports", long(importCommand, deps, operator.importGraph));
	router.post("/retention/purge", quick(nothing, operator.purge));
	const reindex = long(nothing, deps, (_input, onProgress) => operator.reindex(onProgress));
	router.post("/reindex", reindex);
	router.post("/backups", long(operatorCommands.backUp, deps, operator.backUp));
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

/** Accounts, their keys and their connection tokens. */
function addAccountRoutes(router: Router, operator: AccountOperator): void {
	router.get("/keys", look(accountCommands.ofAccount, operator.listKeys));
	router.post("/keys", quick(accountCommands.createKey, operator.createKey));
	router.post("/keys/rotate", quick(accountCommands.rotateKey, operator.rotateKey));
	router.post("/keys/revoke", quick(named, operator.revokeKey));
	router.get("/connection-tokens", look(accountCommands.ofAccount, operator.listTokens));
	router.post("/connection-tokens", quick(accountCommands.createToken, operator.createToken));
	router.post("/connection-tokens/revoke", quick(named, operator.revokeToken));
	router.get("/accounts", look(nothing, operator.listAccounts));
	router.post("/accounts/set", quick(accountCommands.setAccount, operator.setAccount));
	router.post("/accounts/credit", quick(accountCommands.credit, operator.creditAccount));
}

/** The books: what can be asked of them, and refunds. */
function addLedgerRoutes(
	router: Router,
	{ operator, ...deps }: LongDeps & { readonly operator: LedgerOperator },
): void {
	router.get("/ledger/verification", look(nothing, operator.verifyLedger));
	router.get("/ledger/report", look(ledgerCommands.report, operator.reportLedger));
	router.get("/ledger/export", lines(deps.logger, operator.exportLedger));
	router.get("/ledger/refunds", look(nothing, operator.listRefunds));
	router.post("/ledger/refunds", quick(ledgerCommands.refundReceipt, operator.refundReceipt));
	router.post("/ledger/refunds/tokens", quick(ledgerCommands.refundToken, operator.refundToken));
	router.post("/ledger/refunds/payments", quick(ledgerCommands.payRefund, operator.payRefund));
	const reconcile = long(ledgerCommands.reconcile, deps, operator.reconcileLedger);
	router.post("/ledger/reconciliation", reconcile);
}

/** One concept at a time; its file is longer than any other command, so these routes read their own body. */
function addConceptRoutes(router: Router, operator: Operator): void {
	router.put(
		"/graphs/:graph_id/concepts",
		readCommand(LIMITS.conceptBodyBytes),
		quickAt(conceptCommands.put, operator.putConcept),
	);
	router.delete(
		"/graphs/:graph_id/concepts/:concept_id",
		quickAt(conceptCommands.remove, operator.removeConcept),
	);
}
