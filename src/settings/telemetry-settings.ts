import { isLoopback } from "../http/http.js";
import { invalidSetting } from "../kernel/kernel.js";

/** Where measurements can be read, and where they are sent. */
export interface TelemetrySettings {
	/** Where Prometheus reads them; nowhere where absent. */
	readonly metrics: { readonly host: string; readonly port: number } | undefined;
	/** Where traces and metrics are sent; nowhere where absent. */
	readonly otlp: OtlpSettings | undefined;
}

interface OtlpSettings {
	/** Without a slash at its end. */
	readonly endpoint: string;
	/** Share of calls that are traced. */
	readonly tracePercent: number;
	/** Of TOLLGRAPH_OTLP_HEADERS; undefined where that is unset. */
	readonly headers: Readonly<Record<string, string>> | undefined;
}

export const TELEMETRY_SETTINGS = {
	metrics_port:
		"Port that Prometheus reads metrics from, at `/metrics`; 0 takes any free one. Without it nothing listens.",
	metrics_host:
		"Address of that port. All who reach it read what is sold, so name another than this machine's only in a network of your own.",
	otlp_endpoint:
		"Base address of an OpenTelemetry collector that traces and metrics are sent to (OTLP over HTTP, in JSON), e.g. `http://127.0.0.1:4318`; https, or http on this machine. Headers that it asks for are read from `TOLLGRAPH_OTLP_HEADERS` (`name=value`, separated by commas) or from `<data>/keys/otlp-headers`. None by default.",
	otlp_trace_percent:
		"Share of calls that are traced, in percent; a caller's `traceparent` can leave its own call out.",
} as const;

type TelemetryKey = keyof typeof TELEMETRY_SETTINGS;

interface Surroundings {
	readonly profile: "demo" | "production";
	/** What TOLLGRAPH_OTLP_HEADERS holds. */
	readonly headers: string | undefined;
	readonly parsePort: (text: string) => number;
}

/** Undefined where nothing is measured. Throws INVALID_ARGUMENT. */
export function parseTelemetrySettings(
	text: (key: TelemetryKey) => string,
	around: Surroundings,
): TelemetrySettings | undefined {
	const metrics = parseMetrics(text, around);
	const otlp = parseOtlp(text, around);
	return metrics || otlp ? { metrics, otlp } : undefined;
}

function parseMetrics(
	text: (key: TelemetryKey) => string,
	{ profile, parsePort }: Surroundings,
): TelemetrySettings["metrics"] {
	const [port, host] = [text("metrics_port"), text("metrics_host")];
	if (port === "") return undefined;
	if (profile === "demo" && !isLoopback(host)) {
		throw invalidSetting(
			`The demo profile listens on loopback only, not on "${host}"; leave metrics_host out, or use --profile production.`,
		);
	}
	return { host, port: parsePort(port) };
}

function parseOtlp(
	text: (key: TelemetryKey) => string,
	{ headers }: Surroundings,
): OtlpSettings | undefined {
	const endpoint = text("otlp_endpoint");
	if (endpoint === "") return undefined;
	assertAddress(endpoint);
	return {
		endpoint: endpoint.replace(/\/+$/, ""),
		tracePercent: parsePercent(text("otlp_trace_percent")),
		headers: headers ? parseOtlpHeaders(headers) : undefined,
	};
}

/** What is sent there says how the service does: https, unless it never leaves the machine. The rest of an address may be a key. */
function assertAddress(text: string): void {
	const url = URL.canParse(text) ? new URL(text) : undefined;
	const isPlain =
		url && url.username === "" && url.password === "" && url.search === "" && url.hash === "";
	const isLocal = url?.protocol === "http:" && isLoopback(url.hostname.replace(/^\[|\]$/g, ""));
	if (isPlain && (url.protocol === "https:" || isLocal)) return;
	const host = url?.host ? ` ("${url.host}")` : "";
	throw invalidSetting(
		`The setting otlp_endpoint${host} must be an https address, or http on this machine, without name, password or query.`,
	);
}

function parsePercent(text: string): number {
	const percent = /^\d{1,3}(\.\d{1,3})?$/.test(text) ? Number(text) : Number.NaN;
	if (percent >= 0 && percent <= 100) return percent;
	throw invalidSetting(`"${text}" is no otlp_trace_percent; use a number from 0 to 100.`);
}

const HEADER = /^\s*([\w-]{1,100})\s*=\s*([\x21-\x7e][\x20-\x7e]{0,4000})$/;

/** `name=value`, separated by commas, values as in addresses (`%20`). Throws INVALID_ARGUMENT, and repeats none of it. */
export function parseOtlpHeaders(text: string): Readonly<Record<string, string>> {
	const parts = text.split(",").filter((part) => part.trim() !== "");
	return Object.fromEntries(
		parts.map((part) => {
			const [, name = "", value = ""] = HEADER.exec(part) ?? [];
			const read = decode(value.trim());
			if (name !== "" && read !== undefined) return [name.toLowerCase(), read];
			throw invalidSetting(
				"TOLLGRAPH_OTLP_HEADERS and <data>/keys/otlp-headers hold headers as name=value, separated by commas.",
			);
		}),
	);
}

/** Undefined for what no header may hold. */
function decode(text: string): string | undefined {
	try {
		const read = decodeURIComponent(text);
		return /^[\x20-\x7e]+$/.test(read) ? read : undefined;
	} catch {
		return undefined;
	}
}
