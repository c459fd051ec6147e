import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { credentials } from "@grpc/grpc-js";
import t from "tap";
import { dial } from "../a2a/grpc-client.js";
import { ON_LOOPBACK } from "../a2a/x402-agent.js";
import { createGate } from "../support/gate.js";
import { heldClock } from "../support/held-clock.js";
import { listenOnLoopback } from "../support/listen-on-loopback.js";
import { startApp } from "../support/start-app.js";
import { callThrough, hasProgram, type ProxyServer, startNginx } from "./reverse-proxy.js";

const skip =
	(!hasProgram("nginx", "-v") || !hasProgram("openssl", "version")) &&
	"nginx or openssl is not installed here";

const PRODUCTION = {
	profile: "production",
	model: "none",
	catalog: "none",
	requestsPerMinute: 3,
} as const;

async function remainingOf(proxy: ProxyServer, from: string): Promise<string | undefined> {
	// A caller that says it is someone else each time gains nothing.
	const headers = { "X-Forwarded-For": `192.0.2.${Math.trunc(performance.now()) % 250}` };
	const reply = await callThrough(proxy, { path: "/v1/offerings", from, headers });
	reply.resume();
	const left = /r=(\d+)/.exec(String(reply.headers["ratelimit"]))?.[1];
	return `${reply.statusCode}, ${left} left`;
}

t.test("behind nginx each caller has a rate limit of its own", { skip }, async (t) => {
	const clock = heldClock();
	const { baseUrl } = await startApp(t, { clock, settings: PRODUCTION });
	clock.hold();
	const proxy = await startNginx(t, { port: Number(new URL(baseUrl).port) });
	t.equal(await remainingOf(proxy, "127.0.0.2"), "200, 2 left");
	t.equal(await remainingOf(proxy, "127.0.0.2"), "200, 1 left");
	t.equal(await remainingOf(proxy, "127.0.0.2"), "200, 0 left");
	t.equal(await remainingOf(proxy, "127.0.0.2"), "429, 0 left");
	t.equal(await remainingOf(proxy, "127.0.0.3"), "200, 2 left", "another one is not in its way");
});

t.test("nginx passes each event of a stream on as it comes", { skip }, async (t) => {
	const gate = createGate();
	const server = createServer(async (_, res) => {
		res.writeHead(200, { "Content-Type": "text/event-stream" });
		res.write("data: first\n\n");
		await gate.pass();
		res.end("data: second\n\n");
	});
	const proxy = await startNginx(t, { port: await listenOnLoopback(t, server) });
	const events: string[] = [];
	for await (const chunk of await callThrough(proxy, { path: "/v1/stream" })) {
		events.push(String(chunk));
		// The second one is not written before the first has arrived.
		gate.open();
	}
	t.same(events, ["data: first\n\n", "data: second\n\n"]);
});

t.test("nginx passes A2A over gRPC on", { skip }, async (t) => {
	const settings = { ...PRODUCTION, grpc: ON_LOOPBACK };
	const { baseUrl, grpcUrl = "" } = await startApp(t, { settings });
	const grpcPort = Number(new URL(`http://${grpcUrl}`).port);
	const proxy = await startNginx(t, { port: Number(new URL(baseUrl).port), grpcPort });
	const channel = credentials.createSsl(readFileSync(proxy.certificate));
	const call = dial(t, `localhost:${proxy.port}`, channel);
	const { code, reason } = await call("getTask", { tenant: "", id: "task_unknown" });
	t.match({ code, reason }, { code: 16, reason: "UNAUTHENTICATED" });
});
