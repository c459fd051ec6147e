import { isLoopback } from "../http/http.js";
import { invalidSetting } from "../kernel/kernel.js";

/** A2A over gRPC, on a port of its own. */
export interface GrpcSettings {
	readonly port: number;
	/** Files in PEM; none on loopback. */
	readonly tls: { readonly certificate: string; readonly key: string } | undefined;
	/** Host and port that the agent card names. */
	readonly publicUrl: string | undefined;
}

export const GRPC_SETTINGS = {
	grpc_port:
		"Port that A2A over gRPC listens on, at `host`; 0 takes any free one. Without it gRPC is not offered.",
	grpc_tls_cert:
		"File with the certificate chain of gRPC, in PEM; needed with `grpc_tls_key` unless `host` is loopback.",
	grpc_tls_key: "File with its private key, in PEM.",
	grpc_public_url:
		"Host and port under which callers reach gRPC, for the agent card, e.g. `grpc.example.com:443`: by default the host of `public_url`, or `host`, with `grpc_port`.",
} as const;

/** Undefined where no port is set. Throws INVALID_ARGUMENT. */
export function parseGrpcSettings(
	text: (key: keyof typeof GRPC_SETTINGS) => string,
	{ host, publicUrl }: { readonly host: string; readonly publicUrl: string | undefined },
	parsePort: (text: string) => number,
): GrpcSettings | undefined {
	const keys = Object.keys(GRPC_SETTINGS) as (keyof typeof GRPC_SETTINGS)[];
	if (text("grpc_port") === "") {
		const lone = keys.find((key) => text(key) !== "");
		if (lone) throw invalidSetting(`${lone} needs grpc_port, the port that gRPC listens on.`);
		return undefined;
	}
	const port = parsePort(text("grpc_port"));
	const [certificate, key] = [text("grpc_tls_cert"), text("grpc_tls_key")];
	if ((certificate === "") !== (key === "")) {
		throw invalidSetting("grpc_tls_cert and grpc_tls_key belong together; set both or neither.");
	}
	const tls = certificate === "" ? undefined : { certificate, key };
	assertPrivate(host, tls);
	return {
		port,
		tls,
		publicUrl: parseTarget(text("grpc_public_url")) ?? besideHttp(publicUrl, port),
	};
}

/** Throws INVALID_ARGUMENT where others than this machine could call without TLS. */
export function assertPrivate(host: string, tls: GrpcSettings["tls"]): void {
	if (tls || isLoopback(host)) return;
	throw invalidSetting(
		`gRPC on "${host}" would carry credentials in the clear: set grpc_tls_cert and grpc_tls_key, or listen on 127.0.0.1 behind a proxy that ends TLS.`,
	);
}

const TARGET = /^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\]):(\d{1,5})$/i;

function parseTarget(text: string): string | undefined {
	if (text === "") return undefined;
	const port = Number(TARGET.exec(text)?.[1]);
	if (port >= 1 && port <= 65_535) return text;
	throw invalidSetting(
		`"${text}" is no grpc_public_url; write host and port, like grpc.example.com:443.`,
	);
}

/** Of a port that is chosen at the start, nothing can be said before. */
function besideHttp(publicUrl: string | undefined, port: number): string | undefined {
	return publicUrl === undefined || port === 0
		? undefined
		: `${new URL(publicUrl).hostname}:${port}`;
}
