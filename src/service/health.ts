import type { OpenPayments } from "../../payments/onchain/onchain.js";
import type { Store, StoreHealth } from "../../store/store.js";
import type { Json, ServiceInfo } from "../contract/contract.js";
import { type Clock, toIsoTime } from "../kernel/kernel.js";
import type { IndexStatus, SearchEngine } from "../search/search.js";

/** The latest check of the ledger's invariants. */
interface InvariantStatus {
	readonly status: "ok" | "breached";
	readonly checkedAt: string;
	readonly failures: readonly string[];
}

export interface HealthDeps {
	readonly info: ServiceInfo;
	readonly clock: Clock;
	readonly search: SearchEngine;
	readonly store: Store;
	/** Ids of the payment rails that are configured, e.g. ["spt", "plan"]. */
	readonly rails: readonly string[];
	readonly invariants: () => InvariantStatus;
	/** Whether the clock can be trusted. */
	readonly time: { state(): Promise<{ readonly status: "trusted" | "ahead" }> };
	/** How the ledger was last held against the chain. */
	readonly chainBooks: { latest(): object | undefined };
	/** Payments on a chain that are not at an end; undefined while no chain is configured. */
	readonly openPayments?: (() => OpenPayments | undefined) | undefined;
	/** How far graphs are behind those of all processes; undefined where they are not shared. */
	readonly sharedGraphs?:
		| {
				status():
					| {
							readonly version: number;
							readonly newest: number;
							readonly checkedAt: string | null;
							readonly refused: readonly string[];
					  }
					| undefined;
		  }
		| undefined;
	/** Who drafts prose: "extractive" (answers are the graphs' own sentences), or "llm:<model>". */
	readonly writer: string;
	/** On the clock's `now`. */
	readonly startedAtMs: number;
}

/** State of everything a paid call depends on: "unavailable" sells nothing, "degraded" sells with something missing. */
export function createHealth(deps: HealthDeps): () => Promise<Json> {
	const { info, clock, search, store, rails, writer, startedAtMs } = deps;
	return async () => {
		const { status, isChainIntact } = store.health();
		const invariants = deps.invariants();
		const index = search.status();
		const reason = whyNoVectors(index);
		// What cannot be read now cannot be sold from either.
		const time = await deps.time.state().catch(() => undefined);
		const isSelling = status === "ok" && invariants.status === "ok" && time !== undefined;
		const isWhole = isChainIntact && index.mode === "hybrid";
		return {
			status: isSelling ? (isWhole ? "ok" : "degraded") : "unavailable",
			version: info.version,
			store: toStoreState(store.health()),
			invariants: {
				status: invariants.status,
				checked_at: invariants.checkedAt,
				failures: invariants.failures.length,
			},
			model: {
				id: index.model?.id ?? null,
				mode: index.mode,
				concepts: index.concepts,
				pending_vectors: index.pendingVectors,
				...(reason !== undefined && { reason: withoutPaths(reason) }),
			},
			judge: toJudgeState(index),
			...toGraphs(deps),
			writer,
			rails,
			...toPayments(deps),
			housekeeping: { status: time?.status === "trusted" ? "running" : "waiting" },
			uptime_s: Math.max(0, Math.floor((clock.now() - startedAtMs) / 1000)),
		};
	};
}

function toGraphs({ sharedGraphs }: HealthDeps): Json {
	const status = sharedGraphs?.status();
	if (!status) return {};
	const { version, newest, checkedAt, refused } = status;
	return { graphs: { version, newest, checked_at: checkedAt, refused: [...refused] } };
}

function toPayments({ openPayments, chainBooks }: HealthDeps): Json {
	const payments = openPayments?.();
	if (!payments) return {};
	const reconciliation = chainBooks.latest() ?? null;
	return {
		payments: { unknown: payments.unknown, undelivered: payments.settled, reconciliation },
	};
}

function toStoreState({ kind, status, since, reason, sequence, isChainIntact }: StoreHealth): Json {
	return {
		kind,
		status: status === "ok" ? status : "stopped",
		state: status === "ok" ? "serving" : status,
		since: toIsoTime(since),
		// Whatever follows a path goes with it: names of folders may hold spaces and quotation marks.
		...(reason !== undefined && {
			reason: reason.replace(/\s*["'`]?(?:[A-Za-z]:)?[\\/].*$/s, " …"),
		}),
		sequence,
		is_chain_intact: isChainIntact,
	};
}

function toJudgeState({ judge }: IndexStatus): Json {
	const { isReady = false, reason } = judge ?? {};
	return {
		status: isReady ? "ready" : "none",
		...(reason !== undefined && { reason: withoutPaths(reason) }),
	};
}

function whyNoVectors({ reason, pendingVectors, concepts }: IndexStatus): string | undefined {
	if (reason !== undefined || pendingVectors === 0) return reason;
	return `Vectors are being made: ${concepts - pendingVectors} of ${concepts} concepts have theirs.`;
}

/** The reason is a sentence for the operator; anybody reads this report, so folders of the machine stay out of it. */
function withoutPaths(text: string): string {
	return text
		.replace(/(["'])[^"']*[\\/][^"']*\1/g, "$1…$1")
		.replace(/(?<![\w…"'])(?:[A-Za-z]:)?[\\/][^\s"']*/g, "…");
}
