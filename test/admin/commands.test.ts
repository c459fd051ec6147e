import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { createOperatorClient } from "../../src/cli/operator-client.js";
import { OPERATOR_ROLES } from "../../src/operator/access/operator-keys.js";
import {
	COMMAND_NAMES,
	COMMANDS,
	type CommandName,
} from "../../src/operator/commands/command-table.js";
import { type Answer, startApp, type TestApp } from "../support/start-app.js";

const EMPTY = { model: "none", catalog: "none" } as const;

/** Requests with one credential. */
function sender(shop: TestApp, key: string) {
	return (method: string, path: string, body?: object, more: object = {}): Promise<Answer> =>
		shop.send(path.startsWith("/v1/") ? path : `/v1/admin${path}`, {
			method,
			headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json", ...more },
			...(body && { body: JSON.stringify(body) }),
		});
}

async function openShop(t: Parameters<typeof startApp>[0], settings = {}) {
	const shop = await startApp(t, { settings: { ...EMPTY, ...settings } });
	const admin = sender(shop, shop.app.adminToken);
	const keyOf = async (name: string, role: string): Promise<string> =>
		(await admin("POST", "/operators", { name, role })).body.key;
	return { shop, admin, keyOf };
}

/** An input that its schema takes; whether there is such a thing is of no matter to roles. */
const SAMPLE = {
	id: "x",
	account_id: "acc_x",
	graph_id: "some-graph",
	concept_id: "x",
	path: "x.md",
	markdown: "x",
	source: "/nowhere/at/all",
	as: "some-graph",
	usd: "1.00",
	folder: "relative",
	questions: 1,
	by: "day",
	receipt_id: "x",
	token_id: "x",
	reason: "x",
	grant: false,
	// Of an operator, and of a secret.
	name: "pepper",
	role: "owner",
	token: "x",
	prices: {},
	enabled: true,
	feed_id: "x",
	job_id: "x",
	new_id: "other-graph",
	owner: "ann",
	title: "x",
	nodes: [{ title: "x" }],
	edges: [{ source: "x", type: "x", target: "y" }],
	edge_id: "x:x:y",
	url: "https://a.example/",
	label: "x",
	from: "x",
	into: "y",
	import_id: "x",
	expert_id: "x",
} as const;

function requestOf(name: CommandName) {
	const { at, takes } = COMMANDS[name];
	const [method = "", pattern = ""] = at.split(" ");
	const shape = (takes as unknown as { shape: Record<string, { isOptional(): boolean }> }).shape;
	const needed = Object.keys(shape).filter((field) => !shape[field]?.isOptional());
	const fields = Object.fromEntries(
		needed.map((field) => [field, SAMPLE[field as keyof typeof SAMPLE]]),
	);
	const path = pattern.replace(/\{(\w+)\}/g, (_, field: string) => {
		const value = String(fields[field]);
		delete fields[field];
		return value;
	});
	const query =
		method === "GET" && needed.length > 0 ? `?${new URLSearchParams(fields as never)}` : "";
	return { method, path: `${path}${query}`, body: method === "GET" ? undefined : fields };
}

const rankOf = (name: CommandName) => OPERATOR_ROLES.indexOf(COMMANDS[name].role);

t.test("a role gives the commands that take no more, and a reader changes nothing", async (t) => {
	const { shop, keyOf } = await openShop(t);
	const before = async () =>
		shop.app.store.read(async (reader) => [
			await reader.list("tokens"),
			await reader.list("accounts"),
			await reader.list("keys"),
			[...(await reader.balances())],
		]);
	const state = await before();
	for (const [place, role] of OPERATOR_ROLES.slice(0, 2).entries()) {
		const send = sender(shop, await keyOf(`a ${role}`, role));
		for (const name of COMMAND_NAMES.filter((one) => rankOf(one) > place)) {
			const { method, path, body } = requestOf(name);
			const { status, body: answer } = await send(method, path, body);
			t.equal(status, 403, `${role} ${name}: ${JSON.stringify(answer)}`);
			t.match(answer.error.message, /takes the role/);
		}
		// Long work that may run is another test's.
		const quick = (name: CommandName) => COMMANDS[name].kind === "quick";
		for (const name of COMMAND_NAMES.filter((one) => rankOf(one) <= place && quick(one))) {
			const { method, path, body } = requestOf(name);
			t.not((await send(method, path, body)).status, 403, `${role} ${name}`);
		}
	}
	t.same(
		COMMAND_NAMES.filter((name) => COMMANDS[name].changes && COMMANDS[name].role === "reader"),
		[],
	);
	t.same(await before(), state);
});

t.test("what customers pay with opens no command, and says so", async (t) => {
	const { shop, admin } = await openShop(t);
	const { token } = (await admin("POST", "/spts", { usd: "5" })).body;
	const { key } = (await admin("POST", "/keys", {})).body;
	const challenge = Buffer.from(JSON.stringify({ x402Version: 2 })).toString("base64");
	for (const headers of [
		{ Authorization: `Bearer ${token}` },
		{ "X-Pay-SPT": token },
		{ Authorization: `Bearer ${key}` },
		{ "X-API-Key": key },
		{ "PAYMENT-SIGNATURE": challenge },
		{ "X-PAYMENT": challenge },
	] as Record<string, string>[]) {
		const { status, body } = await shop.send("/v1/admin/graphs", { headers });
		t.equal(status, 401);
		t.match(body.error.message, /what pays for calls opens no command/, JSON.stringify(headers));
	}
	const nothing = await shop.send("/v1/admin/graphs");
	t.equal(nothing.status, 401);
});

t.test("guesses from the address of an operator do not keep the operator out", async (t) => {
	const { shop, admin } = await openShop(t);
	const { key } = (await admin("POST", "/operators", { name: "Ada", role: "reader" })).body;
	const guess = async (call: number) => {
		const headers = { Authorization: `Bearer opk_${String(call).padStart(36, "x")}` };
		return (await shop.send("/v1/admin/graphs", { headers })).status;
	};
	let calls = 0;
	while ((await guess(calls)) !== 429 && calls < 1_000) calls++;
	t.ok(calls < 1_000, "guesses have an end");
	t.equal((await sender(shop, key)("GET", "/graphs")).status, 200);
});

t.test(
	"an operator's key is shown once, kept as a hash, and opens nothing once it is revoked",
	async (t) => {
		const { shop, admin } = await openShop(t);
		const made = (await admin("POST", "/operators", { name: "Ada", role: "editor" })).body;
		t.match(made, { key: /^opk_[0-9A-Za-z]{36}$/, id: /^opr_/, role: "editor", status: "active" });
		const send = sender(shop, made.key);
		t.equal((await send("GET", "/graphs")).status, 200);
		t.notMatch(JSON.stringify((await admin("GET", "/operators")).body), made.key);
		for (const [body, why] of [
			[{ name: "Ada", role: "reader" }, /is taken/],
			[{ name: "command line", role: "reader" }, /is taken/],
			[{ name: "Eve", role: "king" }, /role/],
			[{ name: "", role: "owner" }, /name/],
		] as const) {
			const refused = await admin("POST", "/operators", body);
			t.equal(refused.status, 400);
			t.match(refused.body.error.message, why);
		}
		t.match((await admin("DELETE", `/operators/${made.id}`)).body, { status: "revoked" });
		t.match((await send("GET", "/graphs")).body.error.message, /not known here, or was revoked/);
		t.equal((await admin("DELETE", "/operators/opr_none")).status, 404);
		await shop.app.store.backup(join(shop.folder, "..", "copy"));
		await shop.close();
		const journal = join(shop.folder, "journal");
		const texts = (await import("node:fs"))
			.readdirSync(journal, { recursive: true, withFileTypes: true })
			.filter((entry) => entry.isFile())
			.map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"));
		t.notOk(
			texts.some((text) => text.includes(made.key)),
			"no file of the store has the key",
		);
	},
);

t.test(
	"from elsewhere the admin API is not there, unless keys are let in; the admin token never is",
	async (t) => {
		const forwarded = { "X-Forwarded-For": "203.0.113.9" };
		for (const [adminFrom, expected] of [
			["loopback", { key: 404, token: 404 }],
			["anywhere", { key: 200, token: 401 }],
		] as const) {
			const { shop, admin, keyOf } = await openShop(t, { profile: "production", adminFrom });
			const key = await keyOf("Ada", "reader");
			t.equal(
				(await sender(shop, key)("GET", "/graphs", undefined, forwarded)).status,
				expected.key,
			);
			t.equal((await admin("GET", "/graphs", undefined, forwarded)).status, expected.token);
		}
	},
);

t.test("the command line's client and the router speak of the same table", async (t) => {
	const { shop } = await openShop(t);
	const egress = { request: async ({ url, ...init }: { url: string }) => fetch(url, init) };
	const server = {
		pid: 1,
		host: "h",
		started: "",
		admin_url: `${shop.baseUrl}/v1/admin`,
		token: shop.app.adminToken,
	};
	const client = createOperatorClient(egress as never, server);
	const { account_id } = await client.createKey({ usd: "3" });
	t.match(await client.getAccount({ account_id }), { id: account_id, balance_usd: "3.00" });
	const made = await client.addOperator({ name: "Ada", role: "reader" });
	t.match(await client.revokeOperator({ id: made.id }), { status: "revoked" });
	t.match(await client.listAudit({ command: "revokeOperator" }), {
		items: [{ target: `operator/${made.id}`, outcome: "done", actor: "admin token" }],
	});
	await t.rejects(client.getAccount({ account_id: "acc_none" }), { code: "NOT_FOUND" });
});

t.test(
	"the OpenAPI document has every address of the table, behind the same credential",
	async (t) => {
		const { shop, admin } = await openShop(t);
		t.equal((await shop.send("/v1/admin/openapi.json")).status, 401);
		const { body } = await admin("GET", "/openapi.json");
		for (const name of COMMAND_NAMES) {
			const { at, also = [], changes, role } = COMMANDS[name];
			for (const address of [at, ...also]) {
				const [method = "", path = ""] = address.split(" ");
				const operation = body.paths[path]?.[method.toLowerCase()];
				t.match(operation, { "x-least-role": role }, address);
				const names = operation.parameters.map((parameter: { name: string }) => parameter.name);
				t.equal(names.includes("Idempotency-Key"), changes !== undefined, address);
			}
		}
		const ids = Object.values(body.paths as Record<string, Record<string, { operationId: string }>>)
			.flatMap((operations) => Object.values(operations))
			.map(({ operationId }) => operationId);
		t.equal(new Set(ids).size, ids.length, "every operation has an id of its own");
	},
);
