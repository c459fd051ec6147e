import type { IncomingMessage } from "node:http";
import t from "tap";
import { heldClock } from "../support/held-clock.js";
import { dataOf, evidence, moneyOf, planned, readText, startChainStream } from "./start-stream.js";

t.test(
	"on a chain the money settles before the work, and is captured before the first event",
	async (t) => {
		let settledAtStart = -1;
		let finish = () => undefined as unknown;
		const stream = async function* () {
			settledAtStart = shop.facilitator.settled();
			yield evidence(1);
			await new Promise<void>((resolve) => {
				finish = resolve;
			});
			yield evidence(2);
		};
		const shop = await startChainStream(t, stream);
		const response = await shop.pay(shop.sign());
		await new Promise((resolve) => response.once("data", resolve));
		t.equal(settledAtStart, 1);
		t.same(await shop.states(), ["captured"]);
		t.ok(response.headers["payment-response"]);
		finish();
		const told = dataOf(await readText(response), "research.usage");
		t.match(told, { cost: { amount_usd: "0.50", charged: true } });
		t.match(await shop.testApp.app.operator.verifyLedger(), { status: "ok", failures: [] });
	},
);

t.test("a stream without evidence ends with the credit for what had settled", async (t) => {
	const shop = await startChainStream(t, async function* () {
		yield planned;
	});
	const text = await readText(await shop.pay(shop.sign()));
	t.match(dataOf(text, "research.completed"), { is_answered: false });
	const { cost } = dataOf(text, "research.usage");
	t.match(cost, { charged: false, credit: { balance_usd: "0.50", token: /^spt_test_/ } });
	t.same(await shop.states(), ["credited"]);
	t.match(await moneyOf(shop.testApp, cost.credit.id), { balance: 500_000n, holds: 0 });
});

t.test("a stream that is cut off is not worked for again, except with its retry key", async (t) => {
	let runs = 0;
	const { pay, sign, states, callerLeft } = await startChainStream(
		t,
		async function* (_input, { signal }) {
			runs += 1;
			for (let n = 1; !signal.aborted; n += 1) {
				yield evidence(n);
				await new Promise((resolve) => setTimeout(resolve, 5));
			}
		},
	);
	const cutOff = async (response: IncomingMessage) => {
		if (response.statusCode === 200) await new Promise((resolve) => response.once("data", resolve));
		const left = callerLeft();
		response.destroy();
		if (response.statusCode === 200) await left;
		return response.statusCode;
	};
	const keyless = sign();
	const seen: unknown[] = [];
	for (let copy = 1; copy <= 4; copy += 1) seen.push(await cutOff(await pay(keyless)));
	t.same(seen, [200, 402, 402, 402]);
	t.equal(runs, 1);
	const keyed = sign();
	const key = { "Idempotency-Key": "again" };
	t.equal(await cutOff(await pay(keyed, key)), 200);
	t.equal(await cutOff(await pay(keyed, key)), 200);
	t.equal(await cutOff(await pay(keyed)), 402);
	t.same(await states(), ["captured", "captured"]);
});

t.test("one address cannot have payments checked without end", async (t) => {
	const clock = heldClock();
	const { pay, sign } = await startChainStream(
		t,
		async function* () {
			yield evidence(1);
		},
		clock,
	);
	clock.hold();
	const copy = sign();
	const statuses: unknown[] = [];
	for (let sent = 0; sent < 22; sent += 1) {
		const response = await pay(copy);
		await readText(response);
		statuses.push(response.statusCode);
	}
	t.same(statuses.slice(0, 2), [200, 402]);
	t.equal(statuses.at(-1), 429);
});
