import type { InvariantGuard } from "../../payments/invariants.js";
import type { Ledger } from "../../payments/ledger.js";
import type { SptIssuer, SptSummary } from "../../payments/spt/spt-issuer.js";
import type { Store } from "../../store/store.js";
import type { ApiKeys } from "../auth/api-keys.js";
import type { Ids } from "../core/ids.js";
import { formatUsd, parseUsd } from "../core/money.js";
import type { GraphCatalog } from "../knowledge/catalog.js";
import type { SearchEngine } from "../search/search.js";
import type { GraphImporter, ImportReport, ImportRequest, OnProgress } from "./graph-importer.js";

export interface SptRequest {
	readonly usd: string;
	readonly label?: string | undefined;
	readonly max_per_call_usd?: string | undefined;
	readonly skills?: readonly string[] | undefined;
	readonly graphs?: readonly string[] | undefined;
}

export interface KeyRequest {
	readonly label?: string | undefined;
	/** Prepaid balance of the new account. */
	readonly usd?: string | undefined;
	/** The contract's "card on file": lifts the ceiling of free calls per day. */
	readonly has_payment_method?: boolean | undefined;
}

export interface GraphSummary {
	readonly id: string;
	readonly title: string;
	readonly type: string;
	readonly version: string;
	readonly nodes: number;
}

export interface LedgerVerification {
	readonly status: "ok" | "breached";
	/** Null when the journal cannot be read. */
	readonly transactions: number | null;
	readonly frames: number | null;
	/** Sum of all entries; anything but 0.00 is a breach. */
	readonly sum_usd: string;
	readonly open_holds: number;
	readonly failures: readonly string[];
}

/**
 * What an operator can do, the same over the admin API and on a folder no server holds.
 * Shapes are those of the CLI's `--json` (WIRE: names and ids).
 */
export interface Operator {
	issueSpt(request: SptRequest): Promise<{ token: string; id: string; balance_usd: string }>;
	listSpts(): Promise<{ items: readonly SptSummary[] }>;
	createKey(request: KeyRequest): Promise<{ key: string; id: string; account_id: string }>;
	listGraphs(): Promise<{ items: readonly GraphSummary[] }>;
	importGraph(request: ImportRequest, onProgress?: OnProgress): Promise<ImportReport>;
	reindex(onProgress?: OnProgress): Promise<{ concepts: number; mode: string; seconds: number }>;
	verifyLedger(): Promise<LedgerVerification>;
}

export interface OperatorDeps {
	readonly store: Store;
	readonly ledger: Ledger;
	readonly spts: SptIssuer;
	readonly keys: ApiKeys;
	readonly ids: Ids;
	readonly catalog: GraphCatalog;
	readonly search: SearchEngine;
	readonly importer: GraphImporter;
	readonly guard: InvariantGuard;
	readonly monotonicMs: () => number;
}

export function createOperator(deps: OperatorDeps): Operator {
	const { store, spts, catalog, search, importer, monotonicMs } = deps;
	return {
		async issueSpt({ usd, label, max_per_call_usd, skills, graphs }) {
			const issued = await spts.issue({
				amountMicros: parseUsd(usd),
				...(label !== undefined && { label }),
				...(max_per_call_usd !== undefined && { maxPerCallMicros: parseUsd(max_per_call_usd) }),
				...(skills && { skills }),
				...(graphs && { graphs }),
			});
			return { token: issued.token, id: issued.id, balance_usd: formatUsd(issued.balanceMicros) };
		},
		listSpts: async () => ({ items: await spts.list() }),
		createKey: (request) => createKey(deps, request),
		async listGraphs() {
			return {
				items: catalog.list().map(({ record, concepts }) => ({
					id: record.id,
					title: record.title,
					type: record.type,
					version: record.version,
					nodes: concepts.length,
				})),
			};
		},
		importGraph: (request, onProgress) => importer.import(request, onProgress),
		async reindex(onProgress) {
			const startedMs = monotonicMs();
			await search.sync(catalog.list(), { rebuild: true, ...(onProgress && { onProgress }) });
			const { concepts, mode } = search.status();
			return { concepts, mode, seconds: Math.round(monotonicMs() - startedMs) / 1000 };
		},
		verifyLedger: () => verifyLedger({ store, guard: deps.guard }),
	};
}

async function createKey(
	{ store, ledger, keys, ids }: OperatorDeps,
	{ label, usd, has_payment_method: hasPaymentMethod = false }: KeyRequest,
): Promise<{ key: string; id: string; account_id: string }> {
	const amountMicros = usd === undefined ? 0n : parseUsd(usd);
	const { id, key, accountId } = await keys.create({
		hasPaymentMethod,
		...(label !== undefined && { label }),
	});
	if (amountMicros > 0n) {
		const credit = {
			owner: accountId,
			source: "cash:manual",
			amountMicros,
			key: `credit:${ids.next("txn")}`,
		};
		await store.transaction((tx) => ledger.credit(tx, credit));
	}
	return { key, id, account_id: accountId };
}

async function verifyLedger({
	store,
	guard,
}: {
	store: Store;
	guard: InvariantGuard;
}): Promise<LedgerVerification> {
	const report = await guard.check({ full: true });
	const { sum, openHolds } = await store.read(async (reader) => {
		let total = 0n;
		for (const amount of (await reader.balances()).values()) total += amount;
		return { sum: total, openHolds: (await reader.list("holds")).length };
	});
	return {
		status: report.status,
		transactions: report.journal?.transactions ?? null,
		frames: report.journal?.frames ?? null,
		sum_usd: formatUsd(sum),
		open_holds: openHolds,
		failures: report.failures,
	};
}
