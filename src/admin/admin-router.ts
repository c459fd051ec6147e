/** The operator's own transport: the CLI's commands over HTTP, for this machine alone, behind the admin token. */

import { type RequestHandler, Router } from "express";
import { z } from "zod";
import { GRAPH_TYPES, graphIdField } from "../contract/contract.js";
import { type Clock, type Logger, ServiceError } from "../kernel/kernel.js";
import type { Operator } from "../operator/operator.js";
import { addAccountRoutes } from "./account-routes.js";
import { named, nothing, usd } from "./command-fields.js";
import { long, quick, readCommand } from "./command-handler.js";
import { addConceptRoutes } from "./concept-routes.js";
import { addLedgerRoutes } from "./ledger-routes.js";
import type { OperatorCheck } from "./operator-check.js";

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
	router.get(
		"/spts",
		quick(nothing, () => operator.listSpts()),
	);
	router.post(
		"/spts",
		quick(sptRequest, (input) => operator.issueSpt(input)),
	);
	router.post(
		"/spts/revoke",
		quick(named, (input) => operator.revokeSpt(input)),
	);
	addAccountRoutes(router, operator);
	router.get(
		"/graphs",
		quick(nothing, () => operator.listGraphs()),
	);
	router.post(
		"/imports",
		long(importRequest, deps, (input, tell) => operator.importGraph(input, tell)),
	);
	router.post(
		"/retention/purge",
		quick(nothing, () => operator.purge()),
	);
	router.post(
		"/reindex",
		long(nothing, deps, (_input, tell) => operator.reindex(tell)),
	);
	router.post(
		"/backups",
		long(backupRequest, deps, (input, tell) => operator.backUp(input, tell)),
	);
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
