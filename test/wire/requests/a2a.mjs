import { toCurrentName } from "../aliases.mjs";

/** Agent-to-agent in both protocol versions and both bindings. */
const CARD = "/.well-known/agent-card.json";
const RPC = "/a2a/jsonrpc";
const QUESTION = "Which HTTP status code asks for payment?";
const INPUT = { graph_id: "agent-payments", query: QUESTION, limit: 1 };
const SEARCH = { skill: "graph_search", input: INPUT };

const DIALECTS = {
	"1.0": {
		send: "SendMessage",
		stream: "SendStreamingMessage",
		get: "GetTask",
		cancel: "CancelTask",
		rest: "/a2a/rest",
		extensions: "A2A-Extensions",
		message: (id, part) => ({ messageId: id, role: "ROLE_USER", parts: [part] }),
	},
	0.3: {
		send: "message/send",
		stream: "message/stream",
		get: "tasks/get",
		cancel: "tasks/cancel",
		rest: "/a2a/rest/v1",
		extensions: "X-A2A-Extensions",
		restMessage: (id, { data }) => ({
			messageId: id,
			role: "ROLE_USER",
			content: [{ data: { data } }],
		}),
		message: (id, { data, text }) => ({
			kind: "message",
			messageId: id,
			role: "user",
			parts: [data === undefined ? { kind: "text", text } : { kind: "data", data }],
		}),
	},
};

export async function askByA2a({ send, spt }) {
	const read = { path: CARD, headers: { "A2A-Version": "1.0" } };
	const { body: card } = await send("a2a card", read);
	const extensions = card.capabilities?.extensions ?? [];
	// In one order whatever the card's: balances depend on what was paid before.
	const offers = extensions
		.flatMap(({ params }) => params?.offers ?? [])
		.sort((a, b) => toCurrentName(a.id).localeCompare(toCurrentName(b.id)));
	const payments = extensions.find(({ uri }) => /x402/.test(uri))?.uri;
	for (const version of Object.keys(DIALECTS)) {
		const agent = createAgent(send, version, { "X-Pay-SPT": spt });
		for (const { id, example_input: input } of offers) {
			const { body } = await agent.rpc(`skill ${id}`, "send", { data: { skill: id, input } });
			await agent.follow(id, body);
		}
		await agent.rpc("text alone", "send", { text: QUESTION });
		await agent.rpc("stream", "stream", { data: SEARCH });
		await agent.rpc("unknown skill", "send", { data: { skill: "no_such_skill", input: {} } });
		await agent.rpc("bad input", "send", { data: { skill: "graph_search", input: { a: 1 } } });
		await agent.rest("HTTP+JSON", "send", { data: SEARCH });
		await agent.rest("HTTP+JSON as a stream", "stream", { data: SEARCH });
		await agent.raw("unknown method", { jsonrpc: "2.0", id: 7, method: "NoSuchMethod" });
		await agent.raw("unknown task", {
			jsonrpc: "2.0",
			id: 7,
			method: DIALECTS[version].get,
			params: { id: "no-such-task" },
		});
		await agent.raw("no request", []);
		await askUnpaid(createAgent(send, version, {}), {
			payments,
			header: DIALECTS[version].extensions,
		});
	}
	await send("a2a GET", { path: RPC });
	await send("a2a unknown version", {
		method: "POST",
		path: RPC,
		headers: { "A2A-Version": "9.9" },
		body: { jsonrpc: "2.0", id: 7, method: "SendMessage" },
	});
}

async function askUnpaid(agent, { payments, header }) {
	await agent.rpc("unpaid", "send", { data: SEARCH });
	await agent.rest("unpaid HTTP+JSON", "send", { data: SEARCH });
	if (payments === undefined) return;
	const headers = { [header]: payments };
	await agent.rpc("unpaid with the payment extension", "send", { data: SEARCH }, headers);
}

function createAgent(send, version, credential) {
	const { rest, message, restMessage = message, ...methods } = DIALECTS[version];
	const headers = { "A2A-Version": version, ...credential };
	const post = (name, path, body, more) =>
		send(`a2a ${version} ${name}`, {
			method: "POST",
			path,
			headers: { ...headers, ...more },
			body,
		});
	const toId = (name) => `wire-${version}-${name.replace(/[^\w.-]/g, "-")}`;
	const rpc = (name, kind, part, more) => {
		const params = { message: message(toId(name), part) };
		const body = { jsonrpc: "2.0", id: 7, method: methods[kind], params };
		return post(name, RPC, body, more);
	};
	return {
		rpc,
		rest: (name, kind, part) =>
			post(name, `${rest}/message:${kind}`, { message: restMessage(toId(name), part) }),
		raw: (name, body) => post(name, RPC, body),
		/** The task a message became, read again and cancelled too late. */
		async follow(name, { result }) {
			const id = (result?.task ?? result)?.id;
			if (id === undefined) return;
			const request = { jsonrpc: "2.0", id: 7, params: { id } };
			await post(`task of ${name}`, RPC, { ...request, method: methods.get });
			await post(`end of ${name}`, RPC, { ...request, method: methods.cancel });
		},
	};
}
