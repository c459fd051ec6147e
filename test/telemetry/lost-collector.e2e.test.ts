import { once } from "node:events";
import { createServer } from "node:http";
import t from "tap";
import { listenOnLoopback } from "../support/listen-on-loopback.js";
import { otlpTo, startCollector, startMeasured } from "./measured-shop.js";

const LOST = "the collector takes no telemetry; it is dropped until it does";

/** Messages of the log, those of failures first. */
function createNotes() {
	const errors: string[] = [];
	const logger = {
		info: () => undefined,
		error: (message: string) => void errors.push(message),
	};
	return { errors, logger };
}

t.test("a collector that cannot be reached fails no call, and is noted once", async (t) => {
	const unused = createServer();
	const port = await listenOnLoopback(t, unused);
	unused.close();
	await once(unused, "close");
	const { errors, logger } = createNotes();
	const shop = await startMeasured(t, otlpTo(`http://127.0.0.1:${port}`), { logger });
	const { token } = await shop.issueSpt("5.00");
	for (const _ of [1, 2, 3]) t.equal((await shop.search({ token })).status, 200);
	await shop.close();
	t.same(errors, [LOST]);
});

t.test("a collector that refuses what it is sent is noted as well", async (t) => {
	const collector = await startCollector(t, { status: 503 });
	const { errors, logger } = createNotes();
	const shop = await startMeasured(t, otlpTo(collector.endpoint), { logger });
	await shop.search();
	await shop.close();
	t.same(errors, [LOST]);
	t.ok(collector.received.length >= 2, "traces and metrics were sent");
});

t.test("a collector that never answers holds up neither a call nor the end", async (t) => {
	const asked: string[] = [];
	const silent = createServer((req) => void asked.push(req.url ?? ""));
	const port = await listenOnLoopback(t, silent);
	const shop = await startMeasured(t, otlpTo(`http://127.0.0.1:${port}`));
	const { token } = await shop.issueSpt("5.00");
	t.equal((await shop.search({ token })).status, 200);
	await t.resolves(shop.close(), "the end does not wait for it");
	t.same([...asked].sort(), ["/v1/metrics", "/v1/traces"]);
});
