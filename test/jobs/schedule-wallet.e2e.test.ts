import t from "tap";
import { manualClock } from "../support/manual-clock.js";
import { createSimChain } from "../support/sim-chain.js";
import { createSimFacilitator } from "../support/sim-facilitator.js";
import { createSimWallet } from "../support/sim-wallet.js";
import { startApp } from "../support/start-app.js";
import { SCHEDULES } from "./start-tracker.js";

t.test(
	"a wallet pays the first week, and the credential beside it the weeks to come",
	async (t) => {
		const clock = manualClock("2026-03-02T12:00:00Z");
		const chain = createSimChain({ now: clock.now });
		const facilitator = createSimFacilitator({ chain, clock });
		const onchain = { terms: chain.terms, facilitator, chain, close: async () => undefined };
		const shop = await startApp(t, {
			onchain,
			clock,
			settings: { model: "none", catalog: "none" },
		});
		const { token } = await shop.issueSpt("20");
		const funds = { name: "agent", now: clock.now, balance: 50_000_000n };
		const wallet = createSimWallet(chain, funds);
		const create = (header: string, credential: Record<string, string> = {}) =>
			shop.send(SCHEDULES, {
				method: "POST",
				headers: { "PAYMENT-SIGNATURE": header, "Content-Type": "application/json", ...credential },
				body: JSON.stringify({ topic: "tides", frequency: "weekly" }),
			});
		const list = async () =>
			(await shop.send(SCHEDULES, { headers: { "X-Pay-SPT": token } })).body.data.items;

		const payment = wallet.v2(wallet.sign({ value: 10_000_000n }));
		const beside = await create(payment, { "X-Pay-SPT": token });
		t.equal(beside.status, 200, JSON.stringify(beside.body));
		t.match(beside.body.meta.cost, { rail: "x402", amount_usd: "10.00" });
		t.equal(beside.body.data.renews, true);
		t.match(await list(), [{ schedule_id: beside.body.data.schedule_id }]);
		await create(payment, { "X-Pay-SPT": token });
		t.equal((await list()).length, 1, "the same payment makes no other schedule");

		const alone = await create(wallet.v2(wallet.sign({ value: 10_000_000n })));
		t.equal(alone.body.data.renews, false);
		t.match(alone.body.meta.warnings.join(" "), /Nobody pays for further weeks/);
		t.equal((await list()).length, 1);
		const path = `${SCHEDULES}/${alone.body.data.schedule_id}`;
		t.equal((await shop.send(path)).status, 200, "a wallet's schedule is opened by its id");
		const change = (body: object) =>
			shop.send(path, {
				method: "PATCH",
				headers: { "Content-Type": "application/json" },
				body: JSON.stringify(body),
			});
		t.match((await change({ hour: 9 })).body.data, { hour: 9 }, "and changed by it");
		t.equal((await change({ renew_with: "credential" })).status, 401, "which pays for nothing");
		await shop.app.schedules.worker.tick();
		const rows = await shop.app.store.read((reader) => reader.list("schedules"));
		t.same(
			rows.map(({ isPaid, status }) => [isPaid, status]),
			[
				[true, "active"],
				[true, "active"],
			],
			"both payments were found captured",
		);

		const unpaid = await shop.app.schedules.book.create(
			{ topic: "canary", frequency: "daily", timezone: "UTC", hour: 8, weekday: "monday" },
			{
				signal: new AbortController().signal,
				requestId: "req_1",
				callId: "hold_01kg9yz3v0f6x2m8q4t7w1ab2c",
				caller: { owner: "tok_nobody", rail: "spt" },
			},
		);
		clock.set("2026-03-03T08:00:00Z");
		await shop.app.schedules.worker.tick();
		const row = await shop.app.store.read((reader) => reader.get("schedules", unpaid.schedule_id));
		t.match(row, { status: "cancelled" }, "what was never captured delivers nothing");
		t.equal(await shop.app.store.documents.get(row?.documentId ?? ""), undefined);
	},
);
