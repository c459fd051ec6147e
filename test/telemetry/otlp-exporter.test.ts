import { setImmediate } from "node:timers/promises";
import t from "tap";
import { createConfiguredEgress } from "../../src/delivery/configured-egress.js";
import type { Egress } from "../../src/kernel/outbound.js";
import { createOtlpExporter, createOtlpPost } from "../../src/telemetry/otlp-exporter.js";
import { startCollector } from "./measured-shop.js";

function createNotes() {
	const lines: string[] = [];
	const logger = {
		info: (message: string) => void lines.push(message),
		error: (message: string, fields: object = {}) =>
			void lines.push(`${message}: ${JSON.stringify(fields)}`),
	};
	return { lines, logger };
}

t.test("a collector that refuses is noted once, and once that it is over", async (t) => {
	const { lines, logger } = createNotes();
	const statuses = [200, 503, 401, 200, 202, 500];
	const urls: string[] = [];
	const egress: Egress = {
		async request({ url }) {
			urls.push(url);
			return new Response(null, { status: statuses.shift() ?? 200 });
		},
	};
	const { signal } = new AbortController();
	const endpoint = "https://otlp.example/base";
	const post = createOtlpPost({ egress, endpoint, headers: {}, logger, signal });
	await post("traces", "{}");
	t.same(urls, ["https://otlp.example/base/v1/traces"]);
	await t.rejects(post("metrics", "{}"), { code: "UNAVAILABLE" });
	await t.rejects(post("metrics", "{}"));
	await post("metrics", "{}");
	await post("metrics", "{}");
	await t.rejects(post("metrics", "{}"));
	t.equal(lines.length, 3);
	t.match(lines[0], /takes no telemetry.*503/);
	t.match(lines[1], /takes telemetry again/);
	t.match(lines[2], /takes no telemetry.*500/);
});

t.test("many requests at once need no more than one signal", async (t) => {
	const warnings: Error[] = [];
	const note = (warning: Error) => void warnings.push(warning);
	process.on("warning", note);
	t.teardown(() => process.off("warning", note));
	const { endpoint, received } = await startCollector(t);
	const egress = createConfiguredEgress({ urls: [endpoint] });
	const { logger } = createNotes();
	const { signal } = new AbortController();
	const post = createOtlpPost({ egress, endpoint, headers: {}, logger, signal });
	await Promise.all(Array.from({ length: 30 }, () => post("traces", "{}")));
	await setImmediate();
	t.equal(received.length, 30);
	t.same(warnings, []);
});

t.test("what the SDK hands over is taken or dropped, and flushed in the end", async (t) => {
	const results: unknown[] = [];
	let isDown = false;
	const sent: string[] = [];
	const serializer = {
		serializeRequest: (items: readonly string[]) =>
			items.length === 0 ? undefined : Buffer.from(JSON.stringify(items)),
	};
	const exporter = createOtlpExporter(serializer, async (body) => {
		await setImmediate();
		if (isDown) throw new Error("down");
		sent.push(body);
	});
	exporter.export(["one"], (result) => void results.push(result));
	exporter.export([], (result) => void results.push(result));
	await exporter.forceFlush();
	t.same(sent, ['["one"]']);
	t.same(results, [{ code: 0 }, { code: 0 }]);
	isDown = true;
	exporter.export(["two"], (result) => void results.push(result));
	await exporter.shutdown();
	t.match(results.at(-1), { code: 1, error: { message: "down" } });
});
