/** The whole server as it is shipped, and callers who pay it over REST. */
import { z } from "zod";
import { createApp } from "../../src/app/create-app.js";
import type { Graph } from "../../src/knowledge/model/graph.js";
import { readSettings } from "../../src/settings/read-settings.js";
import { loadFirstCatalog } from "../labelled/first-catalog.js";

/** For one question of all products: more than they cost together. */
const BALANCE_USD = "500.00";

/** A call that a busy machine did not finish in time is free, and may be sent again. */
const BUSY = 503;
const BUSY_TRIES = 3;

export type ProductServer = Awaited<ReturnType<typeof openProductServer>>;
export type Caller = ReturnType<typeof createCaller>;

/** Sells the graphs of the labelled sets, or those that are given in their place. */
export async function openProductServer(folder: string, graphs?: readonly Graph[]) {
	const ways = { port: "0", model: "bundled", judge: "bundled", facilitator: "off" };
	const flags = { data: folder, catalog: "none", ...ways };
	const silent = { info: () => undefined, error: () => undefined };
	const settings = readSettings({ flags, environment: {}, folder });
	const app = await createApp({ settings, logger: silent });
	for (const graph of graphs ?? (await loadFirstCatalog())) app.catalog.put(graph);
	const server = await app.listen({ host: "127.0.0.1", port: 0 });
	await app.ready();
	return {
		graphs: app.catalog.list(),
		/** With a balance of its own. */
		async openCaller() {
			const { token } = await app.operator.issueSpt({ usd: BALANCE_USD });
			return createCaller(`http://127.0.0.1:${server.port}`, token);
		},
		async close() {
			await server.drain();
			await app.close();
		},
	};
}

const soldSchema = z.object({
	data: z.unknown().optional(),
	meta: z.object({ cost: z.object({ charged: z.boolean() }), effort: z.string().optional() }),
});

/** What a caller gets, and what the contract says of the charge. */
export interface Bought {
	readonly isCharged: boolean;
	readonly data: unknown;
	/** Of searches: "best" where the judge has read. */
	readonly effort?: string | undefined;
	/** Where the reply exists as a document. */
	readonly document?: string;
}

/** Throws on every refusal: only an answered call says something about the charge. */
function createCaller(baseUrl: string, token: string) {
	const send = async (path: string, body?: object, tries = BUSY_TRIES): Promise<Response> => {
		const headers = { "X-Pay-SPT": token, "Content-Type": "application/json" };
		const post = body && { method: "POST", body: JSON.stringify(body) };
		const response = await fetch(`${baseUrl}${path}`, { headers, ...post });
		if (response.status !== BUSY || tries <= 1) return response;
		await response.text();
		return send(path, body, tries - 1);
	};
	const assertWell = async (path: string, response: Response): Promise<Response> => {
		if (response.ok) return response;
		throw new Error(`${path}: ${response.status} ${await response.text()}`);
	};
	return {
		send,
		async sendFor(path: string, body?: object): Promise<unknown> {
			return (await assertWell(path, await send(path, body))).json();
		},
		async read(path: string): Promise<string> {
			return (await assertWell(path, await send(path))).text();
		},
		/** What is not there is refused before any payment: no failure where it can be missing. */
		async buy(path: string, body: object, { canBeMissing = false } = {}): Promise<Bought> {
			const response = await send(path, body);
			if (canBeMissing && response.status === 404) return { isCharged: false, data: {} };
			const reply: unknown = await (await assertWell(path, response)).json();
			const { data, meta } = soldSchema.parse(reply);
			return { isCharged: meta.cost.charged, data, effort: meta.effort };
		},
	};
}
