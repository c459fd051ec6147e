import { chmodSync, cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { createPriceList } from "../../payments/price-list.js";
import { createApp } from "../../src/app/create-app.js";
import { runDoctor } from "../../src/cli/doctor.js";
import { withOperator } from "../../src/cli/operator-command.js";
import { serve } from "../../src/cli/serve.js";
import { testSettings } from "../support/start-app.js";

const silent = { info: () => undefined, error: () => undefined };

t.test("a price of zero is healthy: no document advertises a challenge for it", async (t) => {
	const free = { ...createPriceList().priceOf("graphs.search"), amountMicros: 0n };
	const settings = testSettings(join(t.testdir({}), "data"), {
		model: "none",
		prices: { "graphs.search": free },
	});
	const { checks } = await runDoctor(settings);
	t.match(
		checks.find(({ name }) => name === "challenges"),
		{ ok: true },
	);
	// Keyword search only is worth a warning, and nothing else is.
	t.same(
		checks.filter(({ ok }) => !ok).map(({ name }) => name),
		["health"],
	);
});

t.test("where a start would be refused for its payments, so says the doctor", async (t) => {
	const folder = join(t.testdir({}), "data");
	const onchain = {
		facilitator: "local",
		payTo: "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
		network: "eip155:8453",
		rpcUrl: "http://127.0.0.1:9",
	};
	const base = { model: "none", catalog: "none", profile: "production" } as const;
	const payments = async (changes: object) => {
		const settings = testSettings(folder, { ...base, onchain: { ...onchain, ...changes } });
		const { ok, checks } = await runDoctor(settings);
		const found = checks.find(({ name }) => name === "payments");
		t.equal(ok && !found?.ok, false);
		return found;
	};
	t.match(await payments({ payTo: undefined }), { ok: false, message: /pay_to is missing/ });
	t.match(await payments({}), { ok: false, message: /settler-key/ });
	t.match(await payments({ facilitator: "off" }), { ok: true, message: /tokens and keys only/ });
	const key = join(folder, "keys", "settler-key");
	mkdirSync(join(folder, "keys"), { recursive: true });
	writeFileSync(key, `0x${"1".repeat(64)}`, { mode: 0o644 });
	chmodSync(key, 0o644);
	t.match(await payments({}), { ok: false, message: /chmod 600/ });
	chmodSync(key, 0o600);
	t.match(await payments({}), { ok: true, message: /on eip155:8453 to 0x5aae/ });
});

t.test("a start that fails leaves nothing running", async (t) => {
	const folder = join(t.testdir({}), "data");
	mkdirSync(join(folder, "server.json"), { recursive: true });
	const settings = testSettings(folder, { model: "none", catalog: "none" });
	const terminal = {
		data: () => t.fail("not ready"),
		say: () => undefined,
		status: () => undefined,
		stream: async () => undefined,
	};
	const context = { terminal, environment: {}, folder: ".", startedMs: 0 };
	await t.rejects(serve(context, { settings, json: true, acceptsLoss: false }));
	const again = await createApp({ settings, logger: silent });
	await again.close();
	t.pass("the folder is free");
});

t.test("a folder of paper money is not opened for real money", async (t) => {
	const settings = testSettings(join(t.testdir({}), "data"), { model: "none", catalog: "none" });
	await (await createApp({ settings, logger: silent })).close();
	await t.rejects(createApp({ settings: { ...settings, profile: "production" }, logger: silent }), {
		code: "INVALID_ARGUMENT",
		message: /demo profile/,
	});
});

t.test("the demo listens on loopback only, however it is started", async (t) => {
	const settings = testSettings(join(t.testdir({}), "data"), { model: "none", catalog: "none" });
	const app = await createApp({ settings, logger: silent });
	t.teardown(() => app.close());
	for (const host of ["0.0.0.0", "::", "127.0.0.1.example.org", ""]) {
		await t.rejects(app.listen({ host, port: 0 }), { code: "INVALID_ARGUMENT" });
	}
});

t.test(
	"with no server running, what needs the chain says so and not that none is set",
	async (t) => {
		const folder = join(t.testdir({}), "data");
		const off = testSettings(folder, { model: "none", catalog: "none" });
		const app = await createApp({ settings: off, logger: silent });
		const refund = { ref: "rcpt_1", owner: "wallet", amountMicros: 0n, reason: "r", createdAt: 0 };
		const destination = "eip155:8453:0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed";
		await app.store.transaction(async (tx) => {
			await tx.put("refunds", { ...refund, id: "rfd_1", state: "pending", destination });
			await tx.put("refunds", { ...refund, id: "rfd_2", state: "pending" });
		});
		await app.close();
		const demo = { ...off, onchain: {} };
		const first = { code: "UNAVAILABLE", message: /start the server first/ };
		await t.rejects(
			withOperator(demo, (operator) => operator.reconcileLedger({})),
			first,
		);
		await t.rejects(
			withOperator(demo, (operator) => operator.payRefund({ id: "rfd_1" })),
			first,
		);
		await t.rejects(
			withOperator(off, (operator) => operator.payRefund({ id: "rfd_1" })),
			{ message: /No wallet to pay from is configured/ },
		);
		await t.rejects(
			withOperator(off, (operator) => operator.reconcileLedger({})),
			{ message: /no chain/ },
		);
		const byHand = await withOperator(demo, (operator) => operator.payRefund({ id: "rfd_2" }));
		t.equal(byHand.state, "paid", "what needs no chain needs no server");
	},
);

t.test("half a copy of a data folder is not served with empty books", async (t) => {
	const root = t.testdir({});
	const [data, half, fresh] = [join(root, "data"), join(root, "half"), join(root, "fresh")];
	const start = async (folder: string) => {
		const settings = testSettings(folder, { model: "none", catalog: "none" });
		await (await createApp({ settings, logger: silent })).close();
	};
	await start(data);
	await start(data);
	cpSync(data, half, { recursive: true });
	rmSync(join(half, "journal"), { recursive: true });
	await t.rejects(start(half), { code: "UNAVAILABLE", message: /journal is missing.*restore/ });
	await t.rejects(start(half), { code: "UNAVAILABLE" }, "nor the second time");
	const { checks } = await runDoctor(testSettings(half, { model: "none", catalog: "none" }));
	t.match(
		checks.find(({ name }) => name === "store"),
		{ ok: false, message: /journal is missing/ },
	);

	// What a first start leaves that was cut off, and what an operator puts there before it.
	mkdirSync(join(fresh, "journal", "segments"), { recursive: true });
	mkdirSync(join(fresh, "keys"));
	writeFileSync(join(fresh, "keys", "settler-key"), `0x${"1".repeat(64)}`, { mode: 0o600 });
	await start(fresh);
});

t.test("what a killed restore left beside the data folder is named", async (t) => {
	const folder = join(t.testdir({ "data.making-0123": { keys: {} }, "data.old": {} }), "data");
	const { checks } = await runDoctor(testSettings(folder, { model: "none", catalog: "none" }));
	const disk = checks.find(({ name }) => name === "disk");
	t.match(disk, { ok: true, message: /delete.*: data\.making-0123$/ });
});
