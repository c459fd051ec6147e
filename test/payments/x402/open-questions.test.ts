import t from "tap";
import { reportUnreachable } from "../../../payments/onchain/reconciler.js";
import { createSimChain } from "../../support/sim-chain.js";
import { assertWhole } from "./assert-whole.js";
import { createWorld, PRICE, startOnchain } from "./start-onchain.js";

const HOUR_MS = 3_600_000;

t.test("a payment of another network or asset is left alone and reported once", async (t) => {
	const world = createWorld({ kind: "silent" });
	world.chain.isUnreadable = true;
	const before = await startOnchain(world);
	const authorization = world.wallet.sign({ value: PRICE });
	t.match(await before.buy(authorization), { code: "SETTLEMENT_UNKNOWN" });
	const { network, asset } = world.chain.terms;
	const elsewhere = [{ network: "eip155:8453" }, { asset: world.wallet.address }];
	for (const hasChainReader of [true, false]) {
		for (const changes of elsewhere) {
			const terms = { ...world.chain.terms, ...changes };
			const log: unknown[] = [];
			const chain = createSimChain({ now: world.clock.now, terms });
			const other = await startOnchain(
				{ ...world, chain, hasChainReader, log },
				before.disk.copy(),
			);
			const asked = world.facilitator.settled();
			for (const ms of [0, HOUR_MS, HOUR_MS]) await other.later(ms);
			t.equal((await other.row(authorization))?.state, "unknown");
			t.equal(world.facilitator.settled(), asked);
			t.match(log, [{ network, asset, payments: 1 }]);
			await other.store.close();
		}
	}
	world.chain.isUnreadable = false;
	const after = await before.restart();
	for (const ms of [0, HOUR_MS]) await after.later(ms);
	t.equal((await after.row(authorization))?.state, "credited");
	const log: unknown[] = [];
	const logger = { info: () => undefined, error: (message: string) => log.push(message) };
	const rows = await before.store.read((reader) => reader.list("payments"));
	reportUnreachable({ logger }, rows);
	t.equal(log.length, 1, "without any chain as well");
});

t.test("without a chain to read, a facilitator that answers twice ends the question", async (t) => {
	const world = createWorld({ kind: "silent", hasChainReader: false });
	const process = await startOnchain(world);
	const authorization = world.wallet.sign({ value: PRICE });
	t.match(await process.buy(authorization), { code: "SETTLEMENT_UNKNOWN" });
	world.facilitator.behavior = "strict";
	await process.later(5_000);
	t.equal((await process.row(authorization))?.state, "unknown", "a used nonce proves nothing");
	await process.later(2 * HOUR_MS);
	t.equal((await process.row(authorization))?.state, "unknown", "and is never forgotten");
	await process.onchain.forgetExpired();
	t.same(process.onchain.openPayments(), { unknown: 1, refused: 0, settled: 0 });
	world.facilitator.behavior = "idempotent";
	await process.later(60_000);
	t.equal((await process.row(authorization))?.state, "settled");
	t.match(await process.buy(authorization), { kind: "delivered" });
	await assertWhole(t, process);
});

t.test(
	"without a chain to read, a settlement that was called refused is not forgotten",
	async (t) => {
		const world = createWorld({ kind: "claims_refused", hasChainReader: false });
		const process = await startOnchain(world);
		const authorization = world.wallet.sign({ value: PRICE });
		t.match(await process.buy(authorization), { code: "PAYMENT_REJECTED" });
		await process.later(2 * HOUR_MS);
		await process.onchain.forgetExpired();
		t.same(process.onchain.openPayments(), { unknown: 1, refused: 0, settled: 0 });
		world.facilitator.behavior = "idempotent";
		await process.later(60_000);
		await process.later(HOUR_MS);
		t.equal((await process.row(authorization))?.state, "credited");
		await assertWhole(t, process);
	},
);

t.test("nothing is sent for a caller who has gone", async (t) => {
	const world = createWorld({ kind: "silent", hasChainReader: false });
	const process = await startOnchain(world);
	const authorization = world.wallet.sign({ value: PRICE });
	t.match(await process.buy(authorization), { code: "SETTLEMENT_UNKNOWN" });
	const asked = world.facilitator.settled();
	world.facilitator.behavior = "idempotent";
	await process.later(60_000);
	t.equal(world.facilitator.settled(), asked, "asking is sending while it can be sent");
	await process.later(400_000);
	t.equal((await process.row(authorization))?.state, "settled");
});

for (const hasChainReader of [true, false]) {
	t.test(
		`a facilitator that goes away before the settlement leaves no question, ${hasChainReader ? "with" : "without"} a chain`,
		async (t) => {
			const world = createWorld({ hasChainReader });
			const process = await startOnchain(world);
			const authorization = world.wallet.sign({ value: PRICE });
			const leave = async () => {
				world.facilitator.behavior = "unreachable";
				return "answer" as const;
			};
			const gone = await process.buy(authorization, { work: leave });
			t.match(gone, { code: "UPSTREAM", error: { retryable: true } });
			t.match(await process.row(authorization), { state: "released", reason: "not_sent" });
			t.same(process.onchain.openPayments(), { unknown: 0, refused: 0, settled: 0 });
			world.facilitator.behavior = "strict";
			await process.later(400_000);
			t.equal(world.chain.timesSettled(authorization.from, authorization.nonce), 0);
			const next = world.wallet.sign({ value: PRICE });
			t.match(await process.buy(next), { kind: "delivered" });
			await assertWhole(t, process);
		},
	);
}

t.test("what a facilitator turned away and sent all the same is credited", async (t) => {
	const world = createWorld({ kind: "turns_away" });
	const process = await startOnchain(world);
	const authorization = world.wallet.sign({ value: PRICE });
	t.match(await process.buy(authorization), { code: "UPSTREAM", error: { retryable: true } });
	t.match(await process.row(authorization), { state: "refused", reason: "not_taken" });
	const isSent = () => world.chain.timesSettled(authorization.from, authorization.nonce) === 1;
	while (!isSent()) await new Promise((resolve) => setTimeout(resolve, 5));
	for (const ms of [60_000, HOUR_MS]) await process.later(ms);
	t.equal((await process.row(authorization))?.state, "credited");
	await assertWhole(t, process);
});

t.test("what a facilitator turned away can be sent again, and is delivered once", async (t) => {
	const world = createWorld({ kind: "turns_away" });
	world.facilitator.delayMs = 3_600_000;
	const process = await startOnchain(world);
	const authorization = world.wallet.sign({ value: PRICE });
	t.match(await process.buy(authorization), { code: "UPSTREAM" });
	world.facilitator.behavior = "strict";
	t.match(await process.buy(authorization), { kind: "delivered" });
	t.equal(world.chain.timesSettled(authorization.from, authorization.nonce), 1);
	await assertWhole(t, process);
});

t.test("a node that lags does not end a question that a later block answers", async (t) => {
	const world = createWorld({ kind: "claims_refused" });
	world.chain.hidesLatest = true;
	const process = await startOnchain(world);
	const authorization = world.wallet.sign({ value: PRICE });
	t.match(await process.buy(authorization), { code: "PAYMENT_REJECTED" });
	for (const ms of [0, HOUR_MS, HOUR_MS]) await process.later(ms);
	t.equal((await process.row(authorization))?.state, "refused", "past its end, and still open");
	world.chain.hidesLatest = false;
	await process.later(60_000);
	await process.later(HOUR_MS);
	t.equal((await process.row(authorization))?.state, "credited");
	await assertWhole(t, process);
});
