import { AsyncLocalStorage } from "node:async_hooks";
import {
	type Attributes,
	type Context,
	type Counter,
	type Histogram,
	type Meter,
	type ObservableGauge,
	ROOT_CONTEXT,
	SpanStatusCode,
	type Tracer,
	trace,
} from "@opentelemetry/api";
import { parseTraceParent } from "@opentelemetry/core";
import { PrometheusSerializer } from "@opentelemetry/exporter-prometheus";
import { JsonMetricsSerializer, JsonTraceSerializer } from "@opentelemetry/otlp-transformer";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
	MeterProvider,
	MetricReader,
	PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
	AlwaysOffSampler,
	BatchSpanProcessor,
	ParentBasedSampler,
	type Sampler,
	SamplingDecision,
	TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { Random } from "../kernel/kernel.js";
import { DURATION_BOUNDS, METRICS, type Metric } from "./metrics.js";
import { createOtlpExporter, type OtlpPost } from "./otlp-exporter.js";
import {
	codeOf,
	type Labels,
	type OpenSpan,
	type Recorder,
	type Sample,
	type SpanStart,
} from "./recorder.js";

/** The only file that knows OpenTelemetry; it takes a fifth of a second to load, so it is imported where something is measured. */

const SCOPE = "tollgraph";
const EXPORT_EVERY_MS = 15_000;
/** Of one request to the collector. */
const EXPORT_TIMEOUT_MS = 5_000;

export interface TelemetryTargets {
	readonly version: string;
	/** Distinguishes this process from others of the same service. */
	readonly instanceId: string;
	/** Whether metrics are read here. */
	readonly isScraped: boolean;
	/** Where traces and metrics are sent; nowhere where absent. */
	readonly otlp:
		| { readonly post: OtlpPost; readonly tracePercent: number; readonly random: Random }
		| undefined;
}

export interface OpenedTelemetry {
	readonly recorder: Recorder;
	/** All metrics as Prometheus reads them. */
	scrape(): Promise<string>;
	/** Sends what was not sent yet, and ends. */
	close(): Promise<void>;
}

export function openTelemetry({
	version,
	instanceId,
	isScraped,
	otlp,
}: TelemetryTargets): OpenedTelemetry {
	const resource = resourceFromAttributes({
		"service.name": SCOPE,
		"service.version": version,
		"service.instance.id": instanceId,
	});
	const scraped = isScraped ? new ScrapedReader() : undefined;
	const pushed = otlp && createPushingReader(otlp.post);
	const meters = new MeterProvider({
		resource,
		readers: [scraped, pushed].filter((reader) => reader !== undefined),
	});
	const tracers = new TracerProvider({
		resource,
		sampler: otlp ? createSampler(otlp) : new AlwaysOffSampler(),
		spanProcessors: otlp ? [createSpanProcessor(otlp.post)] : [],
	});
	const serializer = new PrometheusSerializer(undefined, false, undefined, false, true);
	return {
		recorder: {
			...createInstruments(meters.getMeter(SCOPE, version)),
			...createSpans(tracers.getTracer(SCOPE, version)),
		},
		async scrape() {
			if (!scraped) return "";
			const { resourceMetrics } = await scraped.collect();
			return serializer.serialize(resourceMetrics);
		},
		async close() {
			await Promise.allSettled([tracers.shutdown(), meters.shutdown()]);
		},
	};
}

/** Read when somebody asks; there is nothing to send. */
class ScrapedReader extends MetricReader {
	protected async onForceFlush(): Promise<void> {}
	protected async onShutdown(): Promise<void> {}
}

function createPushingReader(post: OtlpPost): MetricReader {
	return new PeriodicExportingMetricReader({
		exporter: createOtlpExporter(JsonMetricsSerializer, (body) => post("metrics", body)),
		exportIntervalMillis: EXPORT_EVERY_MS,
		exportTimeoutMillis: EXPORT_TIMEOUT_MS,
	});
}

function createSpanProcessor(post: OtlpPost): BatchSpanProcessor {
	return new BatchSpanProcessor({
		exporter: createOtlpExporter(JsonTraceSerializer, (body) => post("traces", body)),
		exportTimeoutMillis: EXPORT_TIMEOUT_MS,
	});
}

/** A caller may keep its call out of the traces; to be in them is not theirs to decide, neither by a flag nor by a number, since each costs. */
function createSampler({ tracePercent, random }: NonNullable<TelemetryTargets["otlp"]>): Sampler {
	const bound = (tracePercent / 100) * 2 ** 32;
	const { RECORD_AND_SAMPLED, NOT_RECORD } = SamplingDecision;
	const isDrawn = () => tracePercent >= 100 || Buffer.from(random.bytes(4)).readUInt32BE() < bound;
	const share: Sampler = {
		shouldSample: () => ({ decision: isDrawn() ? RECORD_AND_SAMPLED : NOT_RECORD }),
		toString: () => `${tracePercent} percent`,
	};
	return new ParentBasedSampler({ root: share, remoteParentSampled: share });
}

type Instruments = Pick<Recorder, "count" | "time" | "observe">;

function createInstruments(meter: Meter): Instruments {
	const counters = new Map<string, Counter>();
	const durations = new Map<string, Histogram>();
	const gauges = new Map<string, ObservableGauge>();
	for (const [name, { kind, description, unit }] of Object.entries<Metric>(METRICS)) {
		const options = { description, ...(unit && { unit }) };
		const advice = { explicitBucketBoundaries: [...DURATION_BOUNDS] };
		if (kind === "counter") counters.set(name, meter.createCounter(name, options));
		else if (kind === "gauge") gauges.set(name, meter.createObservableGauge(name, options));
		else durations.set(name, meter.createHistogram(name, { ...options, advice }));
	}
	const sources: (() => readonly Sample[] | Promise<readonly Sample[]>)[] = [];
	meter.addBatchObservableCallback(
		async (result) => {
			// One source that cannot be read takes nothing from the others.
			const read = await Promise.allSettled(sources.map(async (source) => source()));
			for (const { metric, value, labels } of read.flatMap(valuesOf)) {
				const gauge = gauges.get(metric);
				if (gauge) result.observe(gauge, value, labels);
			}
		},
		[...gauges.values()],
	);
	return {
		count: (metric, labels, by = 1) => counters.get(metric)?.add(by, labels),
		time: (metric, seconds, labels) => durations.get(metric)?.record(seconds, labels),
		observe: (source) => void sources.push(source),
	};
}

function valuesOf(read: PromiseSettledResult<readonly Sample[]>): readonly Sample[] {
	return read.status === "fulfilled" ? read.value : [];
}

/** What is under way, for all that is begun within it. */
interface Scope {
	readonly context: Context;
	readonly operationId: string;
}

function createSpans(tracer: Tracer): Pick<Recorder, "begin" | "operation"> {
	const scopes = new AsyncLocalStorage<Scope>();
	return {
		operation: () => scopes.getStore()?.operationId,
		begin(start) {
			const scope = scopeOf(start, scopes.getStore());
			if (!scope) return OF_NO_CALL;
			const span = tracer.startSpan(
				start.name,
				{ attributes: toAttributes(start.labels) },
				scope.context,
			);
			const own = { ...scope, context: trace.setSpan(scope.context, span) };
			let isOver = false;
			return {
				run: (work) => scopes.run(own, work),
				note: (labels) => void span.setAttributes(toAttributes(labels)),
				end(failure) {
					if (isOver) return;
					isOver = true;
					if (failure !== undefined) markFailed(span, failure);
					span.end();
				},
			};
		},
	};
}

/** Housekeeping has transactions as well, and no one looks for a trace of each. */
const OF_NO_CALL: OpenSpan = {
	run: (work) => work(),
	note: () => undefined,
	end: () => undefined,
};

function scopeOf({ root }: SpanStart, outer: Scope | undefined): Scope | undefined {
	if (!root) return outer;
	const { traceParent, operationId } = root;
	const parent = traceParent === undefined ? null : parseTraceParent(traceParent);
	const context = parent
		? trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true })
		: ROOT_CONTEXT;
	return { context, operationId };
}

/** Refusals that are the caller's own are no failures of the trace. */
const OUR_FAILURES: readonly string[] = [
	"INTERNAL",
	"UPSTREAM",
	"SETTLEMENT_UNKNOWN",
	"UNAVAILABLE",
];

/** By its code alone: messages may quote a caller. */
function markFailed(span: ReturnType<Tracer["startSpan"]>, failure: unknown): void {
	const code = codeOf(failure);
	span.setAttribute("error.type", code);
	if (OUR_FAILURES.includes(code)) span.setStatus({ code: SpanStatusCode.ERROR });
}

function toAttributes(labels: Labels): Attributes {
	return Object.fromEntries(
		Object.entries(labels).map(([name, value]) => [`${SCOPE}.${name}`, value]),
	);
}
