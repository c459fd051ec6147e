import type { PublicClient } from "viem";
import { LIMITS } from "../../src/contract/contract.js";
import { type Egress, isRecord, readJson, ServiceError } from "../../src/kernel/kernel.js";
import { chainIdOf } from "../onchain/onchain.js";

/** viem's client for one chain. Loaded on first use: viem takes a third of a second that no start should pay for. */
export type GetEvmClient = () => Promise<PublicClient>;

/** What is used here of ERC-20 and EIP-3009. */
export async function loadTokenAbi() {
	const { parseAbi } = await import("viem");
	return parseAbi([
		"function authorizationState(address authorizer, bytes32 nonce) view returns (bool)",
		"function balanceOf(address account) view returns (uint256)",
		"function decimals() view returns (uint8)",
		"function transfer(address to, uint256 value) returns (bool)",
		"event Transfer(address indexed from, address indexed to, uint256 value)",
		"event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)",
		"event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)",
	]);
}

/** Rejects with UPSTREAM when the node speaks for another chain: money must not be looked for on the wrong one. */
export function createEvmClient({ rpc, network }: { rpc: EvmRpc; network: string }): GetEvmClient {
	let opened: Promise<PublicClient> | undefined;
	const open = async () => {
		const answered = Number(await rpc.get("eth_chainId"));
		if (answered !== chainIdOf(network)) {
			throw new ServiceError(
				"UPSTREAM",
				`The chain's node answers for eip155:${answered}, not for ${network}.`,
			);
		}
		return connect(rpc);
	};
	return () => {
		opened ??= open().catch((error: unknown) => {
			opened = undefined;
			throw error;
		});
		return opened;
	};
}

/** A transport over our own way out, so that no address is reached that was not configured. */
async function connect(rpc: EvmRpc): Promise<PublicClient> {
	const { createPublicClient, custom, RpcRequestError } = await import("viem");
	const request = async ({ method, params = [] }: { method: string; params?: unknown[] }) => {
		const reply = await rpc.ask(method, params);
		if (reply.kind === "result") return reply.result;
		const { code, message, data } = reply;
		throw new RpcRequestError({ body: { method }, error: { code, message, data }, url: "" });
	};
	// The settler and the reconciler decide what is tried again.
	const transport = custom({ request }, { retryCount: 0 });
	return createPublicClient({ transport });
}

const REVERTS = new Set([
	"ContractFunctionRevertedError",
	"ContractFunctionZeroDataError",
	"ExecutionRevertedError",
]);

/** True when the contract itself said no, or burnt all it was given; false when it could not be asked. */
export function isRevert(error: unknown): boolean {
	for (let cause = error; cause instanceof Error; cause = cause.cause) {
		if (REVERTS.has(cause.name) || cause instanceof TooMuchGas || isOutOfGas(cause)) return true;
	}
	return false;
}

/** Refused before it was signed. */
export class TooMuchGas extends ServiceError {
	constructor() {
		super(
			"UPSTREAM",
			`The transaction would burn more than ${LIMITS.settleGasMax} gas and was not sent.`,
			{ retryable: false },
		);
		this.name = "TooMuchGas";
	}
}

/** Nodes have no code of their own for it. */
export function isOutOfGas(error: unknown): boolean {
	return error instanceof Error && /out ?of ?gas|gas required exceeds/i.test(error.message);
}

/** What a node answered; only nodes that answer nothing of the kind make a call reject. */
export type RpcReply =
	| { readonly kind: "result"; readonly result: unknown }
	| {
			readonly kind: "error";
			readonly code: number;
			readonly message: string;
			readonly data?: unknown;
	  };

export type EvmRpc = ReturnType<typeof createEvmRpc>;

/** JSON-RPC of one node. The address may hold a key, so no message repeats it. */
export function createEvmRpc({ egress, url }: { egress: Egress; url: string }) {
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
		/** The node's answer, errors included. Rejects with UNAVAILABLE without an answer, UPSTREAM for a malformed one. */
		ask,
		/** The result alone. Throws UPSTREAM when the node refuses. */
		async get(method: string, params: readonly unknown[] = []): Promise<unknown> {
			const reply = await ask(method, params);
			if (reply.kind === "result") return reply.result;
			throw new ServiceError("UPSTREAM", `The chain refused ${method}: ${reply.message}.`);
		},
	};
}

function parseReply(text: string): RpcReply | undefined {
	const reply = readJson(text);
	if (!isRecord(reply)) return undefined;
	const error = reply["error"];
	if (typeof error === "object" && error !== null) {
		const { code, message, data } = error as Record<string, unknown>;
		if (typeof code !== "number" || typeof message !== "string") return undefined;
		return { kind: "error", code, message, ...(data !== undefined && { data }) };
	}
	return "result" in reply ? { kind: "result", result: reply["result"] } : undefined;
}

function nonsense(method: string, status: number): ServiceError {
	return new ServiceError(
		"UPSTREAM",
		`The chain's node answered ${method} with status ${status} and no JSON-RPC.`,
	);
}
