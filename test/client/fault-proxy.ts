import { once } from "node:events";
import {
	createServer,
	type IncomingMessage,
	request as openRequest,
	type ServerResponse,
} from "node:http";
import { buffer } from "node:stream/consumers";
import type { Test } from "tap";
import { listenOnLoopback } from "../support/listen-on-loopback.js";

export interface ProxiedRequest {
	readonly method: string;
	readonly path: string;
	readonly headers: IncomingMessage["headers"];
	readonly body: string;
}

/** What becomes of one request. */
export type Fault =
	/** The server works and answers; its answer is lost, all or behind a text. */
	| { readonly kind: "lose"; readonly behind?: string }
	/** The server's answer stops behind a text, and the connection stays open. */
	| { readonly kind: "stall"; readonly behind: string }
	/** The server never hears of it. */
	| { readonly kind: "break" }
	/** Another answer instead of the server's, which never hears of it. */
	| {
			readonly kind: "answer";
			readonly status: number;
			readonly headers?: Readonly<Record<string, string>>;
			readonly body?: string | Buffer;
	  }
	/** The server works; what it says is changed on the way. */
	| { readonly kind: "change"; readonly change: (body: string) => string }
	/** Nothing comes back until the client leaves. */
	| { readonly kind: "hold"; readonly onCame: () => void };

export interface FaultProxy {
	readonly url: string;
	/** What came, in order; the latest last. */
	readonly requests: readonly ProxiedRequest[];
	/** Decides about requests from now on; undefined passes one on. */
	decide(next: (request: ProxiedRequest) => Fault | undefined): void;
}

/** Stands between a client and a server, and spoils what a test says. */
export async function startFaultProxy(t: Test, target: string): Promise<FaultProxy> {
	const requests: ProxiedRequest[] = [];
	let next: (request: ProxiedRequest) => Fault | undefined = () => undefined;
	const server = createServer((req, res) => {
		void serve(req, res).catch(() => res.destroy());
	});
	const serve = async (req: IncomingMessage, res: ServerResponse) => {
		const { method = "GET", url: path = "/", headers } = req;
		const body = await buffer(req);
		const came = { method, path, headers, body: body.toString() };
		requests.push(came);
		await answer(res, { target, came, fault: next(came) });
	};
	const port = await listenOnLoopback(t, server);
	return {
		url: `http://127.0.0.1:${port}`,
		requests,
		decide(decision) {
			next = decision;
		},
	};
}

async function answer(
	res: ServerResponse,
	{ target, came, fault }: { target: string; came: ProxiedRequest; fault: Fault | undefined },
): Promise<void> {
	switch (fault?.kind) {
		case "break":
			res.destroy();
			return;
		case "hold":
			fault.onCame();
			return;
		case "answer":
			res.writeHead(fault.status, { "Content-Type": "application/json", ...fault.headers });
			res.end(fault.body ?? "");
			return;
		default:
			await passOn(res, await ask(res, target, came), fault);
	}
}

/** The server's own answer; it is told when the client leaves. */
async function ask(
	res: ServerResponse,
	target: string,
	{ method, path, headers, body }: ProxiedRequest,
): Promise<IncomingMessage> {
	const upstream = openRequest(new URL(path, target), { method, headers, agent: false });
	res.once("close", () => upstream.destroy());
	upstream.on("error", () => res.destroy());
	upstream.end(body);
	const [reply] = (await once(upstream, "response")) as [IncomingMessage];
	return reply;
}

async function passOn(
	res: ServerResponse,
	reply: IncomingMessage,
	fault: Exclude<Fault, { kind: "break" | "hold" | "answer" }> | undefined,
): Promise<void> {
	const { statusCode: status = 500, headers } = reply;
	if (fault?.kind === "change") {
		const changed = fault.change((await buffer(reply)).toString());
		const { "content-length": _, ...others } = headers;
		res.writeHead(status, others).end(changed);
		return;
	}
	if (fault?.behind !== undefined) {
		const end = fault.kind === "lose" ? () => res.destroy() : () => undefined;
		res.writeHead(status, headers);
		await passUpTo(res, reply, { text: fault.behind, end });
		return;
	}
	if (fault?.kind === "lose") {
		await buffer(reply);
		res.destroy();
		return;
	}
	res.writeHead(status, headers);
	reply.pipe(res);
}

/** Passes on what comes up to the end of a text. */
async function passUpTo(
	res: ServerResponse,
	reply: IncomingMessage,
	{ text: wanted, end }: { text: string; end: () => void },
): Promise<void> {
	let text = "";
	let passed = 0;
	for await (const chunk of reply) {
		text += String(chunk);
		const place = text.indexOf(wanted);
		const until = place < 0 ? text.length : place + wanted.length;
		res.write(text.slice(passed, until), () => place >= 0 && end());
		passed = until;
		if (place >= 0) return;
	}
	res.end();
}
