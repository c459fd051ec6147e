import t from "tap";
import { X402_EXTENSION_URI } from "../../agent-card/build-agent-card.js";
import { askGraph, post, rpc } from "./raw-rpc.js";
import { NOTHING, startA2a } from "./start-a2a.js";
import { startPaidA2a } from "./start-paid-a2a.js";
import { ACTIVATION } from "./x402-agent.js";

t.test(
	"the card declares the extension when a chain is configured, and never requires it",
	async (t) => {
		const declared = async (baseUrl: string, version: string) => {
			const response = await fetch(`${baseUrl}/.well-known/agent-card.json`, {
				headers: { "A2A-Version": version },
			});
			const { capabilities } = (await response.json()) as {
				capabilities: { extensions: { uri: string; required?: boolean; params?: unknown }[] };
			};
			return capabilities.extensions.find(({ uri }) => uri === X402_EXTENSION_URI);
		};
		const shop = await startPaidA2a(t);
		const { network, asset } = shop.chain.terms;
		for (const version of ["1.0", "0.3"]) {
			const extension = await declared(shop.baseUrl, version);
			t.match(extension?.params, { x402Versions: [2, 1], network, asset });
			t.not(extension?.required, true);
		}
		const { baseUrl } = await startA2a(t);
		t.equal(await declared(baseUrl, "1.0"), undefined);
	},
);

t.test(
	"the extension is echoed where it was turned on, and only where a chain is configured",
	async (t) => {
		const { baseUrl } = await startPaidA2a(t);
		const sent = await rpc(baseUrl, { params: askGraph("a"), headers: ACTIVATION["1.0"] });
		t.equal(sent.status, 200);
		t.equal(sent.headers.get("A2A-Extensions"), X402_EXTENSION_URI);
		const among = { "A2A-Extensions": `urn:another, ${X402_EXTENSION_URI}` };
		const listed = await rpc(baseUrl, { params: askGraph("b"), headers: among });
		t.equal(listed.headers.get("A2A-Extensions"), X402_EXTENSION_URI);
		const legacy = await rpc(baseUrl, { params: askGraph("c"), headers: ACTIVATION["0.3"] });
		t.equal(legacy.headers.get("X-A2A-Extensions"), X402_EXTENSION_URI);
		const plain = await rpc(baseUrl, { params: askGraph("d") });
		t.equal(plain.status, 402);
		t.notOk(plain.headers.get("A2A-Extensions"));

		const off = await startA2a(t);
		const unpaid = await rpc(off.baseUrl, { params: askGraph("e"), headers: ACTIVATION["1.0"] });
		t.equal(unpaid.status, 402);
		t.notOk(unpaid.headers.get("A2A-Extensions"));
	},
);

t.test(
	"without the extension a 402 carries both challenges, and a client that pays by header is served",
	async (t) => {
		const { baseUrl, wallet, chain, funds } = await startPaidA2a(t);
		const rpcOf = (method: string) => (params: object) => ({
			jsonrpc: "2.0",
			id: 1,
			method,
			params,
		});
		const ways = [
			{ path: "/a2a/jsonrpc", wrap: rpcOf("SendMessage") },
			{ path: "/a2a/jsonrpc", wrap: rpcOf("SendStreamingMessage") },
			{ path: "/a2a/rest/message:send", wrap: (params: object) => params },
			{ path: "/a2a/rest/message:stream", wrap: (params: object) => params },
		];
		let left = await funds();
		for (const [index, { path, wrap }] of ways.entries()) {
			for (const version of [1, 2] as const) {
				await t.test(`version ${version} on ${path}, ${index}`, async (t) => {
					const url = `${baseUrl}${path}`;
					const text = JSON.stringify(wrap(askGraph(`way ${index} by version ${version}`)));
					const headers = { "A2A-Version": "1.0" };
					const unpaid = await post(url, { text, headers });
					t.equal(unpaid.status, 402);
					const body = unpaid.body.error.data ?? unpaid.body;
					t.match(body, { x402Version: 1, accepts: [{ network: "base-sepolia" }] });
					const { accepts, resource } = JSON.parse(
						atob(unpaid.headers.get("PAYMENT-REQUIRED") ?? ""),
					);
					t.equal(resource.url, url);

					const signed = wallet.sign({ value: 500_000n });
					const payment: Record<string, string> =
						version === 1
							? { "X-PAYMENT": wallet.v1(signed) }
							: { "PAYMENT-SIGNATURE": wallet.v2(signed, { accepted: accepts[0], resource }) };
					const paid = await post(url, { text, headers: { ...headers, ...payment } });
					t.equal(paid.status, 200);
					t.match(JSON.stringify(paid.body), /TASK_STATE_COMPLETED/);
					t.notMatch(JSON.stringify(paid.body), /x402\.payment/, "the extension was not turned on");
					left -= 500_000n;
					t.equal(await funds(), left);
					const name = version === 1 ? "X-PAYMENT-RESPONSE" : "PAYMENT-RESPONSE";
					t.match(JSON.parse(atob(paid.headers.get(name) ?? "")), {
						success: true,
						transaction: chain.transactions.at(-1)?.hash,
					});
				});
			}
		}
	},
);

t.test("a key or a token beside the extension pays as before", async (t) => {
	const shop = await startPaidA2a(t);
	const { token, id } = await shop.issueSpt("1.00");
	const headers = { ...ACTIVATION["1.0"], "X-Pay-SPT": token };
	const paid = await rpc(shop.baseUrl, { params: askGraph("by token"), headers });
	t.equal(paid.body.result.task.status.state, "TASK_STATE_COMPLETED");
	t.equal(await shop.balance(id), 500_000n);

	const asked = await rpc(shop.baseUrl, {
		params: askGraph("asked first"),
		headers: ACTIVATION["1.0"],
	});
	const { id: taskId } = asked.body.result.task;
	const message = { ...askGraph("ignored").message, taskId };
	const later = await rpc(shop.baseUrl, { params: { message }, headers });
	t.equal(later.body.result.task.id, taskId);
	t.equal(later.body.result.task.artifacts[0].parts[0].data.meta.query, "asked first");
	t.equal(await shop.balance(id), 0n);

	const empty = await rpc(shop.baseUrl, { params: askGraph("nothing left"), headers });
	t.equal(empty.status, 402);
	t.equal(empty.body.error.data.error.code, "INSUFFICIENT_BALANCE", "its own rail, no other");
	t.equal(await shop.funds(), 10_000_000n);
});

t.test(
	"another wallet's tasks are not listed, and an id no one was given opens nothing",
	async (t) => {
		const { baseUrl } = await startPaidA2a(t);
		const headers = ACTIVATION["1.0"];
		const listed = await rpc(baseUrl, { method: "ListTasks", params: {}, headers });
		t.equal(listed.status, 401);
		const guessed = await rpc(baseUrl, { method: "GetTask", params: { id: "task_0" }, headers });
		t.equal(guessed.status, 401);
	},
);

t.test("what a payment in the headers did not have to pay for can be read by its id", async (t) => {
	const { baseUrl, wallet, funds } = await startPaidA2a(t);
	const payment = { "X-PAYMENT": wallet.v1(wallet.sign({ value: 500_000n })) };
	const { status, body } = await rpc(baseUrl, { params: askGraph(NOTHING), headers: payment });
	t.equal(status, 200);
	t.equal(await funds(), 10_000_000n);
	const { task } = body.result;
	const read = await rpc(baseUrl, { method: "GetTask", params: { id: task.id } });
	t.same(read.body.result, task);
});
