import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Test } from "tap";

const REQUIREMENT = {
	scheme: "exact",
	network: "eip155:8453",
	amount: "250000",
	asset: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
	payTo: `0x${"ab".repeat(20)}`,
	maxTimeoutSeconds: 60,
	extra: { name: "USD Coin", version: "2" },
};

export interface Answered {
	readonly status?: number;
	readonly headers?: Readonly<Record<string, string>>;
	readonly body?: unknown;
}

/** A 402 as it should be, for a route that costs 0.25 USD. */
export function goodChallenge(path: string, changes: object = {}): Answered {
	const challenge = {
		x402Version: 2,
		error: "Payment required",
		resource: { url: path, description: "A thing", mimeType: "application/json" },
		accepts: [{ ...REQUIREMENT, ...changes }],
	};
	return {
		status: 402,
		headers: {
			"Cache-Control": "no-store",
			"PAYMENT-REQUIRED": Buffer.from(JSON.stringify(challenge)).toString("base64"),
		},
		body: {},
	};
}

export type Answers = Readonly<Record<string, Answered | undefined>>;

export interface ForeignServer {
	readonly origin: string;
	/** "METHOD path", in order. */
	readonly asked: string[];
}

/** A server on loopback that answers "METHOD path" from a table, and 404 to the rest. */
export async function startForeign(
	t: Test,
	answersAt: (origin: string) => Answers,
): Promise<ForeignServer> {
	const asked: string[] = [];
	let answers: Answers = {};
	const listener = (req: IncomingMessage, res: ServerResponse) => {
		req.resume();
		const line = `${req.method} ${req.url}`;
		asked.push(line);
		const { status = 200, headers = {}, body } = answers[line] ?? { status: 404, body: {} };
		res.writeHead(status, { "Content-Type": "application/json", ...headers });
		res.end(body === undefined ? undefined : JSON.stringify(body));
	};
	const server = createServer(listener).listen(0, "127.0.0.1");
	t.teardown(() => {
		server.closeAllConnections();
		server.close();
	});
	await once(server, "listening");
	const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	answers = answersAt(origin);
	return { origin, asked };
}

/** An OpenAPI document with one priced operation per path. */
export function priced(paths: Readonly<Record<string, { get?: object; post?: object }>>): Answered {
	return { body: { openapi: "3.1.0", paths } };
}
