import { AgentCard, TaskState, verifyAgentCardSignature } from "@a2a-js/sdk";
import { createRemoteJWKSet } from "jose";
import t from "tap";
import { KNOWN_QUERY, startApp, sumOfAllEntries } from "../support/start-app.js";
import { bodyOf, connect, searchMessage, send } from "./stock-client.js";
import { ON_LOOPBACK } from "./x402-agent.js";

const ASKED = {
	skill: "graph_search",
	input: { graph_id: "agent-payments", query: KNOWN_QUERY, limit: 3 },
};

t.test(
	"an agent that only knows the address buys what REST sells, and keeps it over a restart",
	async (t) => {
		const shop = await startApp(t, { settings: { grpc: ON_LOOPBACK } });
		const { token, id } = await shop.issueSpt("5");
		const headers = { "X-Pay-SPT": token };
		const balance = (app = shop.app) => app.store.read((reader) => reader.balance(`cust:${id}`));
		const question = searchMessage("", { messageId: "the-question" });
		question.parts[0] = {
			content: { $case: "data", value: ASKED },
			metadata: undefined,
			filename: "",
			mediaType: "",
		};

		await t.test("the card's signature verifies with the key set it points to", async (t) => {
			const { body } = await shop.send("/.well-known/agent-card.json", {
				headers: { "A2A-Version": "1.0" },
			});
			const verify = verifyAgentCardSignature((kid, jku) =>
				createRemoteJWKSet(new URL(jku ?? ""))({ kid, alg: "ES256" }),
			);
			await t.resolves(verify(AgentCard.fromJSON(body)));
		});

		await t.test("every binding and version gets the rows REST gets", async (t) => {
			const { body: rest } = await shop.search({ token });
			for (const version of ["1.0", "0.3"] as const) {
				for (const binding of ["JSONRPC", "HTTP+JSON", "GRPC"] as const) {
					const client = await connect({ baseUrl: shop.baseUrl, binding, version, headers });
					const task = await send(client, question);
					t.equal(task.status?.state, TaskState.TASK_STATE_COMPLETED);
					t.same(bodyOf(task).rows, rest.rows, `${binding} ${version}`);
					t.same(Object.keys(bodyOf(task)), Object.keys(rest));
				}
			}
			t.equal(await balance(), 4_000_000n, "one REST call and one message");
			t.equal(await sumOfAllEntries(shop.app), 0n);
		});

		await t.test(
			"after a restart the task is there and the message is still paid for",
			async (t) => {
				await shop.close();
				const again = await startApp(t, { folder: shop.folder });
				const { baseUrl } = again;
				const client = await connect({ baseUrl, binding: "JSONRPC", version: "1.0", headers });
				const before = await balance(again.app);
				const task = await send(client, question);
				t.ok(bodyOf(task).rows.length > 0);
				t.equal((await client.getTask({ tenant: "", id: task.id })).id, task.id);
				t.equal(await balance(again.app), before);
			},
		);
	},
);
