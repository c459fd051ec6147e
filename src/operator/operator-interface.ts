import { z } from "zod";
import type { SptIssuer, SptSummary } from "../../payments/spt/spt.js";
import {
	type AccountOperator,
	type AccountOperatorDeps,
	createAccountOperator,
	toSptScope,
	usdField,
} from "../accounts/accounts.js";
import { type Clock, formatUsd, parseUsd } from "../kernel/kernel.js";
import type { GraphCatalog } from "../knowledge/knowledge.js";
import type { SearchEngine } from "../search/search.js";
import type { GraphImporter, ImportReport, ImportRequest, OnProgress } from "./graph-importer.js";
import type {
	ConceptEditor,
	ConceptPut,
	ConceptRemoval,
	ConceptReport,
} from "./graph-repository.js";
import type { PurgeReport, Retention } from "./housekeeping.js";
import {
	createLedgerOperator,
	type LedgerOperator,
	type LedgerOperatorDeps,
} from "./ledger-operator.js";

/** What the operator's other commands take. */
export const operatorCommands = {
	issueSpt: z.strictObject({
		usd: usdField,
		label: z.string().max(200).optional(),
		max_per_call_usd: usdField.optional(),
		max_per_day_usd: usdField.optional(),
		skills: z.array(z.string()).optional(),
		graphs: z.array(z.string()).optional(),
		expires_in_days: z.number().positive().max(3_660).optional(),
	}),
	/** An absolute path; empty or missing. */
	backUp: z.strictObject({ folder: z.string().min(1).max(4_096) }),
};
type SptRequest = z.output<typeof operatorCommands.issueSpt>;

export interface GraphSummary {
	readonly id: string;
	readonly title: string;
	readonly type: string;
	readonly version: string;
	readonly nodes: number;
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
export interface Operator extends LedgerOperator, AccountOperator {
	issueSpt(request: SptRequest): Promise<{ token: string; id: string; balance_usd: string }>;
	listSpts(): Promise<{ items: readonly SptSummary[] }>;
	revokeSpt(request: { id: string }): Promise<{ id: string; status: "revoked" }>;
	listGraphs(): Promise<{ items: readonly GraphSummary[] }>;
	importGraph(request: ImportRequest, onProgress?: OnProgress): Promise<ImportReport>;
	/** Forgets what is past its time. */
	purge(): Promise<PurgeReport>;
	/** Adds or changes one concept of an imported graph; searches see it when this resolves. */
	putConcept(request: ConceptPut): Promise<ConceptReport>;
	removeConcept(request: ConceptRemoval): Promise<ConceptReport>;
	reindex(onProgress?: OnProgress): Promise<{ concepts: number; mode: string; seconds: number }>;
	/** Copies the data folder's lasting parts while calls go on. Throws INVALID_ARGUMENT for a folder that cannot take them. */
	backUp(
		request: z.output<typeof operatorCommands.backUp>,
		onProgress?: OnProgress,
	): Promise<BackupReport>;
}

export interface OperatorDeps extends LedgerOperatorDeps, AccountOperatorDeps {
	readonly spts: SptIssuer;
	readonly catalog: GraphCatalog;
	readonly search: SearchEngine;
	readonly importer: GraphImporter;
	readonly concepts: ConceptEditor;
	readonly backUp: Operator["backUp"];
	readonly retention: Retention;
	readonly clock: Clock;
}

export function createOperator(deps: OperatorDeps): Operator {
	const { spts, catalog, search, importer, concepts, clock } = deps;
	return {
		issueSpt: (request) => issueSpt(deps, request),
		listSpts: async () => ({ items: await spts.list() }),
		async revokeSpt({ id }) {
			await spts.revoke(id);
			return { id, status: "revoked" };
		},
		...createAccountOperator(deps),
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
		purge: () => deps.retention.purge(),
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
