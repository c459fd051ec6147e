import { once } from "node:events";
import { join } from "node:path";
import t from "tap";
import { startServerProcess } from "../support/server-process.js";
import { parseSeries, startCollector, sumOf } from "./measured-shop.js";

const LIGHT = ["--model", "none", "--judge", "none", "--facilitator", "off"];

t.test(
	"a server as it is shipped says where metrics are, and sends the rest at its end",
	async (t) => {
		const collector = await startCollector(t);
		const data = join(t.testdir(), "data");
		const measured = ["--metrics-port", "0", "--otlp-endpoint", collector.endpoint];
		const { child, ready } = await startServerProcess(["--data", data, ...LIGHT, ...measured]);
		t.teardown(() => child.kill("SIGKILL"));
		const { metrics_url } = ready as typeof ready & { readonly metrics_url: string };
		t.match(metrics_url, /^http:\/\/127\.0\.0\.1:\d+\/metrics$/);
		const bought = await fetch(`${ready.base_url}/v1/graphs/agent-payments/search`, {
			method: "POST",
			headers: { "Content-Type": "application/json", "X-Pay-SPT": ready.demo_spt },
			body: JSON.stringify({ query: "Which HTTP status code asks for payment?" }),
		});
		t.equal(bought.status, 200);
		const series = parseSeries(await (await fetch(metrics_url)).text());
		t.equal(sumOf(series, "tollgraph_captures_total"), 1);
		const exited = once(child, "exit");
		child.kill("SIGTERM");
		t.same(await exited, [0, null]);
		t.ok(collector.spans().some(({ name }) => name === "call graphs.search"));
		t.ok(collector.metricNames().has("tollgraph_captures_total"));
	},
);
