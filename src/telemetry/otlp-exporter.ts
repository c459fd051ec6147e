import { setMaxListeners } from "node:events";
import { type Egress, type Logger, unavailable } from "../kernel/kernel.js";

/** Sends one request of the OpenTelemetry protocol, as JSON. Rejects with UNAVAILABLE where it is not taken. */
export type OtlpPost = (signal: "traces" | "metrics", body: string) => Promise<void>;

const POST_TIMEOUT_MS = 5_000;

export interface Collector {
	readonly egress: Egress;
	/** Base address, without a slash at its end; signals have paths of their own below it. */
	readonly endpoint: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly logger: Logger;
	/** Ends what is under way. */
	readonly signal: AbortSignal;
}

/** Reaches the collector by our own egress. What it does not take is dropped; the log says so once, and once that it is over. */
export function createOtlpPost({ egress, endpoint, headers, logger, signal }: Collector): OtlpPost {
	let isRefused = false;
	setMaxListeners(0, signal); // Every request of the last seconds listens to it.
	const post: OtlpPost = async (kind, body) => {
		const { status } = await egress.request({
			method: "POST",
			url: `${endpoint}/v1/${kind}`,
			headers: { "Content-Type": "application/json", ...headers },
			body,
			timeoutMs: POST_TIMEOUT_MS,
			signal,
		});
		if (status < 200 || status > 299) throw unavailable(`The collector answered ${status}.`);
	};
	return async (kind, body) => {
		try {
			await post(kind, body);
		} catch (error) {
			if (!isRefused && !signal.aborted)
				logger.error("the collector takes no telemetry; it is dropped until it does", {
					reason: error instanceof Error ? error.message : String(error),
				});
			isRefused = true;
			throw error;
		}
		if (isRefused) logger.info("the collector takes telemetry again");
		isRefused = false;
	};
}

interface ExportResult {
	/** 0 for taken, 1 for dropped: `ExportResultCode` of @opentelemetry/core. */
	readonly code: 0 | 1;
	readonly error?: Error;
}

interface Serializer<Items> {
	serializeRequest(items: Items): Uint8Array | undefined;
}

/** What the SDK hands spans and metrics to: its own exporters open connections themselves. */
export function createOtlpExporter<Items>(
	serializer: Serializer<Items>,
	post: (body: string) => Promise<void>,
) {
	const running = new Set<Promise<void>>();
	const forceFlush = async () => void (await Promise.allSettled(running));
	return {
		export(items: Items, done: (result: ExportResult) => void): void {
			const bytes = serializer.serializeRequest(items);
			if (!bytes) {
				done({ code: 0 });
				return;
			}
			const sent = post(Buffer.from(bytes).toString("utf8"))
				.then(
					() => done({ code: 0 }),
					(error: unknown) => done({ code: 1, error: error as Error }),
				)
				.finally(() => running.delete(sent));
			running.add(sent);
		},
		forceFlush,
		shutdown: forceFlush,
	};
}
