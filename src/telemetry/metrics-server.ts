import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { isLoopback, listen, type RunningServer } from "../http/http.js";
import type { Clock } from "../kernel/kernel.js";

export interface MetricsServer extends RunningServer {
	readonly url: string;
}

const TEXT = "text/plain; version=0.0.4; charset=utf-8";

/** `/metrics` on a port of its own, where no caller comes. Throws UNAVAILABLE where the port is taken. */
export async function listenForScrapes(
	scrape: () => Promise<string>,
	{ host, port, clock }: { readonly host: string; readonly port: number; readonly clock: Clock },
): Promise<MetricsServer> {
	const server = await listen(createScrapeHandler(scrape, host), { host, port, clock });
	const shown = host.includes(":") ? `[${host}]` : host;
	return { ...server, url: `http://${shown}:${server.port}/metrics` };
}

function createScrapeHandler(scrape: () => Promise<string>, host: string): RequestListener {
	return (req, res) => {
		// A page in a browser on this machine can be made to ask us by a name of its own.
		if (isLoopback(host) && !isLoopback(hostOf(req))) {
			return send(res, 403, "Metrics are read by the address that they are served at.\n");
		}
		const [path] = (req.url ?? "").split("?");
		if (path !== "/metrics") return send(res, 404, "Metrics are at /metrics.\n");
		if (req.method !== "GET" && req.method !== "HEAD") {
			res.setHeader("Allow", "GET, HEAD");
			return send(res, 405, "Metrics are read with GET.\n");
		}
		void scrape().then(
			(text) => send(res, 200, text),
			() => send(res, 500, "Metrics could not be read.\n"),
		);
	};
}

function hostOf({ headers }: IncomingMessage): string {
	const named = `http://${headers.host ?? ""}`;
	return URL.canParse(named) ? new URL(named).hostname.replace(/^\[|\]$/g, "") : "";
}

function send(res: ServerResponse, status: number, text: string): void {
	res.statusCode = status;
	res.setHeader("Content-Type", TEXT);
	res.setHeader("Cache-Control", "no-store");
	res.end(text);
}
