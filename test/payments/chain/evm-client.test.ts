import t from "tap";
import {
	createEvmClient,
	createEvmRpc,
	isOutOfGas,
	isRevert,
	TooMuchGas,
} from "../../../payments/evm/evm-client.js";
import { findRefusal, toExactPayload, toRefusal } from "../../../payments/evm/exact-payload.js";
import { REFUSALS } from "../../../payments/onchain/facilitator.js";
import { LIMITS } from "../../../src/contract/limits.js";
import type { OutboundRequest } from "../../../src/kernel/outbound.js";
import { SIM_TERMS } from "../../support/sim-chain.js";

/** A node that answers with this, and what it was asked. */
function answering(...texts: string[]) {
	const asked: OutboundRequest[] = [];
	const egress = {
		async request(request: OutboundRequest) {
			asked.push(request);
			return new Response(texts.shift() ?? "{}", { status: 503 });
		},
	};
	return { asked, rpc: createEvmRpc({ egress, url: "https://node.example/key" }) };
}

const result = (value: unknown) => JSON.stringify({ jsonrpc: "2.0", id: 1, result: value });
const failure = (error: unknown) => JSON.stringify({ jsonrpc: "2.0", id: 1, error });

t.test("a node is asked by JSON-RPC, each question under a number of its own", async (t) => {
	const { asked, rpc } = answering(result("0x1"), result(null));
	t.same(await rpc.ask("eth_call", ["a", "b"]), { kind: "result", result: "0x1" });
	t.equal(await rpc.get("eth_chainId"), null);
	t.match(asked[0], {
		...{ method: "POST", url: "https://node.example/key", timeoutMs: LIMITS.rpcTimeoutMs },
		headers: { "Content-Type": "application/json" },
	});
	t.same(
		asked.map(({ body = "" }) => JSON.parse(body)),
		[
			{ jsonrpc: "2.0", id: 1, method: "eth_call", params: ["a", "b"] },
			{ jsonrpc: "2.0", id: 2, method: "eth_chainId", params: [] },
		],
	);
});

t.test("what a node refuses is passed on, and what is no answer is named as such", async (t) => {
	const error = { code: -32_000, message: "nonce too low" };
	const { rpc } = answering(failure({ ...error, data: "0x" }), failure(error), failure(error));
	t.strictSame(await rpc.ask("eth_call", []), { kind: "error", ...error, data: "0x" });
	t.strictSame(await rpc.ask("eth_call", []), { kind: "error", ...error });
	await t.rejects(rpc.get("eth_call"), {
		...{ code: "UPSTREAM", message: "The chain refused eth_call: nonce too low." },
	});
	for (const text of ["<html>", "[]", "{}", failure({ code: 1 }), failure({ message: "m" })]) {
		await t.rejects(answering(text).rpc.ask("eth_call", []), {
			code: "UPSTREAM",
			message: "The chain's node answered eth_call with status 503 and no JSON-RPC.",
		});
	}
	t.match(await answering(failure(null).replace("}", ',"result":7}')).rpc.ask("eth_call", []), {
		result: 7,
	});
});

t.test("a node of another chain is asked for nothing, and asked anew the next time", async (t) => {
	const { asked, rpc } = answering(result("0x1"), result("0x14a34"), result("0x10"));
	const getClient = createEvmClient({ rpc, network: "eip155:84532" });
	await t.rejects(getClient(), {
		code: "UPSTREAM",
		message: "The chain's node answers for eip155:1, not for eip155:84532.",
	});
	const client = await getClient();
	t.equal(await client.getBlockNumber({ cacheTime: 0 }), 16n);
	t.equal(await getClient(), client, "once it is open it stays so");
	t.equal(asked.length, 3);
	await t.rejects(client.getBlockNumber({ cacheTime: 0 }));
	t.equal(asked.length, 4, "others decide what is tried again");
});

t.test("a contract that says no is distinguished from a chain that cannot be asked", async (t) => {
	const named = (name: string) => Object.assign(new Error("m"), { name });
	for (const name of [
		...["ContractFunctionRevertedError", "ContractFunctionZeroDataError"],
		"ExecutionRevertedError",
	]) {
		t.equal(isRevert(named(name)), true, name);
		t.equal(isRevert(new Error("m", { cause: named(name) })), true, name);
	}
	t.equal(isRevert(new TooMuchGas()), true);
	t.equal(isRevert(new Error("out of gas")), true);
	for (const other of [named("HttpRequestError"), new Error("no"), "text", undefined])
		t.equal(isRevert(other), false);
	for (const text of ["Out of gas", "OutOfGas: x", "gas required exceeds allowance"])
		t.equal(isOutOfGas(new Error(text)), true, text);
	t.same([isOutOfGas("out of gas"), isOutOfGas(new Error("no gas"))], [false, false]);
	t.match(new TooMuchGas(), {
		...{ name: "TooMuchGas", code: "UPSTREAM", retryable: false },
		message: "The transaction would burn more than 300000 gas and was not sent.",
	});
});

t.test("a facilitator's words are ours where they are known, and nothing else", async (t) => {
	for (const [word, reason] of [
		["payment_expired", "expired"],
		["eip6492_factory_not_allowed", "invalid_signature"],
		["invalid_exact_evm_nonce_already_used", "nonce_used"],
		["unsupported_payload_type", "invalid_payload"],
		["invalid_network", "network_mismatch"],
		["toString", undefined],
		["settlement_pending", undefined],
		[undefined, undefined],
	] as const)
		t.equal(findRefusal(word), reason, `${word}`);
	const sentences = REFUSALS.map((reason) => toRefusal(reason));
	for (const { kind, message } of sentences)
		t.match({ kind, message }, { kind: "refused", message: /^The .+\.$/ });
	t.equal(new Set(sentences.map(({ message }) => message)).size, REFUSALS.length);
});

t.test("a payment without a span of time is asked about with a second of it", async (t) => {
	const authorization = {
		...({ from: "0x1", to: "0x2", value: 1n, validAfter: 5, validBefore: 5 } as const),
		...({ nonce: "0x3", signature: "0x4" } as const),
	};
	t.equal(toExactPayload(SIM_TERMS, authorization).requirements.maxTimeoutSeconds, 1);
});
