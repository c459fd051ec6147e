import { LIMITS } from "../../src/contract/contract.js";
import { type Egress, ServiceError } from "../../src/kernel/kernel.js";

/** What a node answered; only nodes that answer nothing of the kind make a call reject. */
export type RpcReply =
	| { readonly kind: "result"; readonly result: unknown }
	| {
			readonly kind: "error";
			readonly code: number;
			readonly message: string;
			readonly data?: unknown;
	  };

export interface EvmRpc {
	/** The node's answer, errors included. Rejects with UNAVAILABLE when nobody answers, UPSTREAM for nonsense. */
	ask(method: string, params: readonly unknown[]): Promise<RpcReply>;
	/** The result alone. Throws UPSTREAM when the node refuses. */
	get(method: string, params?: readonly unknown[]): Promise<unknown>;
}

/** JSON-RPC of one node. The address may hold a key, so no message repeats it. */
export function createEvmRpc({ egress, url }: { egress: Egress; url: string }): EvmRpc {
	let lastId = 0;
	const ask = async (method: string, params: readonly unknown[]): Promise<RpcReply> => {
		lastId += 1;
		const response = await egress.request({
			method: "POST",
			url,
			headers: { "Content-Type": "application/json" },
			body: JSON.stringify({ jsonrpc: "2.0", id: lastId, method, params }),
			timeoutMs: LIMITS.rpcTimeoutMs,
		});
		const text = await response.text();
		return parseReply(text) ?? Promise.reject(nonsense(method, response.status));
	};
	return {
		ask,
		async get(method, params = []) {
			const reply = await ask(method, params);
			if (reply.kind === "result") return reply.result;
			throw new ServiceError("UPSTREAM", `The chain refused ${method}: ${reply.message}.`);
		},
	};
}

function parseReply(text: string): RpcReply | undefined {
	const reply = parseObject(text);
	if (!reply) return undefined;
	const error = reply["error"];
	if (typeof error === "object" && error !== null) {
		const { code, message, data } = error as Record<string, unknown>;
		if (typeof code !== "number" || typeof message !== "string") return undefined;
		return { kind: "error", code, message, ...(data !== undefined && { data }) };
	}
	return "result" in reply ? { kind: "result", result: reply["result"] } : undefined;
}

function parseObject(text: string): Record<string, unknown> | undefined {
	try {
		const value: unknown = JSON.parse(text);
		return typeof value === "object" && value !== null && !Array.isArray(value)
			? (value as Record<string, unknown>)
			: undefined;
	} catch {
		return undefined;
	}
}

function nonsense(method: string, status: number): ServiceError {
	return new ServiceError(
		"UPSTREAM",
		`The chain's node answered ${method} with status ${status} and no JSON-RPC.`,
	);
}
