import t from "tap";
import { times } from "../support/times.js";
import { openAccount, useFreeCalls } from "./open-account.js";

t.test("keys of an account", async (t) => {
	const shop = await openAccount(t, { usd: "100.00" });
	const { ask, buy, clock } = shop;
	await useFreeCalls(shop);
	const create = async (order: object) => (await ask("POST", "/v1/account/keys", order)).body.data;

	await t.test(
		"a key is shown once, listed without its secret, and pays until revoked",
		async (t) => {
			const made = await ask("POST", "/v1/account/keys", { label: "crew" });
			t.equal(made.status, 201);
			const { key, id } = made.body.data;
			t.match(key, /^sk_test_\w{36}$/);
			t.equal(await buy(key), 200);
			const { text, items } = await ask("GET", "/v1/account/keys").then(({ body }) => ({
				text: JSON.stringify(body),
				items: body.data.items,
			}));
			t.notMatch(text, /sk_(?:live|test)_/);
			const crew = items.find((item: { id: string }) => item.id === id);
			t.match(crew, { label: "crew", last_used_on: "2026-03-10", spent_usd: "0.50" });
			t.equal((await ask("DELETE", `/v1/account/keys/${id}`)).status, 200);
			t.equal(await buy(key), 401);
		},
	);

	await t.test("a key pays within its scopes, by skill, operation and graph", async (t) => {
		const bySkill = await create({ skills: ["graph_search"], graphs: ["agent-payments"] });
		t.equal(await buy(bySkill.key), 200);
		const other = shop.app.catalog.list().find(({ record }) => record.id !== "agent-payments");
		t.equal(await buy(bySkill.key, other?.record.id), 403);
		const byOperation = await create({ skills: ["search.domain"] });
		t.equal(await buy(byOperation.key), 403);
		t.equal((await ask("POST", "/v1/account/keys", { skills: ["no_such"] })).status, 400);
		t.equal((await ask("POST", "/v1/account/keys", { graphs: ["no-such"] })).status, 404);
	});

	await t.test(
		"a rotated secret works until its overlap is over, an earlier one stops",
		async (t) => {
			const first = await create({ label: "rotating" });
			const rotate = async (body: object) =>
				(await ask("POST", `/v1/account/keys/${first.id}/rotate`, body)).body.data;
			const second = await rotate({ overlap_seconds: 60 });
			t.equal(second.old_secret_until, "2026-03-10T12:01:00.000Z");
			t.same([await buy(first.key), await buy(second.key)], [200, 200]);
			clock.advance(59_999);
			t.equal(await buy(first.key), 200);
			clock.advance(1);
			t.same([await buy(first.key), await buy(second.key)], [401, 200]);
			const third = await rotate({});
			const fourth = await rotate({ overlap_seconds: 0 });
			t.same(
				[await buy(second.key), await buy(third.key), await buy(fourth.key)],
				[401, 401, 200],
				"no overlap: only the newest works",
			);
			t.equal(
				(await ask("POST", `/v1/account/keys/${first.id}/rotate`, { overlap_seconds: -1 })).status,
				400,
			);
		},
	);

	await t.test("a secret that was replaced pays, and changes nothing", async (t) => {
		for (const order of [{ manages_account: true }, {}]) {
			const { id, key: old } = await create(order);
			const path = `/v1/account/keys/${id}`;
			const { key } = (await ask("POST", `${path}/rotate`, { overlap_seconds: 60 }, old)).body.data;
			for (const [method, to, body] of [
				["POST", `${path}/rotate`, { overlap_seconds: 0 }],
				["DELETE", path, undefined],
				["PATCH", path, { label: "mine" }],
				["GET", "/v1/account/keys", undefined],
				["DELETE", "/v1/account?confirm=100.00", undefined],
			] as const) {
				const refused = await ask(method, to, body, old);
				t.same([refused.status, refused.body.error.code], [403, "SCOPE_FORBIDDEN"], method);
				t.match(refused.body.error.message, /was replaced/);
			}
			t.same([await buy(old), await buy(key)], [200, 200]);
			t.equal((await ask("POST", `${path}/rotate`, {}, key)).status, 200, "the new one may");
		}
	});

	await t.test("an expired key pays for nothing and is answered like an unknown one", async (t) => {
		const { key, id } = await create({ expires_in_days: 1 });
		t.equal(await buy(key), 200);
		clock.advance(24 * 3_600_000);
		t.equal(await buy(key), 401);
		const { items } = (await ask("GET", "/v1/account/keys")).body.data;
		t.match(
			items.find((item: { id: string }) => item.id === id),
			{ status: "expired" },
		);
	});

	await t.test("caps hold in all and in a month, and can be lifted", async (t) => {
		const { key, id } = await create({ max_total_usd: "1.50", max_per_month_usd: "1.00" });
		t.same([await buy(key), await buy(key), await buy(key)], [200, 200, 402]);
		clock.set("2026-04-01T00:00:01Z");
		await useFreeCalls(shop);
		t.same([await buy(key), await buy(key)], [200, 402], "a new month, the same total");
		const lifted = await ask("PATCH", `/v1/account/keys/${id}`, { max_total_usd: null });
		t.match(lifted.body.data, { max_total_usd: null, max_per_month_usd: "1.00" });
		t.same([await buy(key), await buy(key)], [200, 402]);
	});

	await t.test("fifty calls race for a cap of three dollars: exactly six are paid", async (t) => {
		const { key, id } = await create({ max_total_usd: "3.00" });
		const statuses = await Promise.all(times(50, () => buy(key)));
		t.equal(statuses.filter((status) => status === 200).length, 6);
		t.equal(statuses.filter((status) => status === 402).length, 44);
		const { items } = (await ask("GET", "/v1/account/keys")).body.data;
		t.match(
			items.find((item: { id: string }) => item.id === id),
			{ spent_usd: "3.00" },
		);
	});

	await t.test("a key that only pays changes nothing but itself", async (t) => {
		const { key, id } = await create({});
		for (const [method, path, body] of [
			["GET", "/v1/account/keys", undefined],
			["POST", "/v1/account/keys", {}],
			["POST", "/v1/account/connection-tokens", {}],
			["PATCH", `/v1/account/keys/${id}`, { manages_account: true }],
		] as const) {
			const refused = await ask(method, path, body, key);
			t.same([refused.status, refused.body.error.code], [403, "SCOPE_FORBIDDEN"], path);
		}
		t.equal((await ask("POST", `/v1/account/keys/${id}/rotate`, {}, key)).status, 200);
		const both = { manages_account: true, max_total_usd: "1.00" };
		t.equal((await ask("POST", "/v1/account/keys", both)).status, 400);
	});

	await t.test("the last key that manages the account stays one", async (t) => {
		const account = (await ask("GET", "/v1/account")).body.data;
		const path = `/v1/account/keys/${account.credential.key_id}`;
		// Those that other parts of this test made.
		for (const { id, manages_account, status } of (await ask("GET", "/v1/account/keys")).body.data
			.items) {
			const isOther = manages_account && status === "active" && id !== account.credential.key_id;
			if (isOther) await ask("DELETE", `/v1/account/keys/${id}`);
		}
		const demote = () => ask("PATCH", path, { manages_account: false });
		for (const refused of [await demote(), await ask("DELETE", path)]) {
			t.same([refused.status, refused.body.error.code], [400, "INVALID_ARGUMENT"]);
			t.match(refused.body.error.message, /last key that manages/);
		}
		const second = await create({ manages_account: true });
		t.equal((await demote()).status, 200);
		t.equal((await ask("GET", "/v1/account/keys")).status, 403);
		const restore = { manages_account: true };
		t.equal((await ask("PATCH", path, restore, second.key)).status, 200);
		t.equal((await ask("DELETE", `/v1/account/keys/${second.id}`)).status, 200);
	});

	await t.test("labels go with the keys that are forgotten", async (t) => {
		const access = { accountId: shop.accountId, isManager: true, keepsNoText: false };
		const { owner } = shop.app.service;
		for (const index of times(60, (each) => each)) {
			const { id } = await owner.accountCreateKey(access, { label: `crew ${index}` });
			await owner.accountRevokeKey(access, String(id));
		}
		const { items } = (await ask("GET", "/v1/account/keys")).body.data;
		const { labels } = await shop.app.money.profiles.get(shop.accountId);
		const named = items.filter(({ label }: { label: string }) => label !== "");
		t.equal(Object.keys(labels).length, named.length);
	});

	await t.test("no caller sees or changes the keys of another account", async (t) => {
		const { id } = await create({});
		const stranger = (await shop.app.operator.createKey({})).key;
		for (const [method, path, body] of [
			["PATCH", `/v1/account/keys/${id}`, { label: "mine" }],
			["POST", `/v1/account/keys/${id}/rotate`, {}],
			["DELETE", `/v1/account/keys/${id}`, undefined],
		] as const) {
			t.equal((await ask(method, path, body, stranger)).status, 404, method);
		}
	});

	await t.test(
		"connection tokens are listed without their secrets and end when revoked",
		async (t) => {
			const made = await ask("POST", "/v1/account/connection-tokens", { label: "desk" });
			t.equal(made.status, 201);
			const { token, url, id } = made.body.data;
			t.match(token, /^ct_\w{36}$/);
			t.equal(url, `${shop.baseUrl}/c/${token}`);
			const { app } = shop;
			const shown = { scheme: "connection", token } as const;
			t.match(await app.service.identify(shown), { owner: shop.accountId });
			const listed = await ask("GET", "/v1/account/connection-tokens");
			t.match(listed.body.data.items, [{ id, label: "desk" }]);
			t.notMatch(JSON.stringify(listed.body), /ct_/);
			t.equal((await ask("DELETE", `/v1/account/connection-tokens/${id}`)).status, 200);
			await t.rejects(app.service.identify(shown), { code: "UNAUTHENTICATED" });
			const bearer = await shop.send("/v1/account/keys", {
				headers: { Authorization: `Bearer ${token}` },
			});
			t.equal(bearer.status, 401, "it opens nothing in a header");
			for (const _ of times(3, () => 0)) {
				await ask("POST", "/v1/account/connection-tokens", { expires_in_days: 1 });
				clock.advance(2 * 24 * 3_600_000);
			}
			const rows = await app.store.read((reader) => reader.list("connections"));
			t.equal(rows.length, 1, "what has expired makes room");
		},
	);
});
