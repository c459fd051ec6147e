import type { RequestListener } from "node:http";
import type { Facilitator } from "../../payments/onchain/onchain.js";
import type { Store } from "../../store/store.js";
import type { KeyFolder } from "../accounts/accounts.js";
import type { Call, Invoke, JobWork, SkillCatalog } from "../contract/contract.js";
import { createConfiguredEgress } from "../delivery/delivery.js";
import { type Clock, type Logger, type Random, SOFTWARE_VERSION } from "../kernel/kernel.js";
import type { Cashier, InvokeStream } from "../sales/sales.js";
import type { SearchEngine, TimeModel } from "../search/search.js";
import { parseOtlpHeaders, type Settings, type TelemetrySettings } from "../settings/settings.js";
import { type Observed, observeState } from "./gauges.js";
import { listenForScrapes, type MetricsServer } from "./metrics-server.js";
import type { OpenedTelemetry } from "./open-telemetry.js";
import { createOtlpPost } from "./otlp-exporter.js";
import { createCallWatch } from "./watch-calls.js";
import { watchFacilitator, watchHandler, watchWork } from "./watch-parts.js";
import { createModelTimer, watchSearch } from "./watch-search.js";
import { watchStore } from "./watch-store.js";

/** What the composition root puts around its parts; where nothing is measured, each part stays what it is. */
export interface Telemetry {
	store(store: Store): Store;
	facilitator(facilitator: Facilitator): Facilitator;
	handler(handler: RequestListener): RequestListener;
	cashier<C extends Pick<Cashier, "payerOf" | "admit">>(cashier: C): C;
	skills(skills: SkillCatalog): SkillCatalog;
	invoke(invoke: Invoke): Invoke;
	invokeStream(invokeStream: InvokeStream): InvokeStream;
	demand(demand: (call: Call) => Promise<void>): (call: Call) => Promise<void>;
	work(work: JobWork): JobWork;
	search(search: SearchEngine): SearchEngine;
	readonly timeModel: TimeModel | undefined;
	observe(state: Observed): void;
	/** Serves metrics to Prometheus; resolves to their address, or to undefined where none are served. Throws UNAVAILABLE. */
	listen(): Promise<string | undefined>;
	/** Sends what was not sent yet, within a bound; never rejects. */
	close(): Promise<void>;
}

const asItIs = <T>(part: T): T => part;

export const NO_TELEMETRY: Telemetry = {
	store: asItIs,
	facilitator: asItIs,
	handler: asItIs,
	cashier: asItIs,
	skills: asItIs,
	invoke: asItIs,
	invokeStream: asItIs,
	demand: asItIs,
	work: asItIs,
	search: asItIs,
	timeModel: undefined,
	observe: () => undefined,
	listen: async () => undefined,
	close: async () => undefined,
};

/** Longest time that the end of the process waits for a collector. */
const CLOSE_MS = 2_000;

interface TelemetryDeps {
	readonly settings: Pick<Settings, "telemetry">;
	readonly keys: Pick<KeyFolder, "readPlaced">;
	readonly clock: Clock;
	readonly random: Random;
	readonly logger: Logger;
}

/** Measures what the settings ask for; nothing of OpenTelemetry is loaded where that is nothing. */
export async function createTelemetry(deps: TelemetryDeps): Promise<Telemetry> {
	const { settings, clock } = deps;
	const { telemetry } = settings;
	if (!telemetry) return NO_TELEMETRY;
	const ending = new AbortController();
	const { openTelemetry } = await import("./open-telemetry.js");
	const opened = openTelemetry({
		version: SOFTWARE_VERSION,
		instanceId: Buffer.from(deps.random.bytes(16)).toString("hex"),
		isScraped: telemetry.metrics !== undefined,
		otlp: toTarget(deps, telemetry, ending.signal),
	});
	return { ...createWatches(opened, clock), ...createLife(opened, { telemetry, clock, ending }) };
}

function toTarget(
	{ keys, logger, random }: TelemetryDeps,
	{ otlp }: TelemetrySettings,
	signal: AbortSignal,
) {
	if (!otlp) return undefined;
	const { endpoint, tracePercent } = otlp;
	const headers = otlp.headers ?? parseOtlpHeaders(keys.readPlaced("otlp-headers") ?? "");
	const egress = createConfiguredEgress({ urls: [endpoint] });
	const post = createOtlpPost({ egress, endpoint, headers, logger, signal });
	return { tracePercent, random, post };
}

function createWatches(
	{ recorder }: OpenedTelemetry,
	clock: Clock,
): Omit<Telemetry, "listen" | "close"> {
	const deps = { recorder, clock };
	return {
		...createCallWatch(deps),
		store: (store) => watchStore(deps, store),
		facilitator: (facilitator) => watchFacilitator(deps, facilitator),
		handler: (handler) => watchHandler(deps, handler),
		work: (work) => watchWork(deps, work),
		search: (search) => watchSearch(deps, search),
		timeModel: createModelTimer(deps),
		observe: (state) => observeState(deps, state),
	};
}

function createLife(
	opened: OpenedTelemetry,
	{
		telemetry: { metrics },
		clock,
		ending,
	}: { telemetry: TelemetrySettings; clock: Clock; ending: AbortController },
): Pick<Telemetry, "listen" | "close"> {
	let server: MetricsServer | undefined;
	let closing: Promise<void> | undefined;
	const close = async () => {
		await new Promise<void>((resolve) => {
			const cancel = clock.after(CLOSE_MS, resolve, "awaited");
			void opened.close().finally(() => {
				cancel();
				resolve();
			});
		});
		ending.abort();
		await server?.drain();
	};
	return {
		async listen() {
			if (!metrics) return undefined;
			server = await listenForScrapes(opened.scrape, { ...metrics, clock });
			return server.url;
		},
		close() {
			closing ??= close();
			return closing;
		},
	};
}
