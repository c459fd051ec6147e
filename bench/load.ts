import { Agent, request } from "node:http";
import { round } from "./figures.js";

export interface LoadResult {
	readonly requests: number;
	readonly seconds: number;
	/** Of each answer, ascending. */
	readonly latenciesMs: readonly number[];
	readonly statuses: Readonly<Record<string, number>>;
}

export interface LoadPlan {
	readonly url: string;
	readonly headers: Readonly<Record<string, string>>;
	/** One request each; the load ends when all are answered. */
	readonly bodies: readonly string[];
	readonly connections: number;
	/** What an answer counts as in the statuses, where its number does not say it all; the number by default. */
	readonly nameOutcome?: (status: number, body: string) => string;
}

/** Sends every body once over kept-alive loopback connections; bounded by the number of bodies. */
export async function sendLoad({
	url,
	headers,
	bodies,
	connections,
	nameOutcome,
}: LoadPlan): Promise<LoadResult> {
	const agent = new Agent({ keepAlive: true, maxSockets: connections });
	const latencies: number[] = [];
	const statuses: Record<string, number> = {};
	let next = 0;
	const worker = async () => {
		for (let index = next++; index < bodies.length; index = next++) {
			const startedMs = performance.now();
			const [code, body] = await post(agent, url, headers, bodies[index] ?? "", nameOutcome);
			latencies.push(performance.now() - startedMs);
			const status = nameOutcome?.(code, body) ?? String(code);
			statuses[status] = (statuses[status] ?? 0) + 1;
		}
	};
	const startedMs = performance.now();
	await Promise.all(Array.from({ length: connections }, worker));
	agent.destroy();
	latencies.sort((a, b) => a - b);
	return {
		requests: bodies.length,
		seconds: round((performance.now() - startedMs) / 1000),
		latenciesMs: latencies,
		statuses,
	};
}

function post(
	agent: Agent,
	url: string,
	headers: Readonly<Record<string, string>>,
	body: string,
	isRead: unknown,
): Promise<[status: number, body: string]> {
	return new Promise((resolve, reject) => {
		const call = request(
			url,
			{
				agent,
				method: "POST",
				headers: {
					"Content-Type": "application/json",
					"Content-Length": Buffer.byteLength(body),
					...headers,
				},
			},
			(response) => {
				response.on("error", reject);
				let answer = "";
				if (isRead) response.setEncoding("utf8").on("data", (text) => (answer += text));
				response.on("end", () => resolve([response.statusCode ?? 0, answer]));
				response.resume();
			},
		);
		call.on("error", reject);
		call.end(body);
	});
}
