import { z } from "zod";
import type { SptIssuer } from "../../../payments/spt/spt.js";
import {
	type LlmWriter,
	tryWriter,
	type WriterMeter,
	type WriterUsage,
} from "../../../skills/answers/answers.js";
import {
	type AccountOperator,
	type AccountOperatorDeps,
	createAccountOperator,
	type KeyRotation,
	toSptScope,
	usdField,
} from "../../accounts/accounts.js";
import { digitsField, type TokenPrice } from "../../contract/contract.js";
import { type Clock, formatUsd, notFound, parseUsd } from "../../kernel/kernel.js";
import type { GraphCatalog } from "../../knowledge/knowledge.js";
import type { SearchEngine } from "../../search/search.js";
import type { AuditLog } from "../access/audit-log.js";
import type { OperatorKeys } from "../access/operator-keys.js";
import type { DataBackup } from "../data/data-backup.js";
import type { Retention } from "../data/housekeeping.js";
import type { TrustedTime } from "../data/trusted-time.js";
import type { ConceptEditor } from "../graphs/concept-editor.js";
import type { createExpertEditor } from "../graphs/graph-expert.js";
import type { GraphOwner } from "../graphs/graph-owner.js";
import type { createGraphPrices } from "../graphs/graph-prices.js";
import type { createNodePublisher } from "../graphs/node-publisher.js";
import type { PriceVersions } from "../graphs/price-versions.js";
import type { GraphImporter } from "../imports/graph-importer.js";
import type { OnProgress } from "../imports/import-command.js";
import type { createImportJobs } from "../imports/import-jobs.js";
import type { GraphRepository } from "../publication/graph-repository.js";
import { createDuplicateReport } from "../reports/duplicate-report.js";
import { createGapReport } from "../reports/gap-report.js";
import {
	createLedgerOperator,
	dayField,
	type LedgerOperator,
	type LedgerOperatorDeps,
} from "../reports/ledger-operator.js";
import { createShopReports, type ReportDeps } from "../reports/shop-reports.js";
import {
	createFeedOperator,
	createJobOperator,
	createSubscriptionLists,
	type FeedOperatorDeps,
	type JobOperatorDeps,
} from "./work-operator.js";

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
	listSpts: z.strictObject({
		limit: digitsField(500).optional(),
		cursor: z.string().max(80).optional(),
	}),
	freezeSpt: z.strictObject({ token_id: z.string().min(1).max(80) }),
	revenue: z.strictObject({
		by: z.enum(["day", "op", "graph", "payer", "rail"]).default("day"),
		from: dayField.optional(),
		to: dayField.optional(),
	}),
	/** An absolute path; empty or missing. */
	backUp: z.strictObject({ folder: z.string().min(1).max(4_096) }),
	tryWriter: z.strictObject({ questions: z.int().min(1).max(100) }),
};
type SptRequest = z.output<typeof operatorCommands.issueSpt>;

const REVISION_CHARS = 16;

/**
 * What an operator can do, the same over the admin API and on a folder no server holds.
 * Shapes are those of the CLI's `--json` (WIRE: names and ids).
 */
export type Operator = ReturnType<typeof createOperator>;

export interface OperatorDeps
	extends LedgerOperatorDeps,
		AccountOperatorDeps,
		ReportDeps,
		JobOperatorDeps,
		FeedOperatorDeps {
	readonly priceVersions: PriceVersions;
	readonly spts: SptIssuer;
	readonly catalog: GraphCatalog;
	readonly search: SearchEngine;
	readonly importer: GraphImporter;
	readonly repository: Pick<GraphRepository, "findOwn">;
	readonly concepts: ConceptEditor;
	readonly publishing: ReturnType<typeof createNodePublisher> &
		ReturnType<typeof createImportJobs> & {
			readonly setExpert: ReturnType<typeof createExpertEditor>;
		};
	readonly priceGraph: ReturnType<typeof createGraphPrices>;
	readonly owner: GraphOwner;
	readonly backUp: DataBackup;
	readonly retention: Retention;
	readonly time: TrustedTime;
	readonly writerMeter: Pick<WriterMeter, "report">;
	/** The configured language model, told apart from the one that answers callers; undefined where there is none. */
	readonly openWriter: (onUsage: (usage: WriterUsage) => void) => LlmWriter | undefined;
	readonly writerPrice: TokenPrice | undefined;
	readonly clock: Clock;
	readonly operatorKeys: OperatorKeys;
	readonly rotation: KeyRotation;
	readonly audit: AuditLog;
}

export function createOperator(deps: OperatorDeps) {
	const { catalog, search, importer, concepts, clock } = deps;
	const accounts: AccountOperator = createAccountOperator(deps);
	const ledger: LedgerOperator = createLedgerOperator(deps);
	const tokens: SptOperator = createSptOperator(deps);
	const reports: Reports = createReports(deps, ledger);
	const data: DataKeeping = createDataKeeping(deps);
	return {
		...tokens,
		...accounts,
		async listGraphs() {
			return {
				items: [...catalog.list(), ...catalog.drafts()].map(
					({ record, concepts: nodes, contentHash }) => ({
						id: record.id,
						title: record.title,
						type: record.type,
						/** Whether its files are ours to change. */
						imported: deps.repository.findOwn(record.id) !== undefined,
						version: record.version,
						nodes: nodes.length,
						/** Another one after each change of its content. */
						revision: contentHash.slice(0, REVISION_CHARS),
					}),
				),
			};
		},
		importGraph: importer.import,
		/** What a graph costs and who shares in it, changed where something is given. */
		priceGraph: deps.priceGraph,
		...deps.owner,
		...deps.publishing,
		putConcept: concepts.put,
		removeConcept: concepts.remove,
		...data,
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
		...reports,
		getPrices: deps.priceVersions.getPrices,
		setPrices: deps.priceVersions.setPrices,
		reportGaps: createGapReport(deps),
		...createAccess(deps),
	};
}

/** Who may give commands, what they did, and what the service's own keys are. */
function createAccess({ operatorKeys, rotation, audit }: OperatorDeps) {
	const { listSecrets, getSecret, rotateSecret, retireSecret } = rotation;
	return {
		addOperator: operatorKeys.add,
		listOperators: operatorKeys.list,
		revokeOperator: operatorKeys.revoke,
		listSecrets,
		getSecret,
		rotateSecret,
		retireSecret,
		listAudit: audit.list,
		verifyAudit: audit.verify,
	};
}

type DataKeeping = ReturnType<typeof createDataKeeping>;

function createDataKeeping({ time, retention, backUp }: OperatorDeps) {
	return {
		backUp,
		readClock: time.state,
		acceptClock: time.accept,
		/** Throws CONFLICT while the clock cannot be trusted. */
		async purge() {
			await time.assertTrusted();
			return retention.purge();
		},
	};
}

type SptOperator = ReturnType<typeof createSptOperator>;

function createSptOperator(deps: OperatorDeps) {
	const { spts, catalog, clock } = deps;
	return {
		async issueSpt({ usd, ...scope }: SptRequest) {
			const terms = toSptScope({ catalog, now: clock.now() }, scope);
			const { token, id, balanceMicros } = await spts.issue({
				...terms,
				amountMicros: parseUsd(usd),
			});
			return { token, id, balance_usd: formatUsd(balanceMicros) };
		},
		listSpts: (page: z.output<typeof operatorCommands.listSpts> = {}) => listSpts(deps, page),
		/** Throws NOT_FOUND. */
		getSpt: (request: z.output<typeof operatorCommands.freezeSpt>) => getSpt(deps, request),
		async freezeSpt(request: z.output<typeof operatorCommands.freezeSpt>) {
			await spts.setFrozen(request.token_id, true);
			return getSpt(deps, request);
		},
		async unfreezeSpt(request: z.output<typeof operatorCommands.freezeSpt>) {
			await spts.setFrozen(request.token_id, false);
			return getSpt(deps, request);
		},
		async revokeSpt({ id }: { readonly id: string }) {
			await spts.revoke(id);
			return { id, status: "revoked" as const };
		},
	};
}

type Reports = ReturnType<typeof createReports>;

function createReports(deps: OperatorDeps, ledger: LedgerOperator) {
	const feeds: ReturnType<typeof createFeedOperator> = createFeedOperator(deps);
	return {
		/** The ledger's report, by the names of the admin API. */
		reportRevenue: ({ by, ...span }: z.output<typeof operatorCommands.revenue>) =>
			ledger.reportLedger({ by: by === "op" ? "skill" : by, ...span }),
		/** The latest reconciliation on the audit log. */
		async getReconciliation() {
			const [latest] = (await deps.audit.list({ command: "reconcileLedger", limit: "1" })).items;
			if (!latest) return { at: null, outcome: null, result: null };
			return { at: latest.at, outcome: latest.outcome, result: latest.after };
		},
		listDuplicates: createDuplicateReport(deps),
		...createShopReports(deps),
		...createJobOperator(deps),
		...createSubscriptionLists(deps),
		...feeds,
	};
}

/** Every token, or a page of them, and what customers have in all of them. */
async function listSpts(
	{ spts }: Pick<OperatorDeps, "spts">,
	{ limit, cursor }: z.output<typeof operatorCommands.listSpts>,
) {
	const all = await spts.list();
	const outstanding = all.reduce(
		(sum, { balance_usd, held_usd }) => sum + parseUsd(balance_usd) + parseUsd(held_usd),
		0n,
	);
	const from = cursor === undefined ? all : all.filter(({ id }) => id > cursor);
	const items = limit === undefined ? from : from.slice(0, limit);
	const next = items.length < from.length ? (items.at(-1)?.id ?? null) : null;
	return { items, next, outstanding_usd: formatUsd(outstanding) };
}

async function getSpt(
	{ spts }: Pick<OperatorDeps, "spts">,
	{ token_id: id }: z.output<typeof operatorCommands.freezeSpt>,
) {
	const found = (await spts.list()).find((token) => token.id === id);
	if (found) return found;
	throw notFound(`No token is called "${id.slice(0, 80)}".`);
}
