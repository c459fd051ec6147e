import { createServer, type ServerResponse } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import type { Test } from "tap";
import { LIMITS } from "../../src/contract/limits.js";
import {
	type CallerReach,
	createCallerEgress,
	type DialTarget,
} from "../../src/delivery/caller-egress.js";
import { listenOnLoopback } from "../support/listen-on-loopback.js";

export const PUBLIC = "8.8.8.8";

const answerShortly = (res: ServerResponse) =>
	res.setHeader("Content-Type", "text/plain").end("taken");

const ANSWERS: Readonly<Record<string, (res: ServerResponse) => void>> = {
	"/away": (res) => res.writeHead(302, { Location: "https://127.0.0.1/" }).end(),
	"/long": (res) => res.end(Buffer.alloc(LIMITS.callerReplyBytes + 1)),
	"/full": (res) => res.end(Buffer.alloc(LIMITS.callerReplyBytes)),
	"/heads": (res) => res.setHeader("X-Big", "x".repeat(9_000)).end(),
	"/slow": (res) => res.write("half"),
	"/nothing": (res) => res.writeHead(204).end(),
};

/** The egress as it is, but for the cable: what it sends to a public address arrives here. */
export async function startPublicHook(t: Test, reach: CallerReach = {}) {
	const dialled: DialTarget[] = [];
	const seen: {
		method: string | undefined;
		url: string | undefined;
		raw: string[];
		body: string;
	}[] = [];
	const server = createServer(async (req, res) => {
		const body = await text(req);
		seen.push({ method: req.method, url: req.url, raw: req.rawHeaders, body });
		const answer = ANSWERS[req.url ?? ""] ?? answerShortly;
		answer(res);
	});
	const port = await listenOnLoopback(t, server);
	const egress = createCallerEgress({
		resolve: async () => [PUBLIC, "2606:4700::1111"],
		dial: (target) => {
			dialled.push(target);
			return connect(port, "127.0.0.1");
		},
		...reach,
	});
	return { egress, dialled, seen };
}
