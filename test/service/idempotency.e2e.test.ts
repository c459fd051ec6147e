import t from "tap";
import { startApp } from "../support/start-app.js";
import { times } from "../support/times.js";

t.test("an idempotency key pays once", async (t) => {
	const shop = await startApp(t);
	const balance = (id: string) => shop.app.store.read((reader) => reader.balance(`cust:${id}`));
	const key = (value: string) => ({ "Idempotency-Key": value });

	await t.test("the same key and body give the same receipt for one price", async (t) => {
		const { token, id } = await shop.issueSpt("5");
		const first = await shop.search({ token, headers: key("order-1") });
		const second = await shop.search({ token, headers: key("order-1") });
		t.equal(second.status, 200);
		t.equal(second.body.meta.cost.receipt_id, first.body.meta.cost.receipt_id);
		t.equal(second.body.meta.cost.replayed, true);
		t.same(second.body.rows, first.body.rows);
		t.equal(await balance(id), 4_500_000n);
	});

	await t.test(
		"twenty copies at once: one charge, and the others are asked to wait or share the receipt",
		async (t) => {
			const { token, id } = await shop.issueSpt("5");
			const answers = await Promise.all(
				times(20, () => shop.search({ token, headers: key("burst") })),
			);
			t.equal(await balance(id), 4_500_000n);
			t.ok(answers.every(({ status }) => status === 200 || status === 409));
			t.equal(new Set(answers.flatMap(({ body }) => body.meta?.cost.receipt_id ?? [])).size, 1);
			const waiting = answers.find(({ status }) => status === 409);
			if (waiting) t.match(waiting.headers.get("Retry-After"), /^\d+$/);
		},
	);

	await t.test("the same key for another body is refused", async (t) => {
		const { token, id } = await shop.issueSpt("5");
		await shop.search({ token, headers: key("order-2") });
		const other = await shop.search({
			token,
			headers: key("order-2"),
			body: { query: "another question about tokens" },
		});
		t.same([other.status, other.body.error.code], [422, "IDEMPOTENCY_MISMATCH"]);
		t.equal(await balance(id), 4_500_000n);
	});

	await t.test("two payers may use the same key", async (t) => {
		const [a, b] = [await shop.issueSpt("1"), await shop.issueSpt("1")];
		const first = await shop.search({ token: a.token, headers: key("shared") });
		const second = await shop.search({ token: b.token, headers: key("shared") });
		t.not(first.body.meta.cost.receipt_id, second.body.meta.cost.receipt_id);
	});

	await t.test("an attempt without an answer leaves its key free", async (t) => {
		const { token, id } = await shop.issueSpt("5");
		const body = { query: "zorblax quuxification of the frobnicator" };
		t.equal(
			(await shop.search({ token, body, headers: key("free") })).body.meta.cost.charged,
			false,
		);
		t.equal((await shop.search({ token, headers: key("free") })).status, 200);
		t.equal(await balance(id), 4_500_000n);
	});

	await t.test("a key is kept over a restart", async (t) => {
		const { token } = await shop.issueSpt("5");
		const first = await shop.search({ token, headers: key("restart") });
		await shop.close();
		const again = await startApp(t, { folder: shop.folder });
		const second = await again.search({ token, headers: key("restart") });
		t.equal(second.body.meta.cost.receipt_id, first.body.meta.cost.receipt_id);
		t.equal(second.body.meta.cost.replayed, true);
	});
});

t.test("a key from before grants were kept is its payer's, or its account's", async (t) => {
	const { app, send, search } = await startApp(t, { settings: { model: "none" } });
	const { key: manager } = await app.operator.createKey({ usd: "5.00" });
	const agentKey = async (): Promise<string> => {
		const headers = { "X-API-Key": manager, "Content-Type": "application/json" };
		const body = JSON.stringify({ manages_account: false, label: "agent" });
		return (await send("/v1/account/keys", { method: "POST", headers, body })).body.data.key;
	};
	const [one, other] = [await agentKey(), await agentKey()];
	const buy = async (secret: string) => {
		const headers = { "X-API-Key": secret, "Idempotency-Key": "upgrade" };
		const { status, body } = await search({ headers });
		return status === 200 ? body.meta.cost.replayed === true : [status, body.error.code];
	};
	t.equal(await buy(one), false);
	const [row] = await app.store.read((reader) => reader.list("idempotency"));
	if (!row?.receiptId) throw new Error("No attempt was kept.");
	const old = { ...row, grantId: undefined };
	await app.store.transaction((tx) => tx.put("idempotency", old));
	t.equal(await buy(one), true);
	t.same(await buy(other), [422, "IDEMPOTENCY_MISMATCH"]);
	t.equal(await buy(manager), true);

	const receiptId = "rcpt_keyless";
	await app.store.transaction(async (tx) => {
		const receipt = await tx.get("receipts", row.receiptId ?? "");
		if (receipt) await tx.put("receipts", { ...receipt, id: receiptId, keyId: undefined });
		await tx.put("idempotency", { ...old, receiptId });
	});
	t.equal(await buy(other), true, "nobody can tell whose it was");
});
