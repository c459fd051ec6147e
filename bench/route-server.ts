/** The measured side, a process of its own: three routes, and its CPU time on request. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import { createApp } from "../src/app/create-app.js";
import { formatUsd } from "../src/kernel/money.js";
import { generateGraph } from "./generated-graph.js";

export interface ServerReady {
	readonly bareUrl: string;
	readonly freeUrl: string;
	readonly paidUrl: string;
	readonly token: string;
}

const GRAPH_ID = "generated";
const folder = process.argv[2] ?? "";
const concepts = Number(process.argv[3]);

const settings = {
	profile: "demo",
	host: "127.0.0.1",
	port: 0,
	catalog: "none",
	model: "bundled",
	judge: "none",
	publicUrl: undefined,
	onchain: { facilitator: "off" },
} as const;
const silent = { info: () => undefined, error: () => undefined };

async function startShop(name: string, usd: string): Promise<{ url: string; token: string }> {
	const app = await createApp({
		settings: {
			...settings,
			data: `${folder}/${name}`,
			prices: {
				"graphs.search": {
					amountMicros: BigInt(Math.round(Number(usd) * 1e6)),
					billingType: "per_call",
				},
			},
		},
		logger: silent,
	});
	app.catalog.put(generateGraph(GRAPH_ID, concepts));
	await app.ready();
	const server = await app.listen({ host: "127.0.0.1", port: 0 });
	const { token } = await app.operator.issueSpt({ usd: formatUsd(9_000_000_000n) });
	return { url: `http://127.0.0.1:${server.port}/v1/graphs/${GRAPH_ID}/search`, token };
}

async function startBare(): Promise<string> {
	const app = express();
	app.post("/bare", express.json(), (_request, response) => void response.json({ ok: true }));
	const server = createServer(app);
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}/bare`;
}

const free = await startShop("free", "0");
const paid = await startShop("paid", "0.50");
process.on("message", () => process.send?.({ cpu: process.cpuUsage() }));
const ready: ServerReady = {
	bareUrl: await startBare(),
	freeUrl: free.url,
	paidUrl: paid.url,
	token: paid.token,
};
process.send?.({ ready });
