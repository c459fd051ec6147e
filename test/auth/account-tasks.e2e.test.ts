import t from "tap";
import { systemClock } from "../../src/kernel/clock.js";
import { rpc } from "../a2a/raw-rpc.js";
import { filesWith } from "../support/files-below.js";
import { createSimChain } from "../support/sim-chain.js";
import { createSimFacilitator } from "../support/sim-facilitator.js";
import { createSimWallet } from "../support/sim-wallet.js";
import { KNOWN_QUERY, startApp } from "../support/start-app.js";
import { openAccount, useFreeCalls } from "./open-account.js";

const graph = "agent-payments";
const body = { query: KNOWN_QUERY, limit: 1 };

function message(messageId: string, query = KNOWN_QUERY) {
	const data = { skill: "graph_search", input: { graph_id: graph, query } };
	return { message: { messageId, role: "ROLE_USER", parts: [{ data }] } };
}

/** Answered whatever unknown word is added. */
const ASKED =
	"Which HTTP status code, 402 Payment Required, asks a client to pay in x402 before the resource is served?";

t.test(
	"what one key was answered is for itself and for those that manage the account",
	async (t) => {
		const shop = await openAccount(t, { usd: "10.00" });
		await useFreeCalls(shop);
		const { baseUrl, ask, search, key, app, accountId } = shop;
		const create = async (order: object) =>
			(await ask("POST", "/v1/account/keys", order)).body.data.key as string;
		const other = app.catalog.list().find(({ record }) => record.id !== graph)?.record.id;
		const [payer, peer, scoped] = [
			await create({}),
			await create({}),
			await create({ graphs: [other] }),
		];
		const as = (secret: string) => ({ headers: { "X-API-Key": secret } });
		const sent = await rpc(baseUrl, { params: message("m-1"), ...as(payer) });
		const { id } = sent.body.result.task;
		const seen = async (secret: string) => {
			const found = await rpc(baseUrl, { method: "GetTask", params: { id }, ...as(secret) });
			const params = { includeArtifacts: true };
			const listed = await rpc(baseUrl, { method: "ListTasks", params, ...as(secret) });
			return [found.body.error?.code ?? "found", listed.body.result.tasks.length];
		};
		t.same(await seen(payer), ["found", 1]);
		t.same(await seen(key), ["found", 1], "a key that manages the account");
		t.same(
			[await seen(peer), await seen(scoped)],
			[
				[-32001, 0],
				[-32001, 0],
			],
		);
		const again = await rpc(baseUrl, { params: message("m-1"), ...as(payer) });
		t.equal(again.headers.get("Idempotent-Replayed"), "true");
		for (const secret of [peer, scoped]) {
			const taken = await rpc(baseUrl, { params: message("m-1"), ...as(secret) });
			t.notOk(taken.body.result, "the same message of another key");
		}

		const retry = (secret: string) => ({ ...as(secret).headers, "Idempotency-Key": "k-1" });
		t.equal((await search({ body, headers: retry(payer) })).status, 200);
		t.equal(
			(await search({ body, headers: retry(payer) })).headers.get("Idempotent-Replayed"),
			"true",
		);
		for (const secret of [peer, scoped]) {
			const { status, body: refused } = await search({ body, headers: retry(secret) });
			t.same([status, refused.error.code], [422, "IDEMPOTENCY_MISMATCH"]);
		}
		t.equal((await search({ body, headers: retry(key) })).status, 200, "a key that manages it");
		t.equal(await app.store.read((reader) => reader.balance(`cust:${accountId}`)), 9_000_000n);
		const { credential } = (await ask("GET", "/v1/account", undefined, payer)).body.data;
		await ask("PATCH", `/v1/account/keys/${credential.key_id}`, { graphs: [other] });
		const narrowed = await search({ body, headers: retry(payer) });
		t.same(
			[narrowed.status, narrowed.body.error.code],
			[403, "SCOPE_FORBIDDEN"],
			"a narrower scope",
		);
	},
);

t.test(
	"zero retention keeps no text of tasks, and what is sent again is answered again",
	async (t) => {
		const shop = await openAccount(t, { usd: "10.00" });
		await useFreeCalls(shop);
		const { baseUrl, ask, key, app, accountId, folder } = shop;
		await app.operator.setAccount({ account_id: accountId, zero_retention: true });
		t.equal((await ask("PATCH", "/v1/account", { retention: "zero" })).status, 200);
		const query = `${ASKED} canaryquery`;
		const headers = { "X-API-Key": key };
		const send = () => rpc(baseUrl, { params: message("m-1", query), headers });
		const first = (await send()).body.result.task;
		t.ok(first.artifacts.length > 0);
		const kept = await rpc(baseUrl, { method: "GetTask", params: { id: first.id }, headers });
		t.match(kept.body.result, { id: first.id, status: { state: "TASK_STATE_COMPLETED" } });
		t.notMatch(JSON.stringify(kept.body), /canaryquery|asks for payment/);
		const second = await send();
		t.equal(second.headers.get("Idempotent-Replayed"), "true");
		t.ok(second.body.result.task.artifacts.length > 0);
		const changed = await rpc(baseUrl, { params: message("m-1", "Another one?"), headers });
		t.match(JSON.stringify(changed.body), /IDEMPOTENCY_MISMATCH/);
		t.equal(await app.store.read((reader) => reader.balance(`cust:${accountId}`)), 9_500_000n);
		for await (const _ of app.store.queryLog.read(accountId));
		t.same(filesWith(folder, "canaryquery"), []);
		t.notMatch(JSON.stringify((await ask("GET", "/v1/account/export")).body), /canaryquery/);
	},
);

t.test("a wallet that pays beside a key of zero retention leaves no text either", async (t) => {
	const chain = createSimChain({ now: systemClock.now });
	const facilitator = createSimFacilitator({ chain, clock: systemClock });
	const onchain = { terms: chain.terms, facilitator, chain, close: async () => undefined };
	const shop = await startApp(t, { onchain, settings: { model: "none" } });
	const wallet = createSimWallet(chain, {
		name: "agent",
		now: systemClock.now,
		balance: 50_000_000n,
	});
	const { key } = await shop.app.operator.createKey({ zero_retention: true });
	const headers = { "X-API-Key": key };
	await shop.send("/v1/account", {
		method: "PATCH",
		headers: { ...headers, "Content-Type": "application/json" },
		body: JSON.stringify({ retention: "zero" }),
	});
	const pay = () => ({
		...headers,
		"PAYMENT-SIGNATURE": wallet.v2(wallet.sign({ value: 500_000n })),
	});
	const query = `${ASKED} canaryquery`;
	const paid = await shop.search({ body: { query, limit: 1 }, headers: pay() });
	t.match(paid.body.meta.cost, { rail: "x402", charged: true });
	const payment = pay();
	const sent = await rpc(shop.baseUrl, { params: message("m-1", query), headers: payment });
	t.ok(sent.body.result.task.artifacts.length > 0);
	const again = await rpc(shop.baseUrl, { params: message("m-1", query), headers: payment });
	t.ok(again.body.result.task.artifacts.length > 0, "the same payment is answered again");
	const [owner = ""] = (await shop.app.store.read((reader) => reader.list("payments"))).map(
		(row) => row.owner,
	);
	const rows = [];
	for await (const row of shop.app.store.queryLog.read(owner)) rows.push(row);
	t.equal(rows.length, 3);
	for (const row of rows) t.match(row, { queryHash: /^[\w-]{43}$/ });
	t.same(filesWith(shop.folder, "canaryquery"), []);
});
