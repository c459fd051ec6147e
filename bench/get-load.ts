import { Agent, request } from "node:http";
import { connect, type TcpNetConnectOpts } from "node:net";
import { platform } from "node:os";
import type { LoadResult } from "./load.js";

export interface GetPlan {
	readonly baseUrl: string;
	/** One request each; the load ends when all are answered. */
	readonly paths: readonly string[];
	readonly connections: number;
}

export interface GetResult extends LoadResult {
	/** Bodies only. */
	readonly bytes: number;
}

let addresses = 0;

/** Callers from addresses of their own, where loopback has more than one: what one address may ask is bounded. */
function createCallers(connections: number): Agent {
	const agent = new Agent({ keepAlive: true, maxSockets: connections });
	if (platform() !== "linux") return agent;
	agent.createConnection = (options) => {
		addresses += 1;
		const localAddress = `127.1.${(addresses >> 8) & 255}.${addresses & 255}`;
		return connect({ ...(options as TcpNetConnectOpts), localAddress });
	};
	return agent;
}

/** Asks for every path once over kept-alive loopback connections, each caller again as soon as it has its answer. */
export async function sendGets({ baseUrl, paths, connections }: GetPlan): Promise<GetResult> {
	const agent = createCallers(connections);
	const { hostname, port } = new URL(baseUrl);
	const latenciesMs: number[] = [];
	const statuses: Record<string, number> = {};
	let [next, bytes] = [0, 0];
	const get = (path: string) =>
		new Promise<number>((resolve, reject) => {
			const call = request({ agent, hostname, port, path }, (response) => {
				response.on("data", (chunk: Buffer) => {
					bytes += chunk.length;
				});
				response.on("error", reject);
				response.on("end", () => resolve(response.statusCode ?? 0));
			});
			call.on("error", reject);
			call.end();
		});
	const caller = async () => {
		for (let index = next++; index < paths.length; index = next++) {
			const startedMs = performance.now();
			const status = await get(paths[index] ?? "/");
			latenciesMs.push(performance.now() - startedMs);
			statuses[status] = (statuses[status] ?? 0) + 1;
		}
	};
	const startedMs = performance.now();
	await Promise.all(Array.from({ length: connections }, caller));
	agent.destroy();
	latenciesMs.sort((a, b) => a - b);
	const seconds = (performance.now() - startedMs) / 1000;
	return { requests: paths.length, seconds, latenciesMs, statuses, bytes };
}
