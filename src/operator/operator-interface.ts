import { z } from "zod";
import type { SptIssuer } from "../../payments/spt/spt.js";
import {
	type LlmWriter,
	tryWriter,
	type WriterMeter,
	type WriterUsage,
} from "../../skills/answers/answers.js";
import {
	type AccountOperator,
	type AccountOperatorDeps,
	createAccountOperator,
	toSptScope,
	usdField,
} from "../accounts/accounts.js";
import type { TokenPrice } from "../contract/contract.js";
import { type Clock, formatUsd, parseUsd } from "../kernel/kernel.js";
import type { GraphCatalog } from "../knowledge/knowledge.js";
import type { SearchEngine } from "../search/search.js";
import type { AuditLog } from "./audit-log.js";
import type { DataBackup } from "./data-folder.js";
import { createGapReport } from "./gap-report.js";
import type { GraphImporter, OnProgress } from "./graph-importer.js";
import type { ConceptEditor } from "./graph-repository.js";
import type { Retention } from "./housekeeping.js";
import {
	createLedgerOperator,
	type LedgerOperator,
	type LedgerOperatorDeps,
} from "./ledger-operator.js";
import type { OperatorKeys } from "./operator-keys.js";

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
	tryWriter: z.strictObject({ questions: z.int().min(1).max(100) }),
};
type SptRequest = z.output<typeof operatorCommands.issueSpt>;

/**
 * What an operator can do, the same over the admin API and on a folder no server holds.
 * Shapes are those of the CLI's `--json` (WIRE: names and ids).
 */
export type Operator = ReturnType<typeof createOperator>;

export interface OperatorDeps extends LedgerOperatorDeps, AccountOperatorDeps {
	readonly spts: SptIssuer;
	readonly catalog: GraphCatalog;
	readonly search: SearchEngine;
	readonly importer: GraphImporter;
	readonly concepts: ConceptEditor;
	readonly backUp: DataBackup;
	readonly retention: Retention;
	readonly writerMeter: Pick<WriterMeter, "report">;
	/** The configured language model, told apart from the one that answers callers; undefined where there is none. */
	readonly openWriter: (onUsage: (usage: WriterUsage) => void) => LlmWriter | undefined;
	readonly writerPrice: TokenPrice | undefined;
	readonly clock: Clock;
	readonly operatorKeys: OperatorKeys;
	readonly audit: AuditLog;
}

export function createOperator(deps: OperatorDeps) {
	const { spts, catalog, search, importer, concepts, clock } = deps;
	const accounts: AccountOperator = createAccountOperator(deps);
	const ledger: LedgerOperator = createLedgerOperator(deps);
	return {
		async issueSpt({ usd, ...scope }: SptRequest) {
			const terms = toSptScope({ catalog, now: clock.now() }, scope);
			const { token, id, balanceMicros } = await spts.issue({
				...terms,
				amountMicros: parseUsd(usd),
			});
			return { token, id, balance_usd: formatUsd(balanceMicros) };
		},
		listSpts: async () => ({ items: await spts.list() }),
		async revokeSpt({ id }: { readonly id: string }) {
			await spts.revoke(id);
			return { id, status: "revoked" as const };
		},
		...accounts,
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
		importGraph: importer.import,
		putConcept: concepts.put,
		removeConcept: concepts.remove,
		purge: deps.retention.purge,
		async reindex(onProgress?: OnProgress) {
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
		/** What the language model took since this process began. */
		reportWriter: async () => deps.writerMeter.report(),
		/** Has the configured language model answer questions about the graphs, at the operator's cost. */
		async tryWriter(
			{ questions }: z.output<typeof operatorCommands.tryWriter>,
			onProgress?: OnProgress,
		) {
			const { openWriter, writerPrice: price } = deps;
			const services = { search, clock, graphs: catalog.list(), openWriter, price };
			const { signal } = new AbortController();
			return tryWriter(services, { questions, signal, onProgress });
		},
		...ledger,
		reportGaps: createGapReport(deps),
		addOperator: deps.operatorKeys.add,
		listOperators: deps.operatorKeys.list,
		revokeOperator: deps.operatorKeys.revoke,
		listAudit: deps.audit.list,
		verifyAudit: deps.audit.verify,
	};
}
