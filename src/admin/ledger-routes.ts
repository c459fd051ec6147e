import type { Router } from "express";
import { z } from "zod";
import type { LedgerOperator } from "../operator/operator.js";
import { nothing, usd } from "./command-fields.js";
import { type LongDeps, lines, long, look, quick } from "./command-handler.js";

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
export function addLedgerRoutes(
	router: Router,
	{ operator, ...deps }: LongDeps & { readonly operator: LedgerOperator },
): void {
	router.get(
		"/ledger/verification",
		look(nothing, () => operator.verifyLedger()),
	);
	router.get(
		"/ledger/report",
		look(reportRequest, (input) => operator.reportLedger(input)),
	);
	router.get(
		"/ledger/export",
		lines(deps.logger, () => operator.exportLedger()),
	);
	router.get(
		"/ledger/refunds",
		look(nothing, () => operator.listRefunds()),
	);
	router.post(
		"/ledger/refunds",
		quick(refundRequest, (input) => operator.refundReceipt(input)),
	);
	router.post(
		"/ledger/refunds/tokens",
		quick(tokenRefundRequest, (input) => operator.refundToken(input)),
	);
	router.post(
		"/ledger/refunds/payments",
		quick(refundPayment, (input) => operator.payRefund(input)),
	);
	router.post(
		"/ledger/reconciliation",
		long(reconcileRequest, deps, (input, tell) => operator.reconcileLedger(input, tell)),
	);
}
