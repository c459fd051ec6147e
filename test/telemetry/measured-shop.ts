import { createServer } from "node:http";
import type { Test } from "tap";
import { systemClock } from "../../src/kernel/clock.js";
import type { TelemetrySettings } from "../../src/settings/telemetry-settings.js";
import { listenOnLoopback } from "../support/listen-on-loopback.js";
import { createSimChain } from "../support/sim-chain.js";
import { createSimFacilitator } from "../support/sim-facilitator.js";
import { createSimWallet } from "../support/sim-wallet.js";
import { startApp, type TestApp } from "../support/start-app.js";
import { handJudge } from "../support/word-judge.js";

export const SCRAPED: TelemetrySettings = {
	metrics: { host: "127.0.0.1", port: 0 },
	otlp: undefined,
};

/** No graph has an answer to it. */
export const UNKNOWN_QUERY = "zygodactyl quokka marmalade";

type Options = NonNullable<Parameters<typeof startApp>[1]>;

/** A server that is measured, on a chain that wallets pay on. */
export async function startMeasured(
	t: Test,
	telemetry: TelemetrySettings,
	{ settings, ...options }: Options = {},
) {
	const { now } = systemClock;
	const chain = createSimChain({ now });
	const facilitator = createSimFacilitator({ chain, clock: systemClock });
	const shop = await startApp(t, {
		isServing: true,
		judge: handJudge(),
		onchain: { terms: chain.terms, facilitator, chain, close: async () => undefined },
		settings: { model: "none", telemetry, ...settings },
		...options,
	});
	const wallet = createSimWallet(chain, { name: "agent", now, balance: 90_000_000n });
	const payment = (value: bigint) => ({ "PAYMENT-SIGNATURE": wallet.v2(wallet.sign({ value })) });
	return { ...shop, wallet, payment };
}

export type MeasuredShop = Awaited<ReturnType<typeof startMeasured>>;

export interface Series {
	readonly name: string;
	readonly labels: Readonly<Record<string, string>>;
	readonly value: number;
}

export async function scrape({ metricsUrl }: Pick<TestApp, "metricsUrl">): Promise<string> {
	const response = await fetch(metricsUrl ?? "");
	return response.text();
}

/** The lines of Prometheus's text format that have a value. */
export function parseSeries(text: string): readonly Series[] {
	const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
	return lines.map((line) => {
		const [, name = "", inner = "", value = ""] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
		const labels = [...inner.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(
			([, label = "", text = ""]) => [label, text] as const,
		);
		return { name, labels: Object.fromEntries(labels), value: Number(value) };
	});
}

/** Added up over all series with these labels; undefined where there are none. */
export function sumOf(
	series: readonly Series[],
	name: string,
	labels: Readonly<Record<string, string>> = {},
): number | undefined {
	const found = series.filter(
		(one) =>
			one.name === name &&
			Object.entries(labels).every(([label, value]) => one.labels[label] === value),
	);
	return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
}

export interface Span {
	readonly traceId: string;
	readonly spanId: string;
	readonly parentSpanId?: string;
	readonly name: string;
	readonly attributes: readonly { key: string; value: { stringValue?: string } }[];
	readonly status?: { readonly code?: number };
}

/** A collector of OpenTelemetry that keeps what it is sent. */
export async function startCollector(t: Test, { status = 200 }: { status?: number } = {}) {
	const received: { path: string; headers: Record<string, unknown>; text: string }[] = [];
	const server = createServer(async (req, res) => {
		let text = "";
		for await (const chunk of req) text += chunk;
		received.push({ path: req.url ?? "", headers: req.headers, text });
		res.writeHead(status, { "Content-Type": "application/json" }).end("{}");
	});
	const port = await listenOnLoopback(t, server);
	const bodiesOf = (path: string) =>
		received.filter((one) => one.path === path).map(({ text }) => JSON.parse(text));
	return {
		endpoint: `http://127.0.0.1:${port}`,
		received,
		spans: (): readonly Span[] =>
			bodiesOf("/v1/traces").flatMap(({ resourceSpans }) =>
				resourceSpans.flatMap(({ scopeSpans }: { scopeSpans: { spans: Span[] }[] }) =>
					scopeSpans.flatMap(({ spans }) => spans),
				),
			),
		metricNames: (): ReadonlySet<string> =>
			new Set(
				bodiesOf("/v1/metrics").flatMap(({ resourceMetrics }) =>
					resourceMetrics.flatMap(({ scopeMetrics }: { scopeMetrics: { metrics: object[] }[] }) =>
						scopeMetrics.flatMap(({ metrics }) =>
							(metrics as { name: string }[]).map(({ name }) => name),
						),
					),
				),
			),
	};
}

export const otlpTo = (endpoint: string, tracePercent = 100): TelemetrySettings => ({
	metrics: undefined,
	otlp: { endpoint, tracePercent, headers: { "x-collector-key": "known-to-us-alone" } },
});
