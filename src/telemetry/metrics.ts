/** Everything that is measured: one table that instruments, documents and the dashboard's test are made from. */

type MetricKind = "counter" | "histogram" | "gauge";

export interface Metric {
	readonly kind: MetricKind;
	readonly description: string;
	/** Their values come from lists of ours: never text, an id or a name that a caller has sent. */
	readonly labels: readonly string[];
	/** UCUM; counts have none. */
	readonly unit?: "s" | "By";
}

const metric =
	<const Kind extends MetricKind>(kind: Kind, unit?: "s" | "By") =>
	(description: string, ...labels: readonly string[]) => ({
		...{ kind, description, labels },
		...(unit && { unit }),
	});

const counter = metric("counter");
const duration = metric("histogram", "s");
const gauge = metric("gauge");
const age = metric("gauge", "s");

export const METRICS = {
	tollgraph_calls_total: counter(
		"Calls of paid operations: `answered`, `no_answer` (not charged), `challenged` (asked to pay), `refused`, `left` (by its caller), or `failed` by our fault.",
		"operation",
		"transport",
		"outcome",
	),
	tollgraph_refusals_total: counter(
		"Calls without a result, by the code of their error.",
		"operation",
		"code",
	),
	tollgraph_call_duration_seconds: duration(
		"A whole call, from its input to its settlement.",
		"operation",
		"transport",
		"outcome",
	),
	tollgraph_stage_duration_seconds: duration(
		"A stage of a call: `identify`, `admission`, `work`, `capture` or `release`.",
		"operation",
		"stage",
	),
	tollgraph_holds_total: counter("Holds that were opened."),
	tollgraph_captures_total: counter("Holds that were captured."),
	tollgraph_releases_total: counter("Holds that ended without a charge.", "reason"),
	tollgraph_settlements_total: counter("Payments that settled on a chain and are in the books."),
	tollgraph_refunds_total: counter("Refunds that are in the books."),
	tollgraph_captured_usd_total: counter("What was captured, in USD; refunds are not taken off."),
	tollgraph_store_transaction_duration_seconds: duration(
		"Transactions of the store, with their wait for others and for the disk.",
		"store",
		"durability",
	),
	tollgraph_store_serving: gauge("1 while the store takes changes, else 0.", "store"),
	tollgraph_ledger_sound: gauge("1 while the ledger's self-check holds, else 0: nothing is sold."),
	tollgraph_payments_open: gauge(
		"Payments on a chain that are not at an end: `unknown`, `refused`, or `undelivered`.",
		"state",
	),
	tollgraph_facilitator_duration_seconds: duration(
		"A facilitator's `verify` or `settle`, by what it said; `error` where it said nothing.",
		"step",
		"outcome",
	),
	tollgraph_jobs: gauge(
		"Jobs that wait for their turn (`waiting`) or are worked on (`running`).",
		"state",
	),
	tollgraph_job_pass_duration_seconds: duration("One pass of a job.", "kind", "outcome"),
	tollgraph_search_duration_seconds: duration(
		"A search (`find`) or a choice of graphs (`route`), by what it compared: `hybrid` or `keyword`.",
		"step",
		"mode",
	),
	tollgraph_model_duration_seconds: duration(
		"A request to a model: `encoder` (with the comparison of vectors) or `judge`.",
		"model",
	),
	tollgraph_search_mode: gauge("1 for what the next search would compare.", "mode"),
	tollgraph_index_info: gauge(
		"1; its labels name the embedding model and the start of its SHA-256.",
		"model",
		"version",
	),
	tollgraph_index_concepts: gauge("Concepts in the index."),
	tollgraph_index_vectors: gauge("Concepts that have their vector."),
	tollgraph_index_pending_vectors: gauge("Concepts that wait for their vector."),
	tollgraph_index_age_seconds: age("Since the index was last brought in line with the catalog."),
	tollgraph_graphs: gauge("Graphs on sale."),
	tollgraph_feed_age_seconds: age(
		"Since a feed's value was confirmed, by its source or when the bundle was made.",
		"feed",
		"origin",
	),
	tollgraph_feed_failures: gauge("Failures of a feed in a row.", "feed"),
	tollgraph_http_request_duration_seconds: duration(
		"HTTP requests of all kinds, free ones and refused ones too.",
		"method",
		"status",
	),
	tollgraph_resident_memory_bytes: metric("gauge", "By")("Memory of the process."),
	tollgraph_uptime_seconds: age("Since the process began to serve."),
} as const satisfies Readonly<Record<string, Metric>>;

type NamesOf<Kind extends MetricKind> = {
	[Name in keyof typeof METRICS]: (typeof METRICS)[Name]["kind"] extends Kind ? Name : never;
}[keyof typeof METRICS];

export type CounterName = NamesOf<"counter">;
export type DurationName = NamesOf<"histogram">;
export type GaugeName = NamesOf<"gauge">;

/** Seconds; from what memory takes to the limit of a request. */
export const DURATION_BOUNDS = [
	0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
] as const;

/** The names under which Prometheus has them. */
export function listSeriesNames(): readonly string[] {
	return Object.entries<Metric>(METRICS).flatMap(([name, { kind }]) =>
		kind === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
	);
}

/** The table of metrics in docs/operations.md. */
export function renderMetricsTable(): string {
	const rows = Object.entries<Metric>(METRICS).map(
		([name, { kind, description, labels }]) =>
			`| \`${name}\` | ${kind} | ${labels.map((label) => `\`${label}\``).join(", ") || "–"} | ${description} |`,
	);
	return ["| metric | kind | labels | meaning |", "|---|---|---|---|", ...rows].join("\n");
}
