/** What stands between a client that cannot pay and a server that sells. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
	createServer,
	type IncomingHttpHeaders,
	type IncomingMessage,
	request,
	type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { X402_EXTENSION_URI } from "../../../agent-card/build-agent-card.js";

interface Target {
	readonly origin: string;
	/** Pays for everything but what is meant to wait for a payment. */
	readonly token: string;
}

export interface TokenProxy {
	readonly url: string;
	/** Where requests go from now on, and what pays for them. */
	forward(to: Target): void;
	close(): void;
}

/** Listens on loopback; what comes before it knows where to send things is answered with 503. */
export async function startTokenProxy(): Promise<TokenProxy> {
	let target: Target | undefined;
	const server = createServer((req, res) => {
		if (target) pass(req, res, target).catch(() => res.destroy());
		else res.writeHead(503).end();
	});
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		forward(to) {
			target = to;
		},
		close() {
			server.close();
			server.closeAllConnections();
		},
	};
}

/** Streams the answer; a client that leaves ends the request behind it. */
async function pass(req: IncomingMessage, res: ServerResponse, target: Target): Promise<void> {
	const { method } = req;
	const { body, waits } = adapt(await buffer(req));
	const headers = toHeaders(req.headers, waits ? undefined : target.token);
	const onward = request(`${target.origin}${req.url}`, { method, headers }, (answer) => {
		res.writeHead(answer.statusCode ?? 502, answer.headers);
		answer.pipe(res);
	});
	onward.on("error", () => res.destroy());
	res.on("close", () => onward.destroy());
	onward.end(body);
}

function toHeaders(
	{ host: _, "content-length": __, ...headers }: IncomingHttpHeaders,
	token: string | undefined,
): IncomingHttpHeaders {
	if (token === undefined) return { ...headers, "a2a-extensions": X402_EXTENSION_URI };
	return { ...headers, "x-pay-spt": token };
}

/** The kit names what it wants by these ids: here, a task that waits for its caller. */
const WAITING = /^tck-input-required/;

/**
 * Each message gets an id of its own, because the kit sends several under one, which names one message only. A task that
 * waits is one without a payment.
 */
function adapt(body: Buffer): { readonly body: Buffer; readonly waits: boolean } {
	const asIs = { body, waits: false };
	if (!body.includes('"messageId"')) return asIs;
	let sent: { message?: SentMessage; params?: { message?: SentMessage } };
	try {
		sent = JSON.parse(body.toString());
	} catch {
		return asIs;
	}
	const message = sent.message ?? sent.params?.message;
	if (typeof message?.messageId !== "string") return asIs;
	const waits = WAITING.test(message.messageId);
	const content = createHash("sha256").update(JSON.stringify(message)).digest("hex");
	message.messageId += `-${content.slice(0, 8)}`;
	return { body: Buffer.from(JSON.stringify(sent)), waits };
}

interface SentMessage {
	messageId?: unknown;
}
