import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type Request, type RequestHandler, type Response, Router } from "express";
import { z } from "zod";
import { type AccountOperator, accountCommands } from "../accounts/accounts.js";
import { LIMITS, parseInput } from "../contract/contract.js";
import { type OperatorCheck, readJsonBody } from "../http/http.js";
import { type Clock, type Logger, notFound, ServiceError } from "../kernel/kernel.js";
import {
	conceptCommands,
	gapCommand,
	graphCommands,
	graphPricesCommand,
	importCommand,
	type LedgerOperator,
	ledgerCommands,
	type Operator,
	operatorCommands,
} from "../operator/operator.js";

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
	router.post("/graphs/prices", quick(graphPricesCommand, operator.priceGraph));
	router.post("/imports", long(importCommand, deps, operator.importGraph));
	router.post("/graphs/versions", quick(graphCommands.named, operator.listVersions));
	router.post("/graphs/rollback", quick(graphCommands.rollBack, operator.rollBack));
	router.post("/graphs/remove", quick(graphCommands.named, operator.removeGraph));
	router.post("/graphs/rename", quick(graphCommands.rename, operator.renameGraph));
	router.post("/graphs/set", quick(graphCommands.set, operator.setGraph));
	router.post("/graphs/check", quick(graphCommands.named, operator.checkGraph));
	router.post("/retention/purge", quick(nothing, operator.purge));
	const reindex = long(nothing, deps, (_input, onProgress) => operator.reindex(onProgress));
	router.post("/reindex", reindex);
	router.post("/backups", long(operatorCommands.backUp, deps, operator.backUp));
	router.get("/writer", look(nothing, operator.reportWriter));
	router.post("/writer/trials", long(operatorCommands.tryWriter, deps, operator.tryWriter));
	addLedgerRoutes(router, { operator, ...deps });
	router.get("/gaps", look(gapCommand, operator.reportGaps));
	return router;
}

function onlyOperator({ isNear, isOperator }: OperatorCheck): RequestHandler {
	return (request, response, next) => {
		response.setHeader("Cache-Control", "no-store");
		if (!isNear(request)) {
			throw notFound("There is nothing at this address.");
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
	router.get("/ledger/refunds/requests", look(nothing, operator.listRefundRequests));
	const decide = quick(ledgerCommands.decideRefund, operator.decideRefund);
	router.post("/ledger/refunds/decisions", decide);
	router.post("/ledger/refunds/payments", quick(ledgerCommands.payRefund, operator.payRefund));
	router.get("/ledger/payouts", look(nothing, operator.listPayouts));
	router.post("/ledger/payouts", quick(ledgerCommands.payOwner, operator.payOwner));
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

/** Leaves in `request.body` what every other transport would take as JSON, and throws INVALID_ARGUMENT for the rest. */
function readCommand(bytesMax: number = LIMITS.bodyBytes): RequestHandler {
	return async (request, _response, next) => {
		request.body = await readJsonBody(request, LIMITS.bodyDepth, bytesMax);
		next();
	};
}

type Handler = (request: Request, response: Response) => Promise<void>;

/** Answers with one JSON object; `read` picks the input from the request. */
function answering(read: (request: Request) => unknown) {
	return <Input>(schema: z.ZodType<Input>, work: (input: Input) => Promise<unknown>): Handler =>
		async (request, response) => {
			response.json(await work(parseInput(schema, read(request))));
		};
}

/** From the body of the request. */
const quick = answering(({ body }) => body ?? {});

/** From the body of the request and the parts of its address. */
const quickAt = answering(({ body, params }) => {
	const given: unknown = body ?? {};
	return typeof given === "object" ? { ...given, ...params } : given;
});

/** From the query of the address. */
const look = answering(({ query }) => ({ ...query }));

type OnProgress = (progress: { done: number; total: number }) => void;

/** Clients give up after minutes of silence; work that waits for other work has no progress for as long as it takes. */
const KEEP_ALIVE_MS = 15_000;

interface LongDeps {
	readonly logger: Logger;
	readonly clock: Pick<Clock, "every">;
}

/** NDJSON: `{progress}` lines, and empty ones meanwhile, then `{result}` or `{error}`. */
export function long<Input>(
	schema: z.ZodType<Input>,
	{ logger, clock }: LongDeps,
	work: (input: Input, onProgress: OnProgress, signal: AbortSignal) => Promise<unknown>,
): Handler {
	return async (request, response) => {
		const input = parseInput(schema, request.body ?? {});
		response.setHeader("Content-Type", "application/x-ndjson");
		// The client waits for headers first; the work may take minutes before it makes progress.
		response.flushHeaders();
		const line = (value: unknown) => response.write(`${JSON.stringify(value)}\n`);
		const fallSilent = clock.every(KEEP_ALIVE_MS, () => response.write("\n"));
		// A command that ends before its work is done is one that someone stopped.
		const left = new AbortController();
		response.on("close", () => left.abort());
		await work(input, (progress) => line({ progress }), left.signal).then(
			(result) => line({ result }),
			(error: unknown) => line({ error: toPublicError(error, logger) }),
		);
		fallSilent();
		response.end();
	};
}

/**
 * The lines as they come, as fast as the caller takes them, then `{result}` with how many they were, or `{error}`: an
 * answer without its last line was cut short.
 */
export function lines(logger: Logger, work: () => AsyncIterable<string>): Handler {
	return async (_request, response) => {
		response.setHeader("Content-Type", "application/x-ndjson");
		response.flushHeaders();
		// A client that disconnects early is no failure.
		await pipeline(Readable.from(withLastLine(work(), logger)), response).catch(() => undefined);
	};
}

async function* withLastLine(source: AsyncIterable<string>, logger: Logger) {
	let count = 0;
	try {
		for await (const line of source) {
			count += 1;
			yield `${line}\n`;
		}
		yield `${JSON.stringify({ result: { lines: count } })}\n`;
	} catch (error) {
		yield `${JSON.stringify({ error: toPublicError(error, logger) })}\n`;
	}
}

function toPublicError(error: unknown, logger: Logger) {
	if (error instanceof ServiceError) {
		const { code, message, details } = error;
		return { code, message, ...(details && { details }) };
	}
	logger.error("operator command failed", { error: String(error) });
	return { code: "INTERNAL", message: "The work failed; the server's log says why." };
}

const named = z.strictObject({ id: z.string().min(1) });
const nothing = z.strictObject({});
