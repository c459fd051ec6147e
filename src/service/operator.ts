import { custAccount, type Ledger } from "../../payments/ledger.js";
import { assertAmount, type SptIssuer } from "../../payments/spt/spt-issuer.js";
import type { SptSummary } from "../../payments/spt/spt-state.js";
import { type Environment, sourceOf } from "../../payments/spt/token.js";
import type { StoreTransaction } from "../../store/store.js";
import type { AccountProfiles } from "../auth/account-profiles.js";
import type { ApiKeys } from "../auth/api-keys.js";
import type { Clock } from "../core/clock.js";
import { ServiceError } from "../core/errors.js";
import type { Ids } from "../core/ids.js";
import { formatUsd, type Micros, parseUsd } from "../core/money.js";
import type { GraphCatalog } from "../knowledge/catalog.js";
import type { SearchEngine } from "../search/search.js";
import type { ConceptEditor, ConceptPut, ConceptRemoval, ConceptReport } from "./concept-editor.js";
import type { GraphImporter } from "./graph-importer.js";
import type { ImportReport, ImportRequest, OnProgress } from "./import-request.js";
import {
	createLedgerOperator,
	type LedgerOperator,
	type LedgerOperatorDeps,
} from "./ledger-operator.js";
import { type SptScope, toSptScope } from "./spt-scope.js";

export interface SptRequest extends SptScope {
	readonly usd: string;
}

export interface KeyRequest {
	readonly label?: string | undefined;
	/** Prepaid balance of the new account. */
	readonly usd?: string | undefined;
	/** The contract's "card on file": lifts the ceiling of free calls per day. */
	readonly has_payment_method?: boolean | undefined;
}

export interface CreditRequest {
	readonly account_id: string;
	readonly usd: string;
}

export interface GraphSummary {
	readonly id: string;
	readonly title: string;
	readonly type: string;
	readonly version: string;
	readonly nodes: number;
}

export interface BackupRequest {
	/** Absolute; empty or missing. */
	readonly folder: string;
}

export interface BackupReport {
	readonly folder: string;
	/** Of the ledger in it; keys and graphs are of a moment before, text that can vanish of one after. */
	readonly created_at: string;
	readonly transactions: number;
	readonly files: number;
	readonly bytes: number;
	/** Pepper and signing keys are in it. */
	readonly holds_secrets: true;
}

/**
 * What an operator can do, the same over the admin API and on a folder no server holds.
 * Shapes are those of the CLI's `--json` (WIRE: names and ids).
 */
export interface Operator extends LedgerOperator {
	issueSpt(request: SptRequest): Promise<{ token: string; id: string; balance_usd: string }>;
	listSpts(): Promise<{ items: readonly SptSummary[] }>;
	revokeSpt(request: { id: string }): Promise<{ id: string; status: "revoked" }>;
	createKey(request: KeyRequest): Promise<{ key: string; id: string; account_id: string }>;
	revokeKey(request: { id: string }): Promise<{ id: string; status: "revoked" }>;
	/** Adds prepaid balance to the account behind a key. Throws NOT_FOUND. */
	creditAccount(request: CreditRequest): Promise<{ account_id: string; balance_usd: string }>;
	listGraphs(): Promise<{ items: readonly GraphSummary[] }>;
	importGraph(request: ImportRequest, onProgress?: OnProgress): Promise<ImportReport>;
	/** Adds or changes one concept of an imported graph; searches see it when this resolves. */
	putConcept(request: ConceptPut): Promise<ConceptReport>;
	removeConcept(request: ConceptRemoval): Promise<ConceptReport>;
	reindex(onProgress?: OnProgress): Promise<{ concepts: number; mode: string; seconds: number }>;
	/** Copies the data folder's lasting parts while calls go on. Throws INVALID_ARGUMENT for a folder that cannot take them. */
	backUp(request: BackupRequest, onProgress?: OnProgress): Promise<BackupReport>;
}

export interface OperatorDeps extends LedgerOperatorDeps {
	readonly ledger: Ledger;
	readonly spts: SptIssuer;
	readonly keys: ApiKeys;
	readonly profiles: AccountProfiles;
	readonly ids: Ids;
	readonly catalog: GraphCatalog;
	readonly search: SearchEngine;
	readonly importer: GraphImporter;
	readonly concepts: ConceptEditor;
	readonly backUp: Operator["backUp"];
	readonly clock: Clock;
	/** Which money this folder holds: see `sourceOf`. */
	readonly environment: Environment;
}

export function createOperator(deps: OperatorDeps): Operator {
	const { spts, keys, catalog, search, importer, concepts, clock } = deps;
	return {
		issueSpt: (request) => issueSpt(deps, request),
		listSpts: async () => ({ items: await spts.list() }),
		async revokeSpt({ id }) {
			await spts.revoke(id);
			return { id, status: "revoked" };
		},
		createKey: (request) => createKey(deps, request),
		async revokeKey({ id }) {
			await keys.revoke(id);
			return { id, status: "revoked" };
		},
		creditAccount: (request) => creditAccount(deps, request),
		async listGraphs() {
			return {
				items: catalog.list().map(({ record, concepts: nodes }) => ({
					id: record.id,
					title: record.title,
					type: record.type,
					version: record.version,
					nodes: nodes.length,
				})),
			};
		},
		importGraph: (request, onProgress) => importer.import(request, onProgress),
		putConcept: (request) => concepts.put(request),
		removeConcept: (request) => concepts.remove(request),
		async reindex(onProgress) {
			const startedMs = clock.monotonicMs();
			// A list taken amid a change would be the one from before it. The index itself keeps its runs in order.
			const { done } = await importer.whileNoneRuns(async () => ({
				done: search.sync(catalog.list(), { rebuild: true, ...(onProgress && { onProgress }) }),
			}));
			await done;
			const { concepts: indexed, mode } = search.status();
			return {
				concepts: indexed,
				mode,
				seconds: Math.round(clock.monotonicMs() - startedMs) / 1000,
			};
		},
		backUp: deps.backUp,
		...createLedgerOperator(deps),
	};
}

async function issueSpt(
	{ spts, catalog, clock }: OperatorDeps,
	{ usd, ...scope }: SptRequest,
): Promise<{ token: string; id: string; balance_usd: string }> {
	const issued = await spts.issue({
		...toSptScope({ catalog, now: clock.now() }, scope),
		amountMicros: parseUsd(usd),
	});
	return { token: issued.token, id: issued.id, balance_usd: formatUsd(issued.balanceMicros) };
}

async function createKey(
	deps: OperatorDeps,
	{ label, usd, has_payment_method: hasPaymentMethod = false }: KeyRequest,
): Promise<{ key: string; id: string; account_id: string }> {
	const { id, key, accountId } = await deps.keys.create({
		hasPaymentMethod,
		...(usd !== undefined && {
			alongside: (tx, owner) => credit(deps, tx, { owner, amountMicros: parseUsd(usd) }),
		}),
	});
	if (label !== undefined) {
		await deps.profiles.change(accountId, (profile) => ({ ...profile, label }));
	}
	return { key, id, account_id: accountId };
}

function creditAccount(
	deps: OperatorDeps,
	{ account_id, usd }: CreditRequest,
): Promise<{ account_id: string; balance_usd: string }> {
	return deps.store.transaction(async (tx) => {
		if (!(await tx.get("accounts", account_id))) {
			throw new ServiceError("NOT_FOUND", `No account is called "${account_id}".`);
		}
		await credit(deps, tx, { owner: account_id, amountMicros: parseUsd(usd) });
		return { account_id, balance_usd: formatUsd(await tx.balance(custAccount(account_id))) };
	});
}

async function credit(
	{ ledger, ids, environment }: OperatorDeps,
	tx: StoreTransaction,
	{ owner, amountMicros }: { owner: string; amountMicros: Micros },
): Promise<void> {
	assertAmount(amountMicros);
	const key = `credit:${ids.next("txn")}`;
	await ledger.credit(tx, { owner, source: sourceOf(environment), amountMicros, key });
}
